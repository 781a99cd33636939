//! Computes the transitions of a space again, state by state.

use std::any::Any;
use std::borrow::Cow;

use skel_core::model::ActionId;
use skel_core::number::Number;
use skel_core::rate::ActivityRate;

use crate::limits::BETWEEN_LOOKS;
use crate::space::bitset::transitions::Transitions;
use crate::space::bitset::{Bitset, Walk};
use crate::space::explicit::Explicit;
use crate::space::vanishing::{Known, Vanishing};
use crate::space::{Explored, Inner, StateSet, StateSpace};
use crate::state::layout::{Move, make_moves};
use crate::symmetry::sorted::SortBuffer;
use crate::transition::compile::{Buffers, Compiled, rates};

/// A transition of a given state.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Labelled<N> {
    pub(crate) target: u32,
    pub(crate) action: ActionId,
    pub(crate) rate: N,
}

/// The reason why a state's transitions can always be listed: the exploration has listed them before.
const EXPLORED: &str = "the state was explored before";

impl<M: ?Sized> StateSpace<M> {
    /// The transitions of one state, sorted by target and then by action. Equal ones are merged.
    pub(crate) fn row(&self, state: usize) -> Vec<Labelled<f64>> {
        let mut row = Vec::new();
        Rows::new(&self.inner, &self.inner.compiled).read(state, &mut row);
        row
    }

    /// Calls `found` with the transitions of each state, sorted by target and then by action, with equal ones
    /// merged. Calls `pause` at intervals. Either function ends the enumeration by returning an error.
    pub(crate) fn for_each_row<N: Number, E>(
        &self,
        pause: impl FnMut() -> Result<(), E>,
        found: impl FnMut(usize, &mut Vec<Labelled<N>>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.for_each_row_of(0..self.states(), pause, found)
    }

    /// Like [`Self::for_each_row`], but only for the given states.
    pub(crate) fn for_each_row_of<N: Number, E>(
        &self,
        states: impl Iterator<Item = usize>,
        mut pause: impl FnMut() -> Result<(), E>,
        mut found: impl FnMut(usize, &mut Vec<Labelled<N>>) -> Result<(), E>,
    ) -> Result<(), E> {
        let compiled = self.inner.compiled_in::<N>();
        let mut rows = Rows::of_many(&self.inner, &compiled);
        let mut row = Vec::new();
        for (number, state) in states.enumerate() {
            if number % BETWEEN_LOOKS == 0 {
                pause()?;
            }
            rows.read(state, &mut row);
            found(state, &mut row)?;
        }
        Ok(())
    }
}

impl<M: ?Sized> StateSpace<M> {
    /// Calls `found` with the transitions of each state to others, as they come: the targets in any order and
    /// perhaps several times, each with the rate. Calls `pause` at intervals, which may end the enumeration.
    pub(crate) fn for_each_departure<E>(
        &self,
        mut pause: impl FnMut() -> Result<(), E>,
        mut found: impl FnMut(usize, &[(u32, f64)]),
    ) -> Result<(), E> {
        let mut rows = Rows::of_many(&self.inner, &self.inner.compiled);
        let (mut listed, mut row) = (Vec::new(), Vec::new());
        for state in 0..self.states() {
            if state.is_multiple_of(BETWEEN_LOOKS) {
                pause()?;
            }
            let departure = |target: u32, rate: f64| (target as usize != state).then_some((target, rate));
            row.clear();
            match &mut rows.states {
                States::Labelled(list) => {
                    row.extend(
                        list.transitions(state).filter_map(|(target, _, &rate)| departure(target, rate)),
                    );
                }
                States::Together(all) => {
                    row.extend(all.of_state(state).filter_map(|(target, _, &rate)| departure(target, rate)));
                }
                _ => {
                    rows.list(state, &mut listed);
                    row.extend(listed.iter().filter_map(|found| departure(found.target, found.rate)));
                }
            }
            found(state, &row);
        }
        Ok(())
    }
}

impl StateSpace {
    /// Calls `found` with each activity of the given states, before equal ones are merged: the state and the
    /// transition, whose rate is computed from `rates` in place of the model's rates. Calls `pause` at
    /// intervals, which may end the enumeration.
    pub(crate) fn for_each_transition_with_rates<N: Number, E>(
        &self,
        rates: &[ActivityRate<N>],
        states: impl Iterator<Item = usize>,
        mut pause: impl FnMut() -> Result<(), E>,
        mut found: impl FnMut(usize, &Labelled<N>),
    ) -> Result<(), E> {
        let compiled = self.inner.explored.compile(rates, self.model());
        let mut rows = Rows::of_many(&self.inner, &compiled);
        let mut row = Vec::new();
        for (number, state) in states.enumerate() {
            if number % BETWEEN_LOOKS == 0 {
                pause()?;
            }
            rows.list(state, &mut row);
            row.iter().for_each(|transition| found(state, transition));
        }
        Ok(())
    }
}

impl<M: ?Sized> StateSpace<M> {
    /// Calls `found` with each activity of the given states: the state, the action and the rate. If an action
    /// arises in several ways, each of them is an activity. Immediate actions count with the rate at which
    /// runs from the state come to them without another state between.
    pub(crate) fn for_each_activity<N: Number, E>(
        &self,
        states: impl Iterator<Item = usize>,
        mut pause: impl FnMut() -> Result<(), E>,
        mut found: impl FnMut(usize, ActionId, &N),
    ) -> Result<(), E> {
        let inner = &self.inner;
        let compiled = inner.compiled_in::<N>();
        if let Some(known) = inner.known(&compiled) {
            return for_each_skipping(&known, states, pause, found);
        }
        if let Some(labelled) = inner.labelled(&compiled) {
            return labelled.for_each_activity(states, pause, found);
        }
        let of_bits = self.bitset().and_then(|(bitset, _)| Transitions::of(bitset, &compiled));
        if let Some(mut all) = of_bits {
            for (number, state) in states.enumerate() {
                if number.is_multiple_of(BETWEEN_LOOKS) {
                    pause()?;
                }
                all.of_state(state).for_each(|(_, action, rate)| found(state, action, rate));
            }
            return Ok(());
        }
        let mut buffers = Buffers::new();
        let mut list = |state, packed: &[u64]| {
            let listing = compiled.for_each_transition(packed, &mut buffers, |transition| {
                found(state, inner.representative(transition.action), transition.rate);
            });
            listing.expect(EXPLORED);
        };
        let mut walk = match &inner.explored.kept {
            StateSet::Explicit(_) => None,
            StateSet::Bitset(bitset) => Some(bitset.walk(0)),
        };
        for (number, state) in states.enumerate() {
            if number.is_multiple_of(BETWEEN_LOOKS) {
                pause()?;
            }
            match (&inner.explored.kept, &mut walk) {
                (StateSet::Explicit(explicit), _) => list(state, explicit.store.get(state)),
                (_, Some(walk)) => {
                    walk.seek(state);
                    list(state, &[walk.next().1]);
                }
                (StateSet::Bitset(_), None) => unreachable!("bits are walked over"),
            }
        }
        Ok(())
    }
}

/// Reads the transitions of single states in some number type, for which the model is compiled once.
pub(crate) struct RowReader<'s, N: Number> {
    inner: &'s Inner,
    compiled: Cow<'s, Compiled<N>>,
}

impl<'s, N: Number> RowReader<'s, N> {
    pub(crate) fn new(space: &'s StateSpace) -> Self {
        let inner = &*space.inner;
        let compiled = match &inner.explored.kept {
            StateSet::Explicit(_) => Cow::Owned(Compiled::for_few_states(
                &inner.model,
                &inner.explored.numbers,
                &inner.explored.layout,
                &inner.explored.immediate,
            )),
            // A bitset needs the amounts that transitions add to the number of a state, and only tables have
            // them.
            StateSet::Bitset(_) => inner.compiled_in(),
        };
        RowReader { inner, compiled }
    }

    /// Replaces a row by the transitions of a state, sorted by target and then by action, with equal ones
    /// merged.
    pub(crate) fn read(&self, state: usize, row: &mut Vec<Labelled<N>>) {
        Rows::new(self.inner, &self.compiled).read(state, row);
    }
}

impl Inner {
    /// The action that represents all actions equivalent to this one.
    fn representative(&self, action: ActionId) -> ActionId {
        self.explored.lumping.as_ref().map_or(action, |lumping| lumping.representative(action))
    }

    /// What is known of the space while vanishing states are skipped, if there are any.
    fn known<'k, N: Number>(&'k self, compiled: &'k Compiled<N>) -> Option<Known<'k, N>> {
        let Explored { lumping, starts_vanishing, kept, .. } = &*self.explored;
        match kept {
            StateSet::Explicit(Explicit { store, .. }) if compiled.has_immediate() => Some(Known {
                compiled,
                lumping: lumping.as_ref(),
                store,
                starts_vanishing: *starts_vanishing,
            }),
            _ => None,
        }
    }

    /// The list with its labels, if these have a meaning with the rates of a compiled model.
    pub(super) fn labelled<'k, N: Number>(&'k self, compiled: &Compiled<N>) -> Option<LabelledList<'k, N>> {
        let StateSet::Explicit(explicit) = &self.explored.kept else { return None };
        let is_own = std::ptr::addr_eq(compiled, &raw const self.compiled);
        let (labels, are_own) = match self.labelled_again.get() {
            Some(again) if is_own => (again, true),
            _ => (explicit.labels.as_ref()?, is_own && self.has_explored_rates),
        };
        let mut meaning = labels.meaning(compiled, are_own)?;
        meaning.iter_mut().for_each(|(action, _)| *action = self.representative(*action));
        Some(LabelledList { explicit, labels: labels.numbers(), meaning })
    }

    /// The compiled model in another number type.
    fn compiled_in<N: Number>(&self) -> Cow<'_, Compiled<N>> {
        if let Some(compiled) = (&self.compiled as &dyn Any).downcast_ref() {
            return Cow::Borrowed(compiled);
        }
        Cow::Owned(self.explored.compile(&rates(&self.model), &self.model))
    }
}

/// Lists the transitions of one state after the other. Callers loop over states themselves, so that the code
/// which evaluates a state is compiled once for each number type, and not for each caller.
pub(super) struct Rows<'s, N: Number> {
    inner: &'s Inner,
    compiled: &'s Compiled<N>,
    states: States<'s, N>,
    buffers: Buffers<N>,
}

enum States<'s, N: Number> {
    Skipping(Known<'s, N>, Box<Vanishing<N>>),
    Labelled(LabelledList<'s, N>),
    Explicit(&'s Explicit),
    Bitset(&'s Bitset, Walk<'s>),
    Together(Box<Transitions<'s, N>>),
}

/// A list of states whose transitions have labels, and what these mean.
pub(super) struct LabelledList<'s, N> {
    explicit: &'s Explicit,
    pub(super) labels: &'s [u16],
    pub(super) meaning: Vec<(ActionId, N)>,
}

impl<N> LabelledList<'_, N> {
    /// The transitions of a state as they were found: the target, the action and the rate of each.
    #[inline]
    fn transitions(&self, state: usize) -> impl Iterator<Item = (u32, ActionId, &N)> {
        let range = self.explicit.offsets[state]..self.explicit.offsets[state + 1];
        let labelled = self.explicit.targets[range.clone()].iter().zip(&self.labels[range]);
        labelled.map(|(&target, &label)| {
            let (action, rate) = &self.meaning[usize::from(label)];
            (target, *action, rate)
        })
    }

    fn for_each_activity<E>(
        &self,
        states: impl Iterator<Item = usize>,
        mut pause: impl FnMut() -> Result<(), E>,
        mut found: impl FnMut(usize, ActionId, &N),
    ) -> Result<(), E> {
        for (number, state) in states.enumerate() {
            if number.is_multiple_of(BETWEEN_LOOKS) {
                pause()?;
            }
            self.transitions(state).for_each(|(_, action, rate)| found(state, action, rate));
        }
        Ok(())
    }
}

impl<'s, N: Number> Rows<'s, N> {
    fn new(inner: &'s Inner, compiled: &'s Compiled<N>) -> Self {
        let states = match (&inner.explored.kept, inner.known(compiled)) {
            (_, Some(known)) => {
                let vanishing = Vanishing::new(known.store.words(), false);
                States::Skipping(known, Box::new(vanishing))
            }
            (StateSet::Explicit(explicit), None) => States::Explicit(explicit),
            (StateSet::Bitset(bitset), None) => States::Bitset(bitset, bitset.walk(0)),
        };
        Rows { inner, compiled, states, buffers: Buffers::new() }
    }

    /// As [`Self::new`], for so many states that it pays to look up what labels mean.
    pub(super) fn of_many(inner: &'s Inner, compiled: &'s Compiled<N>) -> Self {
        let rows = Rows::new(inner, compiled);
        let states = match &rows.states {
            States::Bitset(bitset, _) => {
                Transitions::of(bitset, compiled).map(|transitions| States::Together(Box::new(transitions)))
            }
            _ => inner.labelled(compiled).map(States::Labelled),
        };
        if let Some(states) = states { Rows { states, ..rows } } else { rows }
    }

    /// Replaces a row by the transitions of a state, by target and then by action, each once.
    #[inline(never)]
    fn read(&mut self, state: usize, row: &mut Vec<Labelled<N>>) {
        self.list(state, row);
        merge(row);
    }

    /// Replaces a row by the transitions of a state as they come.
    #[inline(never)]
    pub(super) fn list(&mut self, state: usize, row: &mut Vec<Labelled<N>>) {
        row.clear();
        let Rows { inner, compiled, states, buffers } = self;
        let listing = match states {
            States::Skipping(known, vanishing) => return skip(known, state, vanishing, buffers, row),
            States::Labelled(list) => return row.extend(list.transitions(state).map(labelled)),
            States::Together(all) => return row.extend(all.of_state(state).map(labelled)),
            States::Explicit(explicit) => {
                let range = explicit.offsets[state]..explicit.offsets[state + 1];
                let mut targets = explicit.targets[range].iter();
                compiled.for_each_transition(explicit.store.get(state), buffers, |transition| {
                    let action = inner.representative(transition.action);
                    let &target = targets.next().expect(EXPLORED);
                    row.push(Labelled { target, action, rate: transition.rate.clone() });
                })
            }
            States::Bitset(bitset, walk) => {
                walk.seek(state);
                let (combination, word) = walk.next();
                compiled.for_each_transition(&[word], buffers, |transition| {
                    let target = bitset.rank(combination.wrapping_add(transition.jump));
                    row.push(Labelled { target, action: transition.action, rate: transition.rate.clone() });
                })
            }
        };
        listing.expect(EXPLORED);
    }
}

fn labelled<N: Clone>((target, action, rate): (u32, ActionId, &N)) -> Labelled<N> {
    Labelled { target, action, rate: rate.clone() }
}

/// Adds the transitions of a state to a row, with one to each end of a vanishing state in place of that to
/// the vanishing state.
fn skip<N: Number>(
    known: &Known<'_, N>,
    state: usize,
    vanishing: &mut Vanishing<N>,
    buffers: &mut Buffers<N>,
    row: &mut Vec<Labelled<N>>,
) {
    let packed = known.store.get(state);
    let mut targets = Targets::default();
    let listing = known.for_each_transition(state, buffers, |transition| {
        let (action, rate) = (known.representative(transition.action), transition.rate);
        let (hash, words) = targets.make(known, packed, transition.moves);
        if let Some(target) = known.find(hash, words) {
            return row.push(Labelled { target, action, rate: rate.clone() });
        }
        let place = vanishing.follow(known, hash, words).expect(EXPLORED);
        for (end, probability) in vanishing.ends(place).expect(EXPLORED) {
            let (hash, words) = vanishing.state(*end);
            let target = known.find(hash, words).expect(EXPLORED);
            row.push(Labelled { target, action, rate: rate.clone() * probability.clone() });
        }
    });
    listing.expect(EXPLORED);
}

/// Calls `found` with each activity of the given states, and with the immediate actions that follow it.
fn for_each_skipping<N: Number, E>(
    known: &Known<'_, N>,
    states: impl Iterator<Item = usize>,
    mut pause: impl FnMut() -> Result<(), E>,
    mut found: impl FnMut(usize, ActionId, &N),
) -> Result<(), E> {
    let mut vanishing = Vanishing::new(known.store.words(), true);
    let (mut buffers, mut targets) = (Buffers::new(), Targets::default());
    for (number, state) in states.enumerate() {
        if number.is_multiple_of(BETWEEN_LOOKS) {
            pause()?;
        }
        let packed = known.store.get(state);
        let listing = known.for_each_transition(state, &mut buffers, |transition| {
            found(state, known.representative(transition.action), transition.rate);
            let (hash, words) = targets.make(known, packed, transition.moves);
            if known.find(hash, words).is_some() {
                return;
            }
            let place = vanishing.follow(known, hash, words).expect(EXPLORED);
            for (action, times) in vanishing.times(place) {
                found(state, *action, &(transition.rate.clone() * times.clone()));
            }
        });
        listing.expect(EXPLORED);
    }
    Ok(())
}

/// The target of a transition, in memory that is reused.
#[derive(Default)]
struct Targets {
    words: Vec<u64>,
    blocks: SortBuffer,
}

impl Targets {
    /// The hash and the words of the state that moves lead to.
    fn make<N: Number>(&mut self, known: &Known<'_, N>, from: &[u64], moves: &[Move]) -> (u64, &[u64]) {
        self.words.clear();
        self.words.extend_from_slice(from);
        make_moves(&mut self.words, moves);
        if let Some(lumping) = known.lumping {
            lumping.canonicalise_after(from, &mut self.words, &mut self.blocks);
        }
        (known.store.hash(&self.words), &self.words)
    }
}

/// Sorts transitions by target and then by action, and merges equal ones, adding their rates.
fn merge<N: Number>(row: &mut Vec<Labelled<N>>) {
    // One number is compared in the time of one comparison.
    row.sort_by_key(|transition| u64::from(transition.target) << u32::BITS | u64::from(transition.action.0));
    row.dedup_by(|later, first| {
        let is_same = (later.target, later.action) == (first.target, first.action);
        if is_same {
            first.rate = first.rate.clone() + later.rate.clone();
        }
        is_same
    });
}
