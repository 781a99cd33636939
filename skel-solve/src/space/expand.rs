//! The work of one thread in an exploration: it lists the transitions of some states, in the order of the
//! states.

use skel_core::model::ActionId;
use skel_core::semantics::NotWellDefined;

use crate::limits::memory::make_room;
use crate::space::distinct::DistinctTransitions;
use crate::space::labels::{FoundLabels, Kind};
use crate::space::store::StateStore;
use crate::space::vanishing::{Known, Vanishing};
use crate::state::layout::{Layout, make_moves};
use crate::symmetry::lumping::Lumping;
use crate::symmetry::sorted::SortBuffer;
use crate::transition::compile::{Buffers, Compiled};
use crate::transition::evaluate::Refusal;

/// Stands for the number of a target that was not in the store when the states were expanded.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// What an exploration needs to know about the model.
pub(crate) struct Plan {
    pub(crate) layout: Layout,
    pub(crate) compiled: Compiled<f64>,
    pub(crate) lumping: Option<Lumping>,
    /// Whether immediate actions leave the initial state.
    pub(crate) starts_vanishing: bool,
    /// Whether a state may have two transitions of one action to one target, before lumping.
    pub(crate) may_repeat: bool,
}

impl Plan {
    /// What is known of a space, of which a store has the states that were found.
    pub(crate) fn known<'k>(&'k self, store: &'k StateStore) -> Known<'k, f64> {
        let Plan { compiled, lumping, starts_vanishing, .. } = self;
        Known { compiled, lumping: lumping.as_ref(), store, starts_vanishing: *starts_vanishing }
    }
}

/// A state whose transitions have been listed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expanded {
    /// The number of transitions as they were enumerated.
    pub(crate) found: u32,
    /// The number of distinct transitions.
    pub(crate) distinct: u32,
}

/// The reason why some states were not expanded.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ended {
    /// The transitions do not fit into the memory that is left.
    Full,
    /// The next state has an activity without a well-defined rate.
    NotWellDefined(NotWellDefined),
}

/// How many targets are looked up together, or a few more. A look-up waits for the memory twice, for the
/// table and for the state. Many at once wait together.
const LOOKED_UP_TOGETHER: usize = 64;

/// Targets of transitions that are still to be looked up.
#[derive(Default)]
struct Pending {
    states: Vec<u64>,
    hashes: Vec<u64>,
}

impl Pending {
    /// Adds a state, whose hash is to follow. The lists double their capacity, which is small: as many states
    /// as are looked up together, and the targets of one more.
    fn push(&mut self, state: &[u64]) -> &mut [u64] {
        let start = self.states.len();
        state.iter().for_each(|&word| self.states.push(word));
        &mut self.states[start..]
    }

    fn truncate(&mut self, count: usize, words: usize) {
        self.states.truncate(count * words);
        self.hashes.truncate(count);
    }
}

/// The transitions of some states, in memory that is reused for the next ones.
pub(crate) struct Expansion {
    pub(crate) states: Vec<Expanded>,
    /// The numbers of the targets, or [`UNKNOWN`].
    pub(crate) targets: Vec<u32>,
    /// What the transitions do, if that is kept.
    pub(crate) labels: FoundLabels,
    /// The unknown targets in the order in which they were found, and their hashes.
    pub(crate) unknown: Vec<u64>,
    pub(crate) hashes: Vec<u64>,
    pub(crate) ended: Option<Ended>,
    /// The numbers of states and transitions that the lumped states stand for; `None` if they exceed 128
    /// bits.
    pub(crate) unlumped: (Option<u128>, Option<u128>),
    /// The targets that were not looked up yet, which are the last of `targets`.
    pending: Pending,
    buffers: Buffers<f64>,
    distinct: DistinctTransitions,
    before_lumping: DistinctTransitions,
    blocks: SortBuffer,
    target: Vec<u64>,
    vanishing: Vanishing<f64>,
}

impl Expansion {
    pub(crate) fn new(words: usize) -> Self {
        Expansion {
            states: Vec::new(),
            targets: Vec::new(),
            labels: FoundLabels::default(),
            unknown: Vec::new(),
            hashes: Vec::new(),
            ended: None,
            unlumped: (Some(0), Some(0)),
            pending: Pending::default(),
            buffers: Buffers::new(),
            distinct: DistinctTransitions::default(),
            before_lumping: DistinctTransitions::default(),
            blocks: SortBuffer::default(),
            target: Vec::new(),
            vanishing: Vanishing::new(words, false),
        }
    }

    /// The number of bytes that the expansion takes.
    pub(crate) fn memory(&self) -> u64 {
        let lists = self.states.capacity() * size_of::<Expanded>()
            + self.targets.capacity() * size_of::<u32>()
            + (self.unknown.capacity() + self.hashes.capacity()) * size_of::<u64>()
            + (self.pending.states.capacity() + self.pending.hashes.capacity()) * size_of::<u64>();
        let of_states = self.distinct.memory() + self.before_lumping.memory() + self.vanishing.memory();
        lists as u64 + self.labels.memory() + self.buffers.memory() + of_states
    }

    /// Expands states of a store, and takes at most `most` bytes for it. Labels are kept if they are of some
    /// kind.
    pub(crate) fn run(
        &mut self,
        (plan, labels): (&Plan, Option<Kind>),
        store: &StateStore,
        numbers: std::ops::Range<usize>,
        most: u64,
    ) {
        self.states.clear();
        self.targets.clear();
        self.labels.clear(labels);
        self.unknown.clear();
        self.hashes.clear();
        self.ended = None;
        self.unlumped = (Some(0), Some(0));
        // A quarter of the memory is for the activities of a single state, and the rest for the transitions
        // found.
        self.buffers.set_most(most / 4);
        self.vanishing.set_most(most / 4);
        for number in numbers {
            let before = (self.targets.len(), self.hashes.len(), self.pending.hashes.len());
            if let Err(ended) = self.expand(plan, store, number, most) {
                self.targets.truncate(before.0);
                self.labels.truncate(before.0);
                self.hashes.truncate(before.1);
                self.unknown.truncate(before.1 * plan.layout.words());
                self.pending.truncate(before.2, plan.layout.words());
                self.ended = Some(ended);
                break;
            }
            let found = (self.targets.len() - before.0) as u32;
            let distinct = match plan.compiled.has_immediate() {
                true => self.distinct.count(),
                false => self.distinct.count_with(&self.pending.states[before.2 * plan.layout.words()..]),
            } as u32;
            self.states.push(Expanded { found, distinct });
            if let Some(lumping) = &plan.lumping {
                self.count_unlumped(plan, lumping, store.get(number));
            }
            if self.pending.hashes.len() >= LOOKED_UP_TOGETHER {
                self.look_up(store);
            }
        }
        self.look_up(store);
    }

    /// Looks up the pending targets. There is room for them in the lists of unknown states.
    fn look_up(&mut self, store: &StateStore) {
        let Pending { states, hashes } = &mut self.pending;
        let first = self.targets.len() - hashes.len();
        store.find_all(states, hashes, &mut self.targets[first..]);
        let looked_up = states.chunks_exact(store.words()).zip(&*hashes).zip(&self.targets[first..]);
        for ((state, &hash), &number) in looked_up {
            if number == UNKNOWN {
                self.unknown.extend_from_slice(state);
                self.hashes.push(hash);
            }
        }
        states.clear();
        hashes.clear();
    }

    /// Adds the numbers of states and transitions that a state stands for, unless both totals already exceed
    /// 128 bits.
    fn count_unlumped(&mut self, plan: &Plan, lumping: &Lumping, state: &[u64]) {
        if self.unlumped == (None, None) || (lumping.states(), lumping.transitions()) == (None, None) {
            return;
        }
        // What vanishing states end in is followed with lumping alone, so its transitions without lumping are
        // not known.
        let transitions = (!plan.compiled.has_immediate()).then(|| self.before_lumping.count());
        let orbit = lumping.orbit(&plan.layout, state, &mut self.blocks);
        let plus = |sum: Option<u128>, more: Option<u128>| sum?.checked_add(more?);
        let leaving = orbit.and_then(|orbit| orbit.checked_mul(transitions?));
        self.unlumped = (plus(self.unlumped.0, orbit), plus(self.unlumped.1, leaving));
    }

    fn expand(&mut self, plan: &Plan, store: &StateStore, number: usize, most: u64) -> Result<(), Ended> {
        let left = most.saturating_sub(self.memory());
        self.distinct.clear();
        self.before_lumping.clear();
        let outcome = match plan.compiled.has_immediate() {
            true => self.expand_past_vanishing(plan, store, number, left),
            false => self.expand_timed(plan, store, number, left),
        };
        match outcome {
            Ok(true) => Ok(()),
            Ok(false) | Err(Refusal::TooMany) => Err(Ended::Full),
            Err(Refusal::NotWellDefined(problem)) => Err(Ended::NotWellDefined(problem)),
        }
    }

    /// Expands a state of a model without immediate actions. Its targets are looked up later, many at a time.
    /// Returns whether there was room for them.
    fn expand_timed(
        &mut self,
        plan: &Plan,
        store: &StateStore,
        number: usize,
        left: u64,
    ) -> Result<bool, Refusal> {
        let Expansion { targets, unknown, hashes, pending, .. } = self;
        let state = store.get(number);
        let mut found = Found::new((targets, unknown, hashes, pending), state.len(), left);
        let Expansion { buffers, distinct, before_lumping, blocks, labels, .. } = self;
        plan.known(store).for_each_transition(number, buffers, |transition| {
            if found.is_full {
                return;
            }
            let Some(target) = found.make_pending(state) else { return };
            make_moves(target, transition.moves);
            let mut action = transition.action;
            if let Some(lumping) = &plan.lumping {
                match plan.may_repeat {
                    true => before_lumping.push(action, target, transition.multiplicity),
                    false => before_lumping.push_apart(transition.multiplicity),
                }
                lumping.canonicalise_after(state, target, blocks);
                action = lumping.representative(action);
            }
            let hash = store.hash(target);
            found.pending.hashes.push(hash);
            labels.push(transition.entry, action, *transition.rate);
            match plan.may_repeat || plan.lumping.is_some() {
                true => distinct.push_action(action, 1),
                false => distinct.push_apart(1),
            }
        })?;
        Ok(!found.is_full)
    }

    /// Expands a state of a model with immediate actions: where a transition leads to a vanishing state, what
    /// that ends in takes its place. Returns whether there was room.
    fn expand_past_vanishing(
        &mut self,
        plan: &Plan,
        store: &StateStore,
        number: usize,
        left: u64,
    ) -> Result<bool, Refusal> {
        let Expansion { targets, unknown, hashes, pending, .. } = self;
        let (state, known) = (store.get(number), plan.known(store));
        let mut found = Found::new((targets, unknown, hashes, pending), state.len(), left);
        let Expansion { buffers, distinct, before_lumping, blocks, target, vanishing, .. } = self;
        let mut refused = None;
        known.for_each_transition(number, buffers, |transition| {
            if found.is_full || refused.is_some() {
                return;
            }
            target.clear();
            target.extend_from_slice(state);
            make_moves(target, transition.moves);
            let mut action = transition.action;
            if let Some(lumping) = &plan.lumping {
                if found.has_room() {
                    before_lumping.push(action, target, transition.multiplicity);
                }
                lumping.canonicalise_after(state, target, blocks);
                action = lumping.representative(action);
            }
            let hash = store.hash(target);
            let number = known.find(hash, target);
            if number.is_some() {
                return found.add(number, (action, hash, target), distinct);
            }
            let place = match vanishing.follow(&known, hash, target) {
                Ok(place) => place,
                Err(refusal) => return refused = Some(refusal),
            };
            let Some(ends) = vanishing.ends(place) else {
                return found.add(None, (action, hash, target), distinct);
            };
            for &(end, _) in ends {
                let (hash, end) = vanishing.state(end);
                found.add(known.find(hash, end), (action, hash, end), distinct);
            }
        })?;
        refused.map_or(Ok(!found.is_full), Err)
    }
}

/// The transitions of a state, while they are found.
struct Found<'e> {
    targets: &'e mut Vec<u32>,
    unknown: &'e mut Vec<u64>,
    hashes: &'e mut Vec<u64>,
    pending: &'e mut Pending,
    /// The bytes that a transition takes, and those that are left.
    per_transition: u64,
    left: u64,
    is_full: bool,
}

impl<'e> Found<'e> {
    /// In these lists, for states of so many words, with so many bytes left.
    fn new(
        (targets, unknown, hashes, pending): (
            &'e mut Vec<u32>,
            &'e mut Vec<u64>,
            &'e mut Vec<u64>,
            &'e mut Pending,
        ),
        words: usize,
        left: u64,
    ) -> Found<'e> {
        // The memory that a transition takes in all lists together, some of which double their capacity when
        // they are full.
        let per_transition = 64 + 48 * words as u64 + FoundLabels::MOST_BYTES;
        Found { targets, unknown, hashes, pending, per_transition, left, is_full: false }
    }

    fn has_room(&mut self) -> bool {
        self.is_full = self.is_full || self.left < self.per_transition;
        !self.is_full
    }

    /// Adds a transition whose target is still to be looked up: a copy of the state that it leaves, to be
    /// changed into the target, whose hash is to be added. Keeps room for the case that no pending target is
    /// known; `None` if there is none.
    #[inline]
    fn make_pending(&mut self, state: &[u64]) -> Option<&mut [u64]> {
        let left = self.left / 4;
        let after = self.pending.hashes.len() + 1;
        let has_room = self.has_room()
            && make_room(self.targets, 1, left)
            && make_room(self.unknown, after * state.len(), left)
            && make_room(self.hashes, after, left);
        if !has_room {
            self.is_full = true;
            return None;
        }
        self.left -= self.per_transition;
        self.targets.push(UNKNOWN);
        Some(self.pending.push(state))
    }

    /// Adds a transition to a state, whose number is given if it is known: the action, and the state with its
    /// hash.
    #[inline]
    fn add(
        &mut self,
        number: Option<u32>,
        (action, hash, target): (ActionId, u64, &[u64]),
        distinct: &mut DistinctTransitions,
    ) {
        let left = self.left / 4;
        if !self.has_room() || !make_room(self.targets, 1, left) {
            self.is_full = true;
            return;
        }
        self.left -= self.per_transition;
        distinct.push(action, target, 1);
        match number {
            Some(number) => self.targets.push(number),
            None if make_room(self.unknown, target.len(), left) && make_room(self.hashes, 1, left) => {
                self.targets.push(UNKNOWN);
                self.unknown.extend_from_slice(target);
                self.hashes.push(hash);
            }
            None => self.is_full = true,
        }
    }
}
