//! The state space: all reachable states, packed, and all transitions, labelled.

mod compile;
mod explore;
mod form;
mod layout;
mod lumping;
mod path;
mod room;
mod solve;
mod store;
mod symmetry;

pub use explore::Explore;
pub use lumping::Lumping;

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use skel_core::graph::Adjacency;
use skel_core::handle::RateOf;
use skel_core::model::{ActionId, LocalStateId, Model, Position};
use skel_core::number::{Number, Ratio};

use compile::{Buffers, Compiled};
use layout::{Layout, LocalNumbers};
use lumping::Blocks;
use store::Store;

/// States between two looks at the limits, in passes over all of them.
pub(crate) const BETWEEN_PAUSES: usize = 1024;

/// All reachable states of a model and all transitions between them.
///
/// States are numbered in breadth-first order from the initial state, 0. Transitions of one state with the same
/// action and target are one, with the sum of their rates.
///
/// The type parameter is the model's type: handles of another model don't fit. Cloning is cheap.
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
    layout: Layout,
    numbers: LocalNumbers,
    store: Store,
    /// State `i` has the transitions `offsets[i]..offsets[i + 1]`, by target and then by action.
    offsets: Vec<usize>,
    targets: Vec<u32>,
    actions: Vec<u32>,
    rates: Vec<f64>,
    explored_in: Duration,
    /// How states were lumped, if they were.
    lumping: Option<Lumping>,
}

impl Inner {
    /// The bytes that states and transitions take.
    fn memory(&self) -> u64 {
        let per_transition = size_of::<u32>() * 2 + size_of::<f64>();
        let transitions = self.targets.capacity() * per_transition;
        self.store.memory() + (self.offsets.capacity() * size_of::<usize>() + transitions) as u64
    }
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
    /// The model, with the rates that were explored.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.inner.model
    }

    /// The value of a named rate, as it was explored.
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

    /// The same space for any model. Algorithms take it, so that they are compiled here and not once more for
    /// each of a user's models.
    pub(crate) fn untyped(&self) -> StateSpace {
        StateSpace { inner: Arc::clone(&self.inner), model: PhantomData }
    }

    /// How states were lumped; none where the space was not explored lumped, or nothing is interchangeable.
    #[must_use]
    pub fn lumping(&self) -> Option<&Lumping> {
        self.inner.lumping.as_ref()
    }

    /// The number of states.
    #[must_use]
    pub fn states(&self) -> usize {
        self.inner.offsets.len() - 1
    }

    /// The number of distinct transitions (state, action, state).
    #[must_use]
    pub fn transitions(&self) -> usize {
        self.inner.targets.len()
    }

    /// The bytes that states and transitions take.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.inner.memory()
    }

    /// How long the exploration took.
    #[must_use]
    pub fn explored_in(&self) -> Duration {
        self.inner.explored_in
    }

    /// A state: the local state at every position.
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
        let packed = self.inner.store.get(number);
        (0..self.model().positions()).map(|position| self.local(packed, position)).collect()
    }

    fn local(&self, packed: &[u64], position: usize) -> LocalStateId {
        let component = self.model().component_at(Position::at(position));
        self.inner.numbers.in_order(component)[self.inner.layout.get(packed, position) as usize]
    }

    /// The local state at one position of a state.
    ///
    /// # Panics
    /// If there is no such state or position.
    #[must_use]
    pub fn local_state_at(&self, number: usize, position: Position) -> LocalStateId {
        self.local(self.inner.store.get(number), position.index())
    }

    /// The number of a local state among those of a position, if its component has it.
    pub(crate) fn local_number(&self, position: usize, state: LocalStateId) -> Option<u32> {
        self.inner.numbers.get(self.model().component_at(Position::at(position)), state)
    }

    /// How many local states the component of a position has.
    pub(crate) fn local_count(&self, position: usize) -> usize {
        self.inner.numbers.in_order(self.model().component_at(Position::at(position))).len()
    }

    /// The number of the local state at a position of a state.
    pub(crate) fn local_number_at(&self, state: usize, position: usize) -> u32 {
        self.inner.layout.get(self.inner.store.get(state), position)
    }

    /// The positions that are equivalent to one, itself among them: it alone, where nothing is lumped.
    pub(crate) fn equivalent_positions(&self, position: usize) -> Vec<u32> {
        match &self.inner.lumping {
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
        let mut packed = vec![0; self.inner.layout.words()];
        if state.len() != self.model().positions() {
            return None;
        }
        for (position, &local) in state.iter().enumerate() {
            let component = self.model().component_at(Position::at(position));
            let number = self.inner.numbers.get(component, local)?;
            self.inner.layout.set(&mut packed, position, number);
        }
        if let Some(lumping) = &self.inner.lumping {
            lumping.canonise(&self.inner.layout, &mut packed, &mut Blocks::default());
        }
        self.inner.store.find(&packed).map(|number| number as usize)
    }

    /// A state as one writes it.
    ///
    /// # Panics
    /// If there is no state of that number.
    #[must_use]
    pub fn display_state(&self, number: usize) -> String {
        self.model().display_state(&self.state(number))
    }

    /// The transitions that leave a state: action, rate, target; by target and then by action.
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
        let inner = &self.inner;
        (inner.offsets[number]..inner.offsets[number + 1])
            .map(|at| (ActionId(inner.actions[at]), inner.rates[at], inner.targets[at] as usize))
    }

    /// Who follows whom.
    #[must_use]
    pub fn adjacency(&self) -> Adjacency {
        let mut graph = Adjacency::with_capacity(self.states(), self.transitions());
        for state in 0..self.states() {
            let row = self.inner.offsets[state]..self.inner.offsets[state + 1];
            graph.push(self.inner.targets[row].iter().copied());
        }
        graph
    }

    /// The rates of all transitions in another number type, in the order in which they are stored.
    /// Calls `pause` now and then, which may stop it.
    pub(crate) fn rates_in<N: Number, E>(
        &self,
        mut pause: impl FnMut() -> Result<(), E>,
    ) -> Result<Vec<N>, E> {
        let inner = &self.inner;
        let compiled = Compiled::<N>::of(&inner.model, &inner.numbers);
        let mut buffers = Buffers::new(&inner.layout);
        let mut rates = vec![N::zero(); self.transitions()];
        let (mut canonical, mut blocks) = (Vec::new(), Blocks::default());
        for state in 0..self.states() {
            if state.is_multiple_of(BETWEEN_PAUSES) {
                pause()?;
            }
            let row = inner.offsets[state]..inner.offsets[state + 1];
            let explored = "the state and its successors were explored before";
            compiled
                .for_each_transition(
                    &inner.layout,
                    inner.store.get(state),
                    &mut buffers,
                    |mut action, rate, target| {
                        canonical.clear();
                        canonical.extend_from_slice(target);
                        if let Some(lumping) = &inner.lumping {
                            lumping.canonise(&inner.layout, &mut canonical, &mut blocks);
                            action = lumping.representative(action);
                        }
                        let target = inner.store.find(&canonical).expect(explored);
                        let at = row
                            .clone()
                            .find(|&at| (inner.targets[at], inner.actions[at]) == (target, action.0))
                            .expect(explored);
                        rates[at] = rates[at].clone() + rate.clone();
                    },
                )
                .expect(explored);
        }
        Ok(rates)
    }

    /// The `f64` rates of all transitions, in the order in which they are stored.
    pub(crate) fn rates(&self) -> &[f64] {
        &self.inner.rates
    }

    /// The range of a state's transitions, in the order in which they are stored.
    pub(crate) fn row(&self, state: usize) -> std::ops::Range<usize> {
        self.inner.offsets[state]..self.inner.offsets[state + 1]
    }

    /// Action and target of a stored transition.
    pub(crate) fn transition(&self, at: usize) -> (ActionId, usize) {
        (ActionId(self.inner.actions[at]), self.inner.targets[at] as usize)
    }
}
