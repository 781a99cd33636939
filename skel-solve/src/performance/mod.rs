//! The performance of a skeleton: what one asks of the structure of a parallel program.
//!
//! A skeleton with its rates is lowered to a PEPA model, the model is explored with interchangeable replicas
//! lumped, and the steady state answers, per task and per stage. The *throughput of the whole* is that of the last
//! stage's computations, summed over its replicas; in a pipe it equals the paper's T1, the throughput of the first
//! move. The *utilisation* of a task is the probability that it computes: its throughput divided by its rate.
//! The *bottleneck* is the task with the highest utilisation.

mod evaluator;
mod gain;

use std::fmt;
use std::marker::PhantomData;

use skel_core::model::{ActionId, Model};
use skel_core::number::{Number, Ratio};
use skel_core::skeleton::{Stage, StageId, StageOf, System, Tree};

use crate::chain::{Classification, describe_classes};
use crate::error::{Error, NotIrreducible};
use crate::limits::Limits;
use crate::space::{Explore, StateSpace};
use crate::steady::{Options, SteadyState, vanishing};

pub use evaluator::{Evaluator, ExactEvaluator, Perform};
pub use gain::{Gain, Kinds};

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

/// The throughput, the bottleneck, and how busy each task is.
///
/// # Examples
/// ```
/// use skel_core::skeleton::{pipe, task, Skeleton};
/// use skel_solve::Perform;
/// let performance = pipe((task(1.0), task(2.0))).communicating(1.0).performance()?;
/// assert_eq!(performance.to_string(), "\
/// throughput 0.4615384615, bottleneck `task`
///   task 0, `task`: busy 46.15 % of the time
///   task 1, `task`: busy 23.08 % of the time");
/// # Ok::<(), skel_solve::Error>(())
/// ```
impl<S: ?Sized, N: Number> fmt::Display for Performance<S, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let throughput = self.throughput.to_float();
        write!(f, "throughput {throughput:.10}, bottleneck `{}`", self.bottleneck().name)?;
        for TaskPerformance { task, name, utilisation, .. } in &self.tasks {
            write!(f, "\n  task {task}, `{name}`: busy {:.2} % of the time", 100.0 * utilisation.to_float())?;
        }
        Ok(())
    }
}

impl<S: ?Sized, N: Number> fmt::Debug for Performance<S, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let throughput = &self.throughput;
        f.debug_struct("Performance")
            .field("throughput", throughput)
            .field("tasks", &self.tasks)
            .finish_non_exhaustive()
    }
}

impl<S: ?Sized> Performance<S, f64> {
    /// Solves a lowered skeleton in `f64`.
    ///
    /// # Errors
    /// A limit, or a program that comes to a standstill.
    pub fn from_system(system: System, limits: &Limits, options: &Options) -> Result<Self, Error> {
        let (space, immediate) = explored(&system, limits)?;
        let steady_state = in_floats(&space, &immediate, None, limits, options)?;
        Self::from_steady_state(system, steady_state)
    }

    /// Solves a lowered skeleton on the states of its model, which are known; iterative methods start from a solution on the same
    /// states, where there is one.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn on_states(
        system: System,
        space: &StateSpace,
        start: Option<&SteadyState<Model, f64>>,
        limits: &Limits,
        options: &Options,
    ) -> Result<Self, Error> {
        let immediate: Vec<ActionId> = system.immediate_actions().collect();
        let steady_state = in_floats(space, &immediate, start, limits, options)?;
        Self::from_steady_state(system, steady_state)
    }
}

/// The steady state in `f64` of a skeleton's model.
#[cfg_attr(debug_assertions, inline)]
fn in_floats(
    space: &StateSpace,
    immediate: &[ActionId],
    start: Option<&SteadyState<Model, f64>>,
    limits: &Limits,
    options: &Options,
) -> Result<SteadyState<Model, f64>, Error> {
    if !immediate.is_empty() {
        return vanishing::in_floats(space, immediate, limits, options);
    }
    let solver = space.solver().options(options).limits(limits);
    let solver = match start {
        Some(start) => solver.start_from(start),
        None => solver,
    };
    solver.solve().map_err(of_skeleton)
}

impl<S: ?Sized> Performance<S, Ratio> {
    /// Solves a lowered skeleton in exact fractions.
    ///
    /// # Errors
    /// A limit, or a program that comes to a standstill.
    pub fn from_system_exact(system: System, limits: &Limits) -> Result<Self, Error> {
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
pub(crate) fn explored(
    system: &System,
    limits: &Limits,
) -> Result<(StateSpace<Model>, Vec<ActionId>), Error> {
    let model = system.model();
    Ok((model.explorer().lumped().limits(limits).explore()?, system.immediate_actions().collect()))
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

    /// The same performance for the type of a skeleton that has this tree.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn typed<T: ?Sized>(self) -> Performance<T, N> {
        let Performance { system, tasks, throughput, steady_state, skeleton: _ } = self;
        Performance { system, tasks, throughput, steady_state, skeleton: PhantomData }
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
