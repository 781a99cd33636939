//! The state space: all reachable states in packed form, and all their labelled transitions.

pub(crate) mod bitset;
mod departures;
mod distinct;
mod expand;
pub(crate) mod explicit;
mod explore;
mod labels;
mod numbers;
mod rerate;
mod rows;
mod store;
mod trace;
pub(crate) mod vanishing;

pub use crate::symmetry::lumping::Lumping;
pub use crate::symmetry::told_apart::ToldApart;
#[cfg(test)]
pub(crate) use explore::explored;
pub use explore::{Explore, Explorer, Options, Storage};
pub use rerate::NamedRate;
pub(crate) use rows::{Labelled, RowReader};

use std::convert::Infallible;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use skel_core::graph::Adjacency;
use skel_core::model::handle::RateOf;
use skel_core::model::{ActionId, LocalStateId, Model, Position};
use skel_core::number::{Number, Ratio};
use skel_core::rate::ActivityRate;

use crate::disjoint_sets::DisjointSets;
use crate::limits::{BETWEEN_LOOKS, Stopped, Watch};
use crate::state::layout::{Field, Layout, Slot};
use crate::state::local_numbers::LocalNumbers;
use crate::symmetry::sorted::SortBuffer;
use crate::transition::compile::{Compiled, ImmediateActions};
pub(crate) use bitset::Bitset;
pub(crate) use departures::{Departures, add_to_same};
use explicit::Explicit;
use labels::Labels;

/// All reachable states of a model and all transitions between them.
///
/// The initial state has the number 0. The [`Storage`] determines the numbers of the others: they are breadth
/// first, unless the states are stored as a bitset. Transitions of a state with the same action and the same
/// target are merged, and their rates are added. Transitions are not stored but computed again on demand.
///
/// The type parameter is the type of the model, so that handles of another model do not fit. Cloning is
/// cheap.
///
/// # Examples
/// ```
/// use skel_solve::Explore;
/// let model = skel_core::text::parse("P = (go, 1).Q; Q = (back, 2).P; P || P").into_model().unwrap();
/// let space = model.explore().unwrap();
/// assert_eq!((space.states(), space.transitions()), (4, 8));
/// assert_eq!(space.display_state(3), "Q || Q");
/// ```
pub struct StateSpace<M: ?Sized = Model> {
    inner: Arc<Inner>,
    model: PhantomData<fn() -> Box<M>>,
}

struct Inner {
    model: Model,
    compiled: Compiled<f64>,
    /// Whether the rates are those of the exploration.
    has_explored_rates: bool,
    /// Labels for these rates, where those of the exploration do not hold for them.
    labelled_again: OnceLock<Labels>,
    explored: Arc<Explored>,
}

/// The result of an exploration that is the same for all values of the rates.
struct Explored {
    layout: Layout,
    numbers: LocalNumbers,
    /// How the states were lumped, if they were.
    lumping: Option<Lumping>,
    immediate: ImmediateActions,
    /// Whether immediate actions leave the initial state.
    starts_vanishing: bool,
    kept: StateSet,
    states: usize,
    transitions: usize,
    explored_in: Duration,
}

/// The set of reachable states, as it is stored.
pub(crate) enum StateSet {
    Explicit(Explicit),
    Bitset(Bitset),
}

impl Explored {
    /// Compiles a model of these states with the given rates.
    fn compile<N: Number>(&self, rates: &[ActivityRate<N>], model: &Model) -> Compiled<N> {
        let mut compiled = Compiled::with_rates(rates, model, &self.numbers, &self.layout, &self.immediate);
        if let StateSet::Bitset(bitset) = &self.kept {
            compiled.set_strides(bitset.product().strides());
        }
        compiled
    }
}

/// A position and the number of a local state that it is to be in.
#[derive(Clone)]
pub(crate) struct WantedLocal {
    position: u32,
    local: u32,
    /// What tells the local state at the position, unless copies are counted there.
    field: Option<Field>,
}

impl<M: ?Sized> Clone for StateSpace<M> {
    fn clone(&self) -> Self {
        StateSpace { inner: Arc::clone(&self.inner), model: PhantomData }
    }
}

impl<M: ?Sized> std::fmt::Debug for StateSpace<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StateSpace({} states, {} transitions)", self.states(), self.transitions())
    }
}

impl<M: ?Sized> StateSpace<M> {
    /// The model, with the rates that it was explored with.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.inner.model
    }

    /// The value of a named rate in this space.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// pepa! { model Queue { lambda = 1; mu = 2; E = (arrive, lambda).F; F = (serve, mu).E; E } }
    /// let space = Queue { mu: 5.into(), ..Queue::new() }.explore()?;
    /// assert_eq!(*space.rate(Queue::mu), ratio(5, 1));
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    pub fn rate(&self, rate: RateOf<M>) -> &Ratio {
        &self.model().parameters()[rate.id().index()].value
    }

    /// The same space with the type of a general model. Algorithms take this type, so that they are compiled
    /// once in this crate and not again for each model of a user.
    pub(crate) fn untyped(&self) -> StateSpace {
        StateSpace { inner: Arc::clone(&self.inner), model: PhantomData }
    }

    /// Whether an action is immediate: its transitions are left out, and what they lead to takes the place of
    /// the states that they leave. See [`vanishing`].
    pub(crate) fn is_immediate(&self, action: ActionId) -> bool {
        self.inner.explored.immediate.contain(action)
    }

    /// Whether some actions take no time, as moves may in the performance of a skeleton. The space then lacks
    /// the states that these actions leave at once, and its transitions lead to the states in which they end.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// let program = pipe!(task(2.0), task(3.0)).communicating(Communication::negligible());
    /// let performance = program.performance()?;
    /// let space = performance.steady_state().space();
    /// assert!(space.has_immediate_actions());
    /// assert_eq!(space.states(), 3); // both compute; one has to wait for the other
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    pub fn has_immediate_actions(&self) -> bool {
        self.inner.compiled.has_immediate()
    }

    /// Whether immediate actions leave the initial state, which is then transient.
    pub(crate) fn starts_vanishing(&self) -> bool {
        self.inner.explored.starts_vanishing
    }

    /// How the states were lumped; `None` if lumping was not asked for, or if the model has no
    /// interchangeable parts.
    #[must_use]
    pub fn lumping(&self) -> Option<&Lumping> {
        self.inner.explored.lumping.as_ref()
    }

    /// How many states without lumping this state represents: 1 if nothing was lumped, and `None` if it
    /// exceeds 128 bits.
    ///
    /// # Panics
    /// If there is no state of that number.
    ///
    /// # Examples
    /// ```
    /// use skel_core::model::Model;
    /// use skel_solve::Explore;
    /// let space = Model::from_text("P = (go, 1).Q; Q = (back, 2).P; P[3]")?.explorer().lumped().explore()?;
    /// let stands_for: Vec<_> = (0..4).map(|number| space.stands_for(number)).collect();
    /// assert_eq!(stands_for, [Some(1), Some(3), Some(3), Some(1)]);
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    #[must_use]
    pub fn stands_for(&self, number: usize) -> Option<u128> {
        let orbit = |lumping: &Lumping, packed: &[u64]| {
            lumping.orbit(&self.inner.explored.layout, packed, &mut SortBuffer::default())
        };
        self.with_packed(number, |packed| self.lumping().map_or(Some(1), |lumping| orbit(lumping, packed)))
    }

    /// The number of states.
    #[must_use]
    pub fn states(&self) -> usize {
        self.inner.explored.states
    }

    /// The number of distinct transitions (state, action, state).
    #[must_use]
    pub fn transitions(&self) -> usize {
        self.inner.explored.transitions
    }

    /// The number of bytes that states and transitions take. After [`Self::with_rates`], a first solution may
    /// add to them.
    #[must_use]
    pub fn memory(&self) -> u64 {
        match &self.inner.explored.kept {
            StateSet::Explicit(explicit) => {
                explicit.memory() + self.inner.labelled_again.get().map_or(0, Labels::memory)
            }
            StateSet::Bitset(bitset) => bitset.memory(),
        }
    }

    /// How the states are stored: [`Storage::Explicit`] or [`Storage::Bitset`].
    #[must_use]
    pub fn storage(&self) -> Storage {
        match &self.inner.explored.kept {
            StateSet::Explicit(_) => Storage::Explicit,
            StateSet::Bitset(_) => Storage::Bitset,
        }
    }

    /// How long the exploration took.
    #[must_use]
    pub fn explored_in(&self) -> Duration {
        self.inner.explored.explored_in
    }

    /// The local state at every position of a state.
    ///
    /// # Panics
    /// If there is no state of that number.
    ///
    /// # Examples
    /// ```
    /// use skel_core::model::Model;
    /// use skel_solve::Explore;
    /// let space = Model::from_text("P = (go, 1).Q; Q = (back, 2).P; P || Q")?.explore()?;
    /// assert_eq!(space.state(0), space.model().initial_state());
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    #[must_use]
    pub fn state(&self, number: usize) -> Vec<LocalStateId> {
        self.with_packed(number, |packed| {
            (0..self.model().positions()).map(|position| self.local(packed, position)).collect()
        })
    }

    /// Calls `look` with a packed state.
    pub(crate) fn with_packed<R>(&self, number: usize, look: impl FnOnce(&[u64]) -> R) -> R {
        assert!(number < self.states(), "there is no state {number} among {}", self.states());
        match &self.inner.explored.kept {
            StateSet::Explicit(explicit) => look(explicit.store.get(number)),
            StateSet::Bitset(bitset) => look(&[bitset.walk(number).next().1]),
        }
    }

    /// Calls `found` for each state with each slot, each local state that one of its copies is in, and how
    /// many are.
    pub(crate) fn for_each_count<E>(
        &self,
        pause: impl FnMut() -> Result<(), E>,
        found: &mut dyn FnMut(usize, usize, u32, u32),
    ) -> Result<(), E> {
        self.for_each_packed_unless(pause, |state, packed| {
            self.layout().for_each_count(packed, |slot, local, count| found(state, slot, local, count));
        })
    }

    fn local(&self, packed: &[u64], position: usize) -> LocalStateId {
        let component = self.model().component_at(Position::at(position));
        self.inner.explored.numbers.in_order(component)
            [self.inner.explored.layout.local(packed, position) as usize]
    }

    /// The local state at one position of a state.
    ///
    /// # Panics
    /// If there is no such state or position.
    #[must_use]
    pub fn local_state_at(&self, number: usize, position: Position) -> LocalStateId {
        self.with_packed(number, |packed| self.local(packed, position.index()))
    }

    /// That a position is in the local state with a given number, which may be one that it never has.
    pub(crate) fn wanted(&self, position: u32, local: u32) -> WantedLocal {
        let slot = &self.slots()[self.slot_of(position as usize)];
        let field = (!slot.is_counted()).then(|| self.layout().field(slot.fields().start));
        WantedLocal { position, local, field }
    }

    /// How many of some positions are in local states with given numbers.
    pub(crate) fn count_in(&self, number: usize, wanted: &[WantedLocal]) -> usize {
        let layout = self.layout();
        self.with_packed(number, |packed| {
            let is_there = |wanted: &&WantedLocal| match wanted.field {
                Some(field) => field.get(packed) == wanted.local,
                None => layout.local(packed, wanted.position as usize) == wanted.local,
            };
            wanted.iter().filter(is_there).count()
        })
    }

    /// The number of a local state among those of the component at a position, if the component has it.
    pub(crate) fn local_number(&self, position: usize, state: LocalStateId) -> Option<u32> {
        self.inner.explored.numbers.get(self.model().component_at(Position::at(position)), state)
    }

    /// The slots: components, or groups of counted copies.
    pub(crate) fn slots(&self) -> &[Slot] {
        self.inner.explored.layout.slots()
    }

    /// The bitset of the states and the model compiled for it, if the states are stored as a bitset.
    pub(crate) fn bitset(&self) -> Option<(&Bitset, &Compiled<f64>)> {
        match &self.inner.explored.kept {
            StateSet::Bitset(bitset) => Some((bitset, &self.inner.compiled)),
            StateSet::Explicit(_) => None,
        }
    }

    /// Whether a run comes back to the first state from every other, if the states are kept as bits. In a
    /// list, that is not seen.
    pub(crate) fn all_are_seen_to_lead_to_the_first(&self, watch: &mut Watch<'_>) -> Result<bool, Stopped> {
        match self.bitset() {
            Some((bitset, compiled)) => bitset.all_lead_to_the_first(compiled, watch),
            None => Ok(false),
        }
    }

    /// The set of states, as it is stored.
    pub(crate) fn kept(&self) -> &StateSet {
        &self.inner.explored.kept
    }

    /// The layout of packed states.
    pub(crate) fn layout(&self) -> &Layout {
        &self.inner.explored.layout
    }

    /// The slots in sets of which none depends on another: slots that cooperate are in one set, and those
    /// that lumping exchanges.
    pub(crate) fn sets_of_slots(&self) -> DisjointSets {
        let mut sets = DisjointSets::new(self.slots().len());
        self.inner.compiled.join_cooperating(&mut sets);
        for (number, slot) in self.slots().iter().enumerate() {
            for other in self.equivalent_positions(slot.positions[0] as usize) {
                sets.join(number, self.slot_of(other as usize));
            }
        }
        sets
    }

    /// The number of the slot of a position.
    pub(crate) fn slot_of(&self, position: usize) -> usize {
        self.inner.explored.layout.slot_of(position) as usize
    }

    /// Calls `found` with the number of each state, in ascending order, that has the given local states at
    /// some positions.
    pub(crate) fn for_each_matching(&self, wanted: &[(usize, u32)], mut found: impl FnMut(usize)) {
        let layout = &self.inner.explored.layout;
        self.for_each_packed(|state, packed| {
            if wanted.iter().all(|&(position, local)| layout.local(packed, position) == local) {
                found(state);
            }
        });
    }

    /// Calls `found` with each state in ascending order: its number and its packed form.
    pub(crate) fn for_each_packed(&self, found: impl FnMut(usize, &[u64])) {
        let Ok(()) = self.for_each_packed_unless(|| Ok::<(), Infallible>(()), found);
    }

    /// The same, but calls `pause` at intervals, which may end the enumeration.
    pub(crate) fn for_each_packed_unless<E>(
        &self,
        mut pause: impl FnMut() -> Result<(), E>,
        mut found: impl FnMut(usize, &[u64]),
    ) -> Result<(), E> {
        let mut look = |state: usize| if state.is_multiple_of(BETWEEN_LOOKS) { pause() } else { Ok(()) };
        match &self.inner.explored.kept {
            StateSet::Explicit(explicit) => (0..self.states()).try_for_each(|state| {
                look(state)?;
                found(state, explicit.store.get(state));
                Ok(())
            }),
            StateSet::Bitset(bitset) => {
                let mut walk = bitset.walk(0);
                (0..self.states()).try_for_each(|state| {
                    look(state)?;
                    found(state, &[walk.next().1]);
                    Ok(())
                })
            }
        }
    }

    /// Whether the states answer a question: no two parts of the model that it tells apart were exchanged by
    /// lumping.
    ///
    /// # Examples
    /// ```
    /// use skel_core::model::{Model, Position};
    /// use skel_solve::{Explore, space::ToldApart};
    /// let space = Model::from_text("P = (go, 1).Q; Q = (back, 2).P; P[10]")?.explorer().lumped().explore()?;
    /// assert!(!space.keeps(&ToldApart::default().position(Position::at(0))));
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn keeps(&self, told_apart: &ToldApart) -> bool {
        let Explored { lumping, numbers, .. } = &*self.inner.explored;
        lumping.as_ref().is_none_or(|lumping| lumping.keeps(told_apart, self.model(), numbers))
    }

    /// The positions that are equivalent to this one, itself included. Without lumping there is no other.
    pub(crate) fn equivalent_positions(&self, position: usize) -> Vec<u32> {
        match &self.inner.explored.lumping {
            Some(lumping) => lumping.equivalent_positions(position).to_vec(),
            None => vec![position as u32],
        }
    }

    /// The number of a state, if it is reachable.
    ///
    /// # Examples
    /// ```
    /// use skel_core::model::Model;
    /// use skel_solve::Explore;
    /// let space = Model::from_text("P = (go, 1).Q; Q = (back, 2).P; P <go, back> P")?.explore()?;
    /// let [p, q] = ["P", "Q"].map(|name| space.model().local_state_named(name).unwrap());
    /// assert_eq!(space.number_of(&[q, q]), Some(1));
    /// assert_eq!(space.number_of(&[p, q]), None);
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    #[must_use]
    pub fn number_of(&self, state: &[LocalStateId]) -> Option<usize> {
        if state.len() != self.model().positions() {
            return None;
        }
        let number = |(position, &local): (usize, &LocalStateId)| self.local_number(position, local);
        let locals: Vec<u32> = state.iter().enumerate().map(number).collect::<Option<_>>()?;
        let mut packed = self.inner.explored.layout.pack(&locals);
        if let Some(lumping) = &self.inner.explored.lumping {
            lumping.canonicalise(&mut packed, &mut SortBuffer::default());
        }
        self.find_packed(&packed).map(|number| number as usize)
    }

    /// The number of a packed state, if it is reachable.
    pub(crate) fn find_packed(&self, packed: &[u64]) -> Option<u32> {
        match &self.inner.explored.kept {
            StateSet::Explicit(explicit) => explicit.store.find(packed),
            StateSet::Bitset(bitset) => bitset.find(packed[0]),
        }
    }

    /// A state as text, as in the model.
    ///
    /// # Panics
    /// If there is no state of that number.
    #[must_use]
    pub fn display_state(&self, number: usize) -> String {
        self.model().display_state(&self.state(number))
    }

    /// The transitions that leave a state, as action, rate and target, sorted by target and then by action.
    ///
    /// # Panics
    /// If there is no state of that number.
    ///
    /// # Examples
    /// ```
    /// use skel_core::model::Model;
    /// use skel_solve::Explore;
    /// let space = Model::from_text("P = (go, 1).Q; Q = (back, 2).P; P || P")?.explore()?;
    /// let back = space.model().action_named("back").unwrap();
    /// let of_both: Vec<_> = space.transitions_from(3).collect();
    /// assert_eq!(of_both, [(back, 2.0, 1), (back, 2.0, 2)]);
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    pub fn transitions_from(&self, number: usize) -> impl ExactSizeIterator<Item = (ActionId, f64, usize)> {
        assert!(number < self.states(), "there is no state {number} among {}", self.states());
        let row = self.row(number);
        row.into_iter().map(|Labelled { target, action, rate }| (action, rate, target as usize))
    }

    /// The graph of states: for each state the targets of its transitions.
    #[must_use]
    pub fn adjacency(&self) -> Adjacency {
        let mut graph = Adjacency::with_capacity(self.states(), self.transitions());
        let without_end = || Ok::<(), Infallible>(());
        let Ok(()) = self.untyped().for_each_row::<f64, _>(without_end, |_, row| {
            graph.push(row.iter().map(|transition| transition.target));
            Ok(())
        });
        graph
    }
}
