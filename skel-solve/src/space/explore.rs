//! Explores a state space within limits, and chooses how the states are stored.
//!
//! Every exploration begins with a [list](crate::space::explicit). A [bitset](crate::space::bitset::explore)
//! has a bit for each combination of local states. When the list has become as large as the bitset would be,
//! and the model allows for a bitset, the exploration continues with the bitset. So the states never take
//! more than twice the memory of the better choice. A small bitset is tried earlier: if it shows many states,
//! it is kept.

use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use skel_core::model::handle::Modelled;
use skel_core::model::{ActionId, Model};
use skel_core::semantics::NotWellDefined;

use crate::error::{Error, IllDefinedState, Reached, Stopped};
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limit, Limits, Watch};
use crate::space::bitset::explore::{explore_into_bitset, explore_row_by_row};
use crate::space::bitset::explored::{ExplorationProgress, ExploredBitset};
use crate::space::bitset::first_moves::slots_by_first_move;
use crate::space::bitset::{Bitset, Product, digit_order};
use crate::space::expand::Plan;
use crate::space::explicit::{Explicit, Halt};
use crate::space::labels::Labels;
use crate::space::trace::steps_to;
use crate::space::{Explored, Inner, StateSet, StateSpace};
use crate::state::layout::Layout;
use crate::state::local_numbers::LocalNumbers;
use crate::symmetry::lumping::Lumping;
use crate::symmetry::sorted::SortBuffer;
use crate::symmetry::told_apart::ToldApart;
use crate::transition::compile::{Compiled, ImmediateActions};

/// Options of an exploration.
///
/// # Examples
/// ```
/// use skel_solve::{Explore, space::{Options, Storage}};
/// let model = skel_core::text::parse("P = (go, 1).Q; Q = (back, 2).P; P[10]").into_model().unwrap();
/// let options = Options { storage: Storage::Bitset, ..Options::default() };
/// let space = model.explorer().options(&options).explore().unwrap();
/// assert_eq!((space.states(), space.storage()), (1024, Storage::Bitset));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether states that differ only by an exchange of interchangeable parts are lumped into one; see
    /// [`Explorer::lumped`].
    pub is_lumped: bool,
    /// Whether lumping leaves alone the components that a result line of the model tells apart. Then
    /// [`SteadyState::results`](crate::measure::Probabilities::results) always has an answer.
    pub keeps_results: bool,
    /// What else lumping leaves alone; see [`Explorer::telling_apart`].
    pub told_apart: ToldApart,
    /// How the states are stored.
    pub storage: Storage,
}

/// How the states of a space are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    /// Chooses whichever takes less memory.
    #[default]
    Automatic,
    /// A list of the states and of their transitions. It takes 8 bytes for every 64 bits of local states,
    /// about 14 more for each state, and 6 for each transition, or 4 where actions and rates are computed
    /// again because more than 65,536 of them differ. States are numbered breadth first from the initial one.
    Explicit,
    /// A bit for each combination of local states, and no memory for transitions. States are numbered in the
    /// order of the combinations; the initial state is the first. A bitset is possible where every action
    /// involves few components, where the combinations fit into memory, and without lumping. The states of
    /// other models are stored as a list.
    Bitset,
}

/// Explores the state space of anything that has a model.
pub trait Explore: Modelled {
    /// Explores all reachable states within the default [`Limits`].
    ///
    /// # Errors
    /// A rate is not positive, an activity of some state has no well-defined rate, or a limit was reached.
    fn explore(&self) -> Result<StateSpace<Self>, Error> {
        self.explorer().explore()
    }

    /// Begins an exploration with other options: lumping, other limits, or another way to store the states.
    ///
    /// # Examples
    /// ```
    /// use skel_core::model::Model;
    /// use skel_solve::{Explore, Limits};
    /// let model = Model::from_text("P = (go, 1).Q; Q = (back, 2).P; P[10]")?;
    /// let limits = Limits { states: 100, ..Limits::default() };
    /// assert!(model.explorer().limits(&limits).explore().is_err());
    /// let lumped = model.explorer().limits(&limits).lumped().explore()?;
    /// assert_eq!((lumped.states(), lumped.lumping().unwrap().states()), (11, Some(1024)));
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    fn explorer(&self) -> Explorer<'_, Self> {
        Explorer {
            model: self,
            limits: Limits::default(),
            options: Options::default(),
            immediate: Vec::new(),
            run: explore,
        }
    }
}

impl<M: Modelled + ?Sized> Explore for M {}

type Run = fn(Model, &Limits, &Options, ImmediateActions) -> Result<Inner, Error>;

/// An exploration of the model `M` that has not started yet. Set the options that differ, then call
/// [`Explorer::explore`].
#[must_use]
pub struct Explorer<'m, M: ?Sized> {
    model: &'m M,
    limits: Limits,
    options: Options,
    immediate: Vec<ActionId>,
    /// The function that explores. A program that never asks for lumping need not compile it.
    run: Run,
}

impl<M: Modelled + ?Sized> Explorer<'_, M> {
    /// Sets the limits of the exploration.
    pub fn limits(mut self, limits: &Limits) -> Self {
        self.limits = limits.clone();
        self
    }

    /// Lumps the states that differ only by an exchange of interchangeable parts, such as copies in an array
    /// or workers of a farm: one state represents them all.
    ///
    /// Throughputs, utilisations and populations are the same as without lumping, and there may be far fewer
    /// states. Equivalent actions are counted under the first of them, and [`StateSpace::state`] shows one
    /// arrangement of the components. Recurrent classes that differ only by such an exchange become one, so
    /// there may be fewer of them. A model without interchangeable parts is explored without lumping; see
    /// [`StateSpace::lumping`].
    #[cfg_attr(debug_assertions, inline)]
    pub fn lumped(mut self) -> Self {
        self.options.is_lumped = true;
        self.run = explore_lumped;
        self
    }

    /// Leaves out the exchanges of what a question tells apart, where states are lumped. The other parts are
    /// lumped all the same.
    ///
    /// # Examples
    /// See [`ToldApart`].
    pub fn telling_apart(mut self, told_apart: &ToldApart) -> Self {
        self.options.told_apart = told_apart.clone();
        self
    }

    /// Makes actions immediate: their rates are weights, and the space has only the states in which none of
    /// them is possible. See [`vanishing`](crate::space::vanishing). The states are stored as a list.
    ///
    /// The exploration panics if immediate actions can follow one another for ever.
    pub(crate) fn immediate(mut self, actions: impl IntoIterator<Item = ActionId>) -> Self {
        self.immediate = actions.into_iter().collect();
        self
    }

    /// Sets how the states are stored.
    pub fn storage(mut self, storage: Storage) -> Self {
        self.options.storage = storage;
        self
    }

    /// Sets all options at once, in place of what was set before, such as that states are lumped.
    #[cfg_attr(debug_assertions, inline)]
    pub fn options(mut self, options: &Options) -> Self {
        self.run = if options.is_lumped { explore_lumped } else { explore };
        self.options = options.clone();
        self
    }

    /// Explores all reachable states. The time grows with the number of transitions; [`Storage`] tells how
    /// much memory is used.
    ///
    /// # Errors
    /// A rate is not positive, an activity of some state has no well-defined rate, or a limit was reached.
    pub fn explore(self) -> Result<StateSpace<M>, Error> {
        let immediate = ImmediateActions::new(self.immediate);
        let inner = (self.run)(self.model.build()?, &self.limits, &self.options, immediate)?;
        Ok(StateSpace { inner: Arc::new(inner), model: PhantomData })
    }
}

impl StateSpace {
    /// What a model reaches, with its present rates, while only some slots move, which cooperate with none of
    /// the others. These stay as they are at first. The states are stored as a list.
    pub(crate) fn of_slots(
        &self,
        is_kept: &dyn Fn(u32) -> bool,
        limits: &Limits,
        watch: &mut Watch<'_>,
    ) -> Result<StateSpace, Error> {
        let Explored { layout, numbers, lumping, immediate, .. } = &*self.inner.explored;
        let compiled = Compiled::of_slots(is_kept, self.model(), numbers, layout, immediate);
        let (model, lumped) = (self.model().clone(), (layout.clone(), lumping.clone()));
        let (numbers, immediate) = (numbers.clone(), immediate.clone());
        let search = Search::of_compiled(model, numbers, lumped, compiled, immediate, limits);
        let inner = search.run(Storage::Explicit, watch)?;
        Ok(StateSpace { inner: Arc::new(inner), model: PhantomData })
    }
}

/// The number of states from which on the way of storing them is chosen.
const MANY_STATES: usize = 1 << 16;

/// From this number of states on, rows of bits are to show whether there will be many. They take a few
/// milliseconds, where a list of so many takes some twenty.
const FEW_STATES: usize = 1 << 12;

/// The most bytes of these bits.
const FEW_BYTES: u64 = 1 << 20;

fn explore(
    model: Model,
    limits: &Limits,
    options: &Options,
    immediate: ImmediateActions,
) -> Result<Inner, Error> {
    let mut watch = Watch::start(limits);
    let numbers = LocalNumbers::new(&model);
    let layout = Layout::new(&model, &[]);
    Search::new(model, numbers, (layout, None), immediate, limits).run(options.storage, &mut watch)
}

#[cfg_attr(debug_assertions, inline)]
fn explore_lumped(
    model: Model,
    limits: &Limits,
    options: &Options,
    immediate: ImmediateActions,
) -> Result<Inner, Error> {
    let mut watch = Watch::start(limits);
    let numbers = LocalNumbers::new(&model);
    let is_alike = |lumping: &Lumping, action| {
        immediate.contain(action) == immediate.contain(lumping.representative(action))
    };
    let keeps_immediate = |lumping: &Lumping| model.actions().all(|(action, _)| is_alike(lumping, action));
    let mut told_apart = options.told_apart.clone();
    if options.keeps_results {
        told_apart = model.results().iter().fold(told_apart, |told, line| told.pattern(&line.pattern));
    }
    let found = Lumping::find(&model, &numbers, &told_apart);
    let lumped = match found.filter(|(lumping, _)| keeps_immediate(lumping)) {
        Some((lumping, layout)) => (layout, Some(lumping)),
        None => (Layout::new(&model, &[]), None),
    };
    Search::new(model, numbers, lumped, immediate, limits).run(options.storage, &mut watch)
}

/// How the states are to be stored, as far as that is known before there are any.
struct Choice {
    /// What was asked for, or a list where bits are not possible.
    storage: Storage,
    /// The bytes of a bitset, and those that are allowed.
    bytes: u64,
    most: u64,
    /// Whether there are many combinations, and as many states are allowed.
    may_be_many: bool,
}

impl Choice {
    fn of(plan: &Plan, storage: Storage, limits: &Limits) -> Choice {
        let can_be_bitset = plan.lumping.is_none()
            && plan.layout.words() == 1
            && plan.compiled.is_tabulated()
            && !plan.compiled.has_immediate();
        let product = Product::new(&plan.layout, 0..plan.layout.slots().len());
        let combinations = product.map(|product| product.combinations());
        Choice {
            storage: if can_be_bitset { storage } else { Storage::Explicit },
            bytes: combinations.map_or(u64::MAX, Bitset::bytes),
            most: MemoryBudget::new(limits).left(),
            may_be_many: combinations
                .is_some_and(|combinations| combinations.min(limits.states) >= MANY_STATES as u64),
        }
    }

    /// Whether the exploration of a list ends here, to go on with bits or, where that may still be tried, to
    /// see whether there are many states.
    fn leaves(&self, list: &Explicit, may_try: bool) -> bool {
        let Choice { storage, bytes, most, may_be_many } = *self;
        match (storage, list.store.len()) {
            (Storage::Explicit, _) => false,
            (Storage::Bitset, _) => bytes <= most,
            (Storage::Automatic, MANY_STATES..) => bytes <= list.memory_without_labels().min(most / 4),
            (Storage::Automatic, FEW_STATES..) => may_try && may_be_many && bytes <= FEW_BYTES.min(most / 4),
            (Storage::Automatic, _) => false,
        }
    }

    /// Whether it is not known yet that there are many states.
    fn is_open(&self, list: &Explicit) -> bool {
        self.storage == Storage::Automatic && list.store.len() < MANY_STATES
    }
}

/// An exploration in progress.
struct Search<'l> {
    model: Model,
    numbers: LocalNumbers,
    plan: Plan,
    immediate: ImmediateActions,
    limits: &'l Limits,
}

impl<'l> Search<'l> {
    fn new(
        model: Model,
        numbers: LocalNumbers,
        (layout, lumping): (Layout, Option<Lumping>),
        immediate: ImmediateActions,
        limits: &'l Limits,
    ) -> Self {
        let compiled = Compiled::new(&model, &numbers, &layout, &immediate);
        Search::of_compiled(model, numbers, (layout, lumping), compiled, immediate, limits)
    }

    /// The same for a model that is compiled, or some slots of it.
    fn of_compiled(
        model: Model,
        numbers: LocalNumbers,
        (layout, lumping): (Layout, Option<Lumping>),
        compiled: Compiled<f64>,
        immediate: ImmediateActions,
        limits: &'l Limits,
    ) -> Self {
        let may_repeat = compiled.may_repeat_anywhere();
        let plan = Plan { layout, compiled, lumping, starts_vanishing: false, may_repeat };
        Search { model, numbers, plan, immediate, limits }
    }

    fn run(mut self, storage: Storage, watch: &mut Watch<'_>) -> Result<Inner, Error> {
        let choice = Choice::of(&self.plan, storage, self.limits);
        let initial = self.initial_state();
        self.plan.starts_vanishing = self.plan.compiled.is_vanishing(&initial);
        let mut explicit = Explicit::new(&initial, Labels::of(&self.plan.compiled));
        if self.limits.states == 0 {
            return Err(self.stopped(Limit::States(0), &progress_of(&explicit)));
        }
        let mut outcome =
            explicit.explore(&mut self.plan, self.limits, watch, |list| choice.leaves(list, true));
        if matches!(outcome, Err(Halt::Left)) && choice.is_open(&explicit) {
            if let Some(explored) = self.many_row_by_row(&explicit, watch)? {
                return Ok(self.finished_in_bits(explored, watch));
            }
            outcome = explicit.explore(&mut self.plan, self.limits, watch, |list| choice.leaves(list, false));
        }
        match outcome {
            Ok(()) => {
                let (states, transitions) = (explicit.store.len(), explicit.transitions);
                Ok(self.finished(StateSet::Explicit(explicit), states, transitions, watch))
            }
            Err(Halt::Left) => self.continue_in_bitset(explicit, watch),
            Err(Halt::Limit(limit)) => Err(self.stopped(limit, &progress_of(&explicit))),
            Err(Halt::NotWellDefined(state, problem)) => Err(self.ill_defined(state, problem, &explicit)),
        }
    }

    fn continue_in_bitset(mut self, explicit: Explicit, watch: &mut Watch<'_>) -> Result<Inner, Error> {
        let Some(product) = self.product(&explicit) else { return self.run(Storage::Explicit, watch) };
        match explore_into_bitset(explicit, product, &mut self.plan.compiled, self.limits, watch) {
            Ok(explored) => Ok(self.finished_in_bits(explored, watch)),
            Err((Halt::Limit(limit), progress)) => Err(self.stopped(limit, &progress)),
            Err(_) => self.run(Storage::Explicit, watch),
        }
    }

    /// Goes on row by row from a list that shows in which order slots begin to move. `None` if rows do not
    /// suit the model, or if there are few states.
    fn many_row_by_row(
        &mut self,
        explicit: &Explicit,
        watch: &mut Watch<'_>,
    ) -> Result<Option<ExploredBitset>, Error> {
        let Some(product) = self.product(explicit) else { return Ok(None) };
        match explore_row_by_row(explicit, &product, &self.plan.compiled, self.limits, watch) {
            Some(Ok(explored)) if explored.bitset.states() >= MANY_STATES => {
                self.plan.compiled.set_strides(product.strides());
                Ok(Some(explored))
            }
            Some(Err((Halt::Limit(limit), progress))) => Err(self.stopped(limit, &progress)),
            _ => Ok(None),
        }
    }

    /// The combinations of local states, whose digits are in an order that suits solvers; `None` if they are
    /// too many.
    fn product(&self, explicit: &Explicit) -> Option<Product> {
        let Plan { layout, compiled, .. } = &self.plan;
        let mut slots = slots_by_first_move(explicit, layout, compiled);
        digit_order::sort(&mut slots, layout, compiled);
        Product::new(layout, slots.into_iter())
    }

    /// The initial state, in canonical form if states are lumped.
    fn initial_state(&self) -> Vec<u64> {
        let mut state = self.plan.layout.pack(&vec![0; self.model.positions()]);
        if let Some(lumping) = &self.plan.lumping {
            lumping.canonicalise(&mut state, &mut SortBuffer::default());
        }
        state
    }

    fn finished_in_bits(self, explored: ExploredBitset, watch: &Watch<'_>) -> Inner {
        let ExploredBitset { bitset, transitions } = explored;
        let states = bitset.states();
        self.finished(StateSet::Bitset(bitset), states, transitions, watch)
    }

    fn finished(self, kept: StateSet, states: usize, transitions: u64, watch: &Watch<'_>) -> Inner {
        let Search { model, numbers, plan, immediate, .. } = self;
        let Plan { layout, compiled, lumping, starts_vanishing, may_repeat: _ } = plan;
        let explored = Explored {
            layout,
            numbers,
            lumping,
            immediate,
            starts_vanishing,
            kept,
            states,
            transitions: transitions as usize,
            explored_in: watch.elapsed(),
        };
        Inner {
            model,
            compiled,
            has_explored_rates: true,
            labelled_again: OnceLock::new(),
            explored: Arc::new(explored),
        }
    }

    fn stopped(&self, limit: Limit, progress: &ExplorationProgress) -> Error {
        let unlumped = self.plan.lumping.as_ref().and_then(Lumping::states);
        let ExplorationProgress { states, transitions, waiting } = *progress;
        Error::Stopped(Stopped {
            limit,
            reached: Reached::Exploring { states, transitions, waiting, unlumped },
        })
    }

    /// The error for a state with an activity without a well-defined rate, with the path to the state.
    fn ill_defined(&self, state: usize, problem: NotWellDefined, explicit: &Explicit) -> Error {
        let (path, packed) = match self.plan.compiled.has_immediate() {
            true => self.run_to_refusal(),
            false => (explicit.path_to(&self.plan, state), explicit.store.get(state).to_vec()),
        };
        let local = |position| {
            let component = self.model.component_at(skel_core::model::Position::at(position));
            self.numbers.in_order(component)[self.plan.layout.local(&packed, position) as usize]
        };
        let locals: Vec<_> = (0..self.model.positions()).map(local).collect();
        let shown = skel_core::model::brief::brief_state(&self.model, &locals);
        Error::NotWellDefined(IllDefinedState::new(&self.model, problem, &path, &shown))
    }

    /// A shortest run to a state that has an activity without a well-defined rate, which may be a vanishing
    /// one.
    #[cfg_attr(debug_assertions, inline)]
    fn run_to_refusal(&self) -> (Vec<ActionId>, Vec<u64>) {
        let initial = self.initial_state();
        let steps = steps_to(None, &initial, &self.plan.compiled, self.plan.lumping.as_ref());
        let reached = steps.last().map_or(initial, |(_, state)| state.clone());
        (steps.into_iter().map(|(action, _)| action).collect(), reached)
    }
}

fn progress_of(explicit: &Explicit) -> ExplorationProgress {
    let states = explicit.store.len() as u64;
    ExplorationProgress {
        states,
        transitions: explicit.transitions,
        waiting: states - explicit.expanded() as u64,
    }
}

/// The states of a model, stored in one way.
#[cfg(test)]
pub(crate) fn explored(text: &str, storage: Storage) -> StateSpace {
    let model = skel_core::text::parse(text).into_model().expect("a model");
    let options = Options { storage, ..Options::default() };
    model.explorer().options(&options).explore().expect("a space").untyped()
}
