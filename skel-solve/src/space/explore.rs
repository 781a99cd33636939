//! Exploration within limits, and in which form the states are kept.
//!
//! Every exploration begins with a [list](super::listed). When the list has become as large as the [bits](super::spread) of all
//! combinations of local states would be, and the model allows for those, it goes on in them: so neither form is ever
//! more than twice as large as the other would have been.

use std::marker::PhantomData;
use std::sync::Arc;

use skel_core::handle::Modelled;
use skel_core::model::{ActionId, Model};
use skel_core::semantics::NotWellDefined;

use super::compile::Compiled;
use super::expand::Plan;
use super::layout::Layout;
use super::listed::{Halt, Listed};
use super::locals::LocalNumbers;
use super::lumping::{Blocks, Lumping};
use super::ranked::{Product, Ranked};
use super::spread::{Reach, spread};
use super::{Explored, Inner, Kept, StateSpace};
use crate::error::{Error, IllDefinedState, Reached, Stopped};
use crate::limits::{Limit, Limits, Watch};

/// How to explore.
///
/// # Examples
/// ```
/// use skel_solve::{Explore, Limits, space::{Options, Storage}};
/// let model = skel_core::text::parse("P = (go, 1).Q; Q = (back, 2).P; P[10]").into_model().unwrap();
/// let options = Options { storage: Storage::Ranked, ..Options::default() };
/// let space = model.explore_with(&Limits::default(), &options).unwrap();
/// assert_eq!((space.states(), space.storage()), (1024, Storage::Ranked));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether one state is to stand for all that differ only in which of several interchangeable parts is in which
    /// local state; see [`Explore::explore_lumped`].
    pub is_lumped: bool,
    /// Whether nothing is lumped, even if it was to be, where a result line of the model tells apart what would be: so that
    /// [`SteadyState::results`](crate::SteadyState::results) has an answer.
    pub keeps_results: bool,
    /// The form in which the states are kept.
    pub storage: Storage,
}

/// The form in which states are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    /// Whichever takes less memory.
    #[default]
    Automatic,
    /// A list of the states and of the targets of their transitions: 8 bytes for every 64 bits of local states, about 14
    /// more for a state, and 4 for a transition. States are numbered breadth first from the initial one.
    Listed,
    /// A bit for each combination of local states, and nothing for a transition. States are numbered in the order of
    /// the combinations, of which the initial state is the first. For models whose actions each concern few components, whose
    /// combinations can be afforded, and without lumping; for others states are listed.
    Ranked,
}

/// Exploring, for everything that stands for a model.
pub trait Explore: Modelled {
    /// All reachable states, within the default [`Limits`].
    ///
    /// # Errors
    /// A rate that is not positive, a state without rates, or a limit.
    fn explore(&self) -> Result<StateSpace<Self>, Error> {
        self.explore_within(&Limits::default())
    }

    /// All reachable states, within limits. Time grows with the transitions, memory as [`Storage`] says.
    ///
    /// # Errors
    /// As [`Explore::explore`].
    fn explore_within(&self, limits: &Limits) -> Result<StateSpace<Self>, Error> {
        // Not by `explore_with`, which would have lumping compiled for everyone.
        Ok(space_of(explore(self.build()?, limits, Storage::Automatic)?))
    }

    /// As [`Explore::explore`], with one state for all that differ only in which of several interchangeable parts,
    /// copies of an array or workers of a farm, is in which local state.
    ///
    /// Throughputs, utilisations and populations are the same as without lumping, while there may be many
    /// fewer states. Equivalent actions count under the first of them, and a state's components are those of one
    /// arrangement. Recurrent classes that differ only in such an exchange are one, so there may be fewer of them than
    /// without lumping. Where nothing is interchangeable, nothing is lumped; see [`StateSpace::lumping`].
    ///
    /// # Errors
    /// As [`Explore::explore`].
    fn explore_lumped(&self) -> Result<StateSpace<Self>, Error> {
        self.explore_lumped_within(&Limits::default())
    }

    /// As [`Explore::explore_lumped`], within limits.
    ///
    /// # Errors
    /// As [`Explore::explore`].
    fn explore_lumped_within(&self, limits: &Limits) -> Result<StateSpace<Self>, Error> {
        self.explore_with(limits, &Options { is_lumped: true, ..Options::default() })
    }

    /// All reachable states, within limits and with options.
    ///
    /// # Errors
    /// As [`Explore::explore`].
    fn explore_with(&self, limits: &Limits, options: &Options) -> Result<StateSpace<Self>, Error> {
        let model = self.build()?;
        Ok(space_of(match options.is_lumped {
            true => explore_lumped(model, limits, options)?,
            false => explore(model, limits, options.storage)?,
        }))
    }
}

impl<M: Modelled + ?Sized> Explore for M {}

/// From so many states on it is asked in which form they are kept best.
const MANY_STATES: usize = 1 << 16;

fn space_of<M: ?Sized>(inner: Inner) -> StateSpace<M> {
    StateSpace { inner: Arc::new(inner), model: PhantomData }
}

fn explore(model: Model, limits: &Limits, storage: Storage) -> Result<Inner, Error> {
    let mut watch = Watch::start(limits);
    let numbers = LocalNumbers::of(&model);
    let layout = Layout::of(&model, &[]);
    Search::of(model, numbers, layout, None, limits).run(storage, &mut watch)
}

#[inline]
fn explore_lumped(model: Model, limits: &Limits, options: &Options) -> Result<Inner, Error> {
    let mut watch = Watch::start(limits);
    let numbers = LocalNumbers::of(&model);
    let is_wanted = |lumping: &Lumping| !options.keeps_results || lumping.keeps_results(&model);
    let (lumping, layout) = match Lumping::of(&model, &numbers).filter(|(lumping, _)| is_wanted(lumping)) {
        Some((lumping, layout)) => (Some(lumping), layout),
        None => (None, Layout::of(&model, &[])),
    };
    Search::of(model, numbers, layout, lumping, limits).run(options.storage, &mut watch)
}

/// An exploration.
struct Search<'l> {
    model: Model,
    numbers: LocalNumbers,
    plan: Plan,
    limits: &'l Limits,
}

impl<'l> Search<'l> {
    fn of(
        model: Model,
        numbers: LocalNumbers,
        layout: Layout,
        lumping: Option<Lumping>,
        limits: &'l Limits,
    ) -> Self {
        let compiled = Compiled::of(&model, &numbers, &layout);
        Search { model, numbers, plan: Plan { layout, compiled, lumping }, limits }
    }

    fn run(mut self, storage: Storage, watch: &mut Watch<'_>) -> Result<Inner, Error> {
        let can_be_ranked =
            self.plan.lumping.is_none() && self.plan.layout.words() == 1 && self.plan.compiled.is_tabulated();
        let storage = if can_be_ranked { storage } else { Storage::Listed };
        let as_they_are = vec![0; self.plan.layout.slots().len()];
        let product = Product::of(&self.plan.layout, &as_they_are);
        let combinations = product.map(|product| product.combinations());
        let bytes = combinations.map_or(u64::MAX, Ranked::bytes);
        let is_to_leave = |listed: &Listed| match storage {
            Storage::Listed => false,
            Storage::Ranked => bytes <= self.limits.memory,
            Storage::Automatic => {
                listed.store.len() >= MANY_STATES && bytes <= listed.memory().min(self.limits.memory / 4)
            }
        };
        let mut listed = Listed::new(&self.initial_state());
        if self.limits.states == 0 {
            return Err(self.stopped(Limit::States(0), &reach(&listed)));
        }
        let outcome = listed.explore(&mut self.plan, self.limits, watch, is_to_leave);
        match outcome {
            Ok(()) => {
                let (states, transitions) = (listed.store.len(), listed.transitions);
                Ok(self.finished(Kept::Listed(listed), states, transitions, watch))
            }
            Err(Halt::Left) => self.go_on_ranked(listed, watch),
            Err(Halt::Limit(limit)) => Err(self.stopped(limit, &reach(&listed))),
            Err(Halt::NotWellDefined(state, problem)) => Err(self.ill_defined(state, problem, &listed)),
        }
    }

    fn go_on_ranked(mut self, listed: Listed, watch: &mut Watch<'_>) -> Result<Inner, Error> {
        let moved = self.first_moves(&listed);
        let Some(product) = Product::of(&self.plan.layout, &moved) else {
            return self.run(Storage::Listed, watch);
        };
        match spread(listed, product, &mut self.plan.compiled, self.limits, watch) {
            Ok(spread) => {
                let states = spread.ranked.states();
                Ok(self.finished(Kept::Ranked(spread.ranked), states, spread.transitions, watch))
            }
            Err((Halt::Limit(limit), reach)) => Err(self.stopped(limit, &reach)),
            Err(_) => self.run(Storage::Listed, watch),
        }
    }

    /// Per slot the first state in which it has moved.
    fn first_moves(&self, listed: &Listed) -> Vec<usize> {
        let layout = &self.plan.layout;
        let has_moved = |slot: usize, state: usize| {
            let field = layout.field(layout.slots()[slot].fields().start);
            field.get(listed.store.get(state)) != 0
        };
        let first =
            |slot| (0..listed.store.len()).find(|&state| has_moved(slot, state)).unwrap_or(usize::MAX);
        (0..layout.slots().len()).map(first).collect()
    }

    /// The initial state, as it is kept.
    fn initial_state(&self) -> Vec<u64> {
        let mut state = self.plan.layout.pack(&vec![0; self.model.positions()]);
        if let Some(lumping) = &self.plan.lumping {
            lumping.canonise(&mut state, &mut Blocks::default());
        }
        state
    }

    fn finished(self, kept: Kept, states: usize, transitions: u64, watch: &Watch<'_>) -> Inner {
        let Search { model, numbers, plan, .. } = self;
        let Plan { layout, compiled, lumping } = plan;
        let transitions = transitions as usize;
        let explored_in = watch.elapsed();
        let explored = Explored { layout, numbers, lumping, kept, states, transitions, explored_in };
        Inner { model, compiled, explored: Arc::new(explored) }
    }

    fn stopped(&self, limit: Limit, reach: &Reach) -> Error {
        let unlumped = self.plan.lumping.as_ref().and_then(Lumping::states);
        let Reach { states, transitions, waiting } = *reach;
        Error::Stopped(Stopped {
            limit,
            reached: Reached::Exploring { states, transitions, waiting, unlumped },
        })
    }

    /// The way to a state without rates, over what has been explored so far.
    fn ill_defined(&self, state: usize, problem: NotWellDefined, listed: &Listed) -> Error {
        let path: Vec<ActionId> = listed.path_to(&self.plan, state);
        let packed = listed.store.get(state);
        let local = |position| {
            let component = self.model.component_at(skel_core::model::Position::at(position));
            self.numbers.in_order(component)[self.plan.layout.local(packed, position) as usize]
        };
        let locals: Vec<_> = (0..self.model.positions()).map(local).collect();
        let shown = skel_core::brief::brief_state(&self.model, &locals);
        Error::NotWellDefined(IllDefinedState::new(&self.model, problem, &path, &shown))
    }
}

fn reach(listed: &Listed) -> Reach {
    let states = listed.store.len() as u64;
    Reach { states, transitions: listed.transitions, waiting: states - listed.expanded() as u64 }
}
