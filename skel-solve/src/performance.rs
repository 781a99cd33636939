//! The performance of a skeleton: what one asks of the structure of a parallel program.
//!
//! A skeleton with its rates is lowered to a PEPA model, the model is explored with interchangeable replicas
//! lumped, and the steady state answers, per task and per stage. The *throughput of the whole* is that of the last
//! stage's computations, summed over its replicas; in a pipe it equals the paper's T1, the throughput of the first
//! move. The *utilisation* of a task is the probability that it computes: its throughput divided by its rate.
//! The *bottleneck* is the task with the highest utilisation.

use std::marker::PhantomData;

use skel_core::model::{ActionId, Model};
use skel_core::number::{Number, Ratio};
use skel_core::skeleton::{Program, Replication, Skeleton, Stage, StageId, StageOf, System, Tree};

use crate::chain::{Classification, describe_classes};
use crate::error::{Error, NotIrreducible};
use crate::limits::{Limit, Limits};
use crate::space::{Explore, StateSpace};
use crate::steady::{Options, SteadyState, vanishing};

/// One task's part in a performance. Replicas of a worker are tasks of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskPerformance<N> {
    /// Its number, depth first from left to right.
    pub task: u32,
    /// Its node in the tree.
    pub stage: StageId,
    /// Its name, or `task`.
    pub name: String,
    /// The rate at which it computes on its processor, in items per unit of time.
    pub rate: Ratio,
    /// Items per unit of time that it completes.
    pub throughput: N,
    /// The probability that it computes.
    pub utilisation: N,
}

/// The performance of the skeleton `S`, in `f64` or in exact fractions.
///
/// # Examples
/// ```
/// use skel_core::{number::ratio, skeleton::{farm, pipe, task, Skeleton, Structured}};
/// use skel_solve::Perform;
///
/// let stages = pipe((task(1.0), farm(2, 1.0), task(1.0)));
/// let workers = stages.stage::<1>();
/// let performance = stages.communicating(1.0).performance_exact()?;
/// assert_eq!(*performance.throughput(), ratio(2676726, 6029579));
/// assert_eq!(performance.throughput_of(workers), ratio(2676726, 6029579));
/// assert_eq!(performance.utilisation_of(workers), ratio(1338363, 6029579));
/// # Ok::<(), skel_solve::Error>(())
/// ```
pub struct Performance<S: ?Sized, N> {
    system: System,
    tasks: Vec<TaskPerformance<N>>,
    throughput: N,
    steady_state: SteadyState<Model, N>,
    skeleton: PhantomData<fn() -> Box<S>>,
}

/// Asking for the performance of a skeleton with its rates.
pub trait Perform {
    /// The skeleton's type.
    type Skeleton;

    /// The performance in `f64`, within the default limits.
    ///
    /// # Errors
    /// What is wrong with the skeleton or its rates; a limit; a program that comes to a standstill.
    fn performance(&self) -> Result<Performance<Self::Skeleton, f64>, Error> {
        self.performance_within(&Limits::default(), &Options::default())
    }

    /// The performance in `f64`, within limits and with options.
    ///
    /// # Errors
    /// As [`Perform::performance`].
    fn performance_within(
        &self,
        limits: &Limits,
        options: &Options,
    ) -> Result<Performance<Self::Skeleton, f64>, Error>;

    /// The performance in exact fractions.
    ///
    /// # Errors
    /// As [`Perform::performance`].
    fn performance_exact(&self) -> Result<Performance<Self::Skeleton, Ratio>, Error> {
        self.performance_exact_within(&Limits::default())
    }

    /// The performance in exact fractions, within limits.
    ///
    /// # Errors
    /// As [`Perform::performance`].
    fn performance_exact_within(&self, limits: &Limits) -> Result<Performance<Self::Skeleton, Ratio>, Error>;

    /// What one more replica would bring, at every place where one can be added. A deal is tried as a larger deal, anything
    /// else as a farm; [`Self::gains_within`] tries both kinds everywhere, if it is asked to.
    ///
    /// # Errors
    /// As [`Perform::performance`], for the skeleton as it is; a larger one that reaches a limit is a gain without
    /// a figure.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{deal, pipe, task, Replication, Skeleton};
    /// use skel_solve::Perform;
    /// let gains = pipe((task(1.0), deal(2, 1.0))).communicating(1.0).gains()?;
    /// let kinds: Vec<_> = gains.iter().map(|gain| gain.best_kind()).collect();
    /// assert_eq!(kinds, [Some(Replication::Farm), Some(Replication::Deal)]);
    /// assert!(gains[0].best() > gains[1].best());
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    fn gains(&self) -> Result<Vec<Gain>, Error> {
        self.gains_within(Kinds::default(), &Limits::default(), &Options::default())
    }

    /// What one more replica would bring, in some kinds, within limits and with options.
    ///
    /// # Errors
    /// As [`Perform::gains`], or the work was cancelled.
    fn gains_within(&self, kinds: Kinds, limits: &Limits, options: &Options) -> Result<Vec<Gain>, Error>;

    /// What one more replica at one place would bring, where the throughput `now` is known. Tasks are numbered anew,
    /// so communication rates per link and an assignment to processors are those of the larger skeleton.
    ///
    /// # Errors
    /// The skeleton is wrong, or the work was cancelled.
    fn gain_at(
        &self,
        stage: StageId,
        now: f64,
        kinds: Kinds,
        limits: &Limits,
        options: &Options,
    ) -> Result<Gain, Error>;
}

impl<S: Skeleton> Perform for Program<S> {
    type Skeleton = S;

    fn performance_within(&self, limits: &Limits, options: &Options) -> Result<Performance<S, f64>, Error> {
        Performance::of(self.lower_with_immediate_moves()?, limits, options)
    }

    fn performance_exact_within(&self, limits: &Limits) -> Result<Performance<S, Ratio>, Error> {
        Performance::exact(self.lower_with_immediate_moves()?, limits)
    }

    fn gains_within(&self, kinds: Kinds, limits: &Limits, options: &Options) -> Result<Vec<Gain>, Error> {
        let now = *self.performance_within(limits, options)?.throughput();
        let places = self.skeleton().tree()?.replicable().into_iter();
        places.map(|stage| self.gain_at(stage, now, kinds, limits, options)).collect()
    }

    fn gain_at(
        &self,
        stage: StageId,
        now: f64,
        kinds: Kinds,
        limits: &Limits,
        options: &Options,
    ) -> Result<Gain, Error> {
        let tree = self.skeleton().tree()?;
        let tried = |kind| {
            if !kinds.contain(kind, tree.stage(stage)) {
                return Ok(None);
            }
            let program = self.with_skeleton(tree.with_one_more(stage, kind));
            match program.performance_within(limits, options) {
                Err(Error::Stopped(stopped)) if stopped.limit == Limit::Cancelled => {
                    Err(Error::Stopped(stopped))
                }
                outcome => Ok(Some(outcome.map(|performance| *performance.throughput()))),
            }
        };
        Ok(Gain {
            stage,
            name: tree.name(stage),
            path: tree.path_to(stage),
            now,
            as_deal: tried(Replication::Deal)?,
            as_farm: tried(Replication::Farm)?,
        })
    }
}

/// In which kinds one more replica is tried.
///
/// The replicas of a farm are interchangeable and are lumped; those of a deal are not, since it matters whose turn it is. So a
/// larger deal often costs a thousand times what a larger farm does.
///
/// # Examples
/// ```
/// use skel_core::skeleton::{pipe, task, Skeleton};
/// use skel_solve::{Limits, Perform, performance::Kinds, steady::Options};
/// let program = pipe((task(2.0), task(1.0))).communicating(10.0);
/// let gains = program.gains_within(Kinds::Both, &Limits::default(), &Options::default())?;
/// let (as_deal, as_farm) = (gains[1].as_deal.clone(), gains[1].as_farm.clone());
/// assert!(as_deal.unwrap()? < as_farm.unwrap()?);
/// # Ok::<(), skel_solve::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kinds {
    /// In the kind that the stage has: a deal becomes a larger deal, and keeps the order of the items. A farm becomes a larger
    /// farm, and a task a farm.
    #[default]
    Own,
    /// As a deal and as a farm, at each place.
    Both,
}

impl Kinds {
    /// Whether a replica of a stage is tried in a kind.
    fn contain(self, kind: Replication, stage: &Stage) -> bool {
        let own = match stage {
            Stage::Replicated { replication, .. } => *replication,
            Stage::Task(_) | Stage::Pipe(_) => Replication::Farm,
        };
        self == Kinds::Both || kind == own
    }
}

/// What one more replica at one place would bring: throughputs of the whole.
#[derive(Debug)]
pub struct Gain {
    /// The place.
    pub stage: StageId,
    /// What is there.
    pub name: String,
    /// The way to the place, in words.
    pub path: String,
    /// The throughput as it is.
    pub now: f64,
    /// The throughput with one replica more, as a deal; none where that was not tried.
    pub as_deal: Option<Result<f64, Error>>,
    /// The throughput with one replica more, as a farm; none where that was not tried.
    pub as_farm: Option<Result<f64, Error>>,
}

impl Gain {
    /// The best that was tried, as a part of the throughput now: 0.25 for a quarter more. None where nothing has
    /// a figure.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn best(&self) -> Option<f64> {
        Some(self.best_throughput()?.1 / self.now - 1.0)
    }

    /// The kind of the best that was tried: a farm, if both bring the same.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn best_kind(&self) -> Option<Replication> {
        Some(self.best_throughput()?.0)
    }

    fn best_throughput(&self) -> Option<(Replication, f64)> {
        let tried = [(Replication::Farm, &self.as_farm), (Replication::Deal, &self.as_deal)];
        let known =
            tried.into_iter().filter_map(|(kind, figure)| Some((kind, *figure.as_ref()?.as_ref().ok()?)));
        known.reduce(|best, other| if other.1 > best.1 { other } else { best })
    }
}

impl<S: ?Sized> Performance<S, f64> {
    /// Solves a lowered skeleton in `f64`.
    ///
    /// # Errors
    /// A limit, or a program that comes to a standstill.
    pub fn of(system: System, limits: &Limits, options: &Options) -> Result<Self, Error> {
        let (space, immediate) = explored(&system, limits)?;
        let steady_state = match &immediate[..] {
            [] => space.solver().options(options).limits(limits).solve().map_err(of_skeleton)?,
            _ => vanishing::in_floats(&space, &immediate, limits, options)?,
        };
        Self::from_steady_state(system, steady_state)
    }
}

impl<S: ?Sized> Performance<S, Ratio> {
    /// Solves a lowered skeleton in exact fractions.
    ///
    /// # Errors
    /// A limit, or a program that comes to a standstill.
    pub fn exact(system: System, limits: &Limits) -> Result<Self, Error> {
        let (space, immediate) = explored(&system, limits)?;
        let steady_state = match &immediate[..] {
            [] => space.solver().exact().limits(limits).solve().map_err(of_skeleton)?,
            _ => vanishing::in_fractions(&space, &immediate, limits)?,
        };
        Self::from_steady_state(system, steady_state)
    }
}

/// The states of the model, and its actions that take no time. Moves cannot follow one another for ever, as each takes an item
/// that a task has completed.
#[cfg_attr(debug_assertions, inline)]
fn explored(system: &System, limits: &Limits) -> Result<(StateSpace<Model>, Vec<ActionId>), Error> {
    let model = system.model();
    let immediate = system.immediate_moves().filter_map(|name| model.action_named(&name));
    Ok((model.explorer().lumped().limits(limits).explore()?, immediate.collect()))
}

impl<S: ?Sized, N: Number> Performance<S, N> {
    fn from_steady_state(system: System, steady_state: SteadyState<Model, N>) -> Result<Self, Error> {
        let classification = steady_state.classification();
        if !comes_back(classification) {
            return Err(Error::NotIrreducible(not_irreducible(steady_state.space(), classification)));
        }
        let rates = system.rates();
        let mut tasks = Vec::with_capacity(rates.len());
        for (task, (flow, rate)) in system.graph().flows().iter().zip(rates).enumerate() {
            let task = task as u32;
            let throughput = steady_state.throughput_of(system.computation(task).into());
            let utilisation = throughput.clone() / N::from_ratio(&rate);
            let name = system.tree().name(flow.stage);
            tasks.push(TaskPerformance { task, stage: flow.stage, name, rate, throughput, utilisation });
        }
        let throughput = sum(system.graph().exits_of(system.tree().root()), &tasks);
        Ok(Performance { system, tasks, throughput, steady_state, skeleton: PhantomData })
    }

    /// Items per unit of time that leave the last stage.
    #[must_use]
    pub fn throughput(&self) -> &N {
        &self.throughput
    }

    /// The tasks, replicas counted, in their order.
    #[must_use]
    pub fn tasks(&self) -> &[TaskPerformance<N>] {
        &self.tasks
    }

    /// Items per unit of time that leave a stage; for a worker, all its replicas together.
    #[must_use]
    pub fn throughput_of<H>(&self, stage: StageOf<S, H>) -> N
    where
        S: Sized,
    {
        self.throughput_at(stage.id())
    }

    /// The mean utilisation of a stage's tasks; for a worker, of all its replicas.
    #[must_use]
    pub fn utilisation_of<H>(&self, stage: StageOf<S, H>) -> N
    where
        S: Sized,
    {
        self.utilisation_at(stage.id())
    }

    /// As [`Self::throughput_of`], for a node of the tree.
    ///
    /// # Panics
    /// If the tree has no such node.
    #[must_use]
    pub fn throughput_at(&self, stage: StageId) -> N {
        sum(self.system.graph().exits_of(stage), &self.tasks)
    }

    /// As [`Self::utilisation_of`], for a node of the tree.
    ///
    /// # Panics
    /// If the tree has no such node.
    #[must_use]
    pub fn utilisation_at(&self, stage: StageId) -> N {
        let tree = self.system.tree();
        let inside: Vec<&TaskPerformance<N>> =
            self.tasks.iter().filter(|task| is_inside(tree, task.stage, stage)).collect();
        let count = N::from_ratio(&Ratio::from_integer(inside.len().into()));
        inside.iter().fold(N::zero(), |sum, task| sum + task.utilisation.clone()) / count
    }

    /// The task with the highest utilisation; of several, the first. In `f64`, utilisations that differ by less than a
    /// billionth part are the same.
    #[must_use]
    pub fn bottleneck(&self) -> &TaskPerformance<N> {
        let mut tasks = self.tasks.iter();
        let first = tasks.next().expect("a skeleton has a task");
        tasks.fold(
            first,
            |most, task| if is_higher(&task.utilisation, &most.utilisation) { task } else { most },
        )
    }

    /// The lowered skeleton.
    #[must_use]
    pub fn system(&self) -> &System {
        &self.system
    }

    /// The steady state of the model, with interchangeable replicas lumped.
    #[must_use]
    pub fn steady_state(&self) -> &SteadyState<Model, N> {
        &self.steady_state
    }
}

/// Whether runs come back to the initial state, and so to every state that they reach. There is no proof that every lowered
/// skeleton goes on for ever, so each answer waits for this check. States that only a race between a move and a task leads to
/// are never reached where moves take no time.
fn comes_back(classification: &Classification) -> bool {
    matches!(&classification.recurrent[..], [class] if class.first() == Some(&0))
}

#[cfg_attr(debug_assertions, inline)]
fn not_irreducible(space: &StateSpace<Model>, classification: &Classification) -> NotIrreducible {
    NotIrreducible {
        transient: classification.transient,
        states: space.states(),
        is_deadlock: !classification.deadlocks.is_empty(),
        end: describe_classes(space, classification).join("\n  "),
    }
}

/// A deadlock in the words for skeletons.
fn of_skeleton(error: Error) -> Error {
    match error {
        Error::Deadlock(deadlock) => Error::NotIrreducible(deadlock.of_skeleton()),
        other => other,
    }
}

fn sum<N: Number>(which: &[u32], tasks: &[TaskPerformance<N>]) -> N {
    which.iter().fold(N::zero(), |sum, &task| sum + tasks[task as usize].throughput.clone())
}

/// Whether a number is higher, and by more than rounding if it is not exact.
fn is_higher<N: Number>(number: &N, than: &N) -> bool {
    const ROUNDING: f64 = 1e-9;
    let is_apart = || number.to_float() > than.to_float() * (1.0 + ROUNDING);
    number > than && (number.to_exact().is_some() || is_apart())
}

/// Whether a node is another, or below it.
#[cfg_attr(debug_assertions, inline)]
fn is_inside(tree: &Tree, stage: StageId, above: StageId) -> bool {
    stage == above
        || match tree.stage(above) {
            Stage::Task(_) => false,
            Stage::Pipe(stages) => stages.iter().any(|&below| is_inside(tree, stage, below)),
            Stage::Replicated { worker, .. } => is_inside(tree, stage, *worker),
        }
}
