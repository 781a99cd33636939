//! The performance of a skeleton: what one asks of the structure of a parallel program.
//!
//! A skeleton with its rates is lowered to a PEPA model, the model is explored with interchangeable replicas
//! lumped, and the steady state answers, per task and per stage. The *throughput of the whole* is that of the
//! last stage's computations, summed over its replicas; in a pipe it equals the paper's T1, the throughput of
//! the first move. At any time a task is *busy* (it computes), *starved* (it waits for an item) or *blocked*
//! (it waits until it can hand over an item), and the three probabilities add up to one. The workers of a
//! map, a fault-tolerant stage or a map with state also *wait for each other*, which is a fourth part of
//! their time. The *bottleneck* is the task that is busy most.
//!
//! The *items inside* are those that a task or a buffer holds. An item comes in when a task without sources
//! begins it, and leaves when a task of the last stage has computed it. By Little's law (J. D. C.
//! Little, 1961) the mean *response time*, from one to the other, is the mean number of items inside divided
//! by the throughput.

mod evaluator;
mod gain;
mod parts;

use std::fmt;
use std::marker::PhantomData;

use skel_core::model::Model;
use skel_core::number::{Number, Ratio};
use skel_core::skeleton::{Stage, StageId, StageOf, System, Tree};

use crate::chain::{Classification, describe_classes};
use crate::error::{Error, NotIrreducible};
use crate::limits::Limits;
use crate::space::{Explore, StateSpace};
use crate::steady::{Options, SteadyState};

pub use evaluator::{Evaluator, ExactEvaluator, Perform};
pub use gain::{Gain, Kinds};
pub use parts::{BufferPerformance, TaskPerformance};

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
/// assert_eq!(performance.busy_of(workers), ratio(1338363, 6029579));
/// # Ok::<(), skel_solve::Error>(())
/// ```
pub struct Performance<S: ?Sized, N> {
    pub(crate) system: System,
    tasks: Vec<TaskPerformance<N>>,
    buffers: Vec<BufferPerformance<N>>,
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
/// throughput 0.4615384615, bottleneck `task`, response time 2.666666667
///   task 0, `task`: busy 46.15 %, starved 0.00 %, blocked 53.85 % of the time
///   task 1, `task`: busy 23.08 %, starved 76.92 %, blocked 0.00 % of the time");
/// # Ok::<(), skel_solve::Error>(())
/// ```
impl<S: ?Sized, N: Number> fmt::Display for Performance<S, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let throughput = self.throughput.to_float();
        let (bottleneck, response) = (&self.bottleneck().name, self.response_time().to_float());
        write!(f, "throughput {throughput:.10}, bottleneck `{bottleneck}`, response time {response:.9}")?;
        for TaskPerformance { task, name, busy, starved, blocked, waiting, .. } in &self.tasks {
            let parts = [busy, starved, blocked, waiting].map(|share| 100.0 * share.to_float());
            let [busy, starved, blocked, waiting] = parts;
            let shares = format!("busy {busy:.2} %, starved {starved:.2} %, blocked {blocked:.2} %");
            let waiting = match self.system.is_team(*task) {
                true => format!(", waiting for each other {waiting:.2} %"),
                false => String::new(),
            };
            write!(f, "\n  task {task}, `{name}`: {shares}{waiting} of the time")?;
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
        let space = explored(&system, limits)?;
        let steady_state = in_floats(&space, None, limits, options)?;
        Self::from_steady_state(system, steady_state)
    }

    /// Solves a lowered skeleton on the states of its model, which are known; iterative methods start from a
    /// solution on the same states, where there is one.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn on_states(
        system: System,
        space: &StateSpace,
        start: Option<&SteadyState<Model, f64>>,
        limits: &Limits,
        options: &Options,
    ) -> Result<Self, Error> {
        let steady_state = in_floats(space, start, limits, options)?;
        Self::from_steady_state(system, steady_state)
    }
}

/// The steady state in `f64` of a skeleton's model.
#[cfg_attr(debug_assertions, inline)]
fn in_floats(
    space: &StateSpace,
    start: Option<&SteadyState<Model, f64>>,
    limits: &Limits,
    options: &Options,
) -> Result<SteadyState<Model, f64>, Error> {
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
        let space = explored(&system, limits)?;
        let steady_state = space.solver().exact().limits(limits).solve().map_err(of_skeleton)?;
        Self::from_steady_state(system, steady_state)
    }
}

/// The states of the model, without those that moves leave at once. Moves cannot follow one another for ever,
/// as each takes an item that a task has completed.
#[cfg_attr(debug_assertions, inline)]
pub(crate) fn explored(system: &System, limits: &Limits) -> Result<StateSpace<Model>, Error> {
    system.model().explorer().lumped().immediate(system.immediate_actions()).limits(limits).explore()
}

impl<S: ?Sized, N: Number> Performance<S, N> {
    fn from_steady_state(system: System, steady_state: SteadyState<Model, N>) -> Result<Self, Error> {
        let (space, classification) = (steady_state.space(), steady_state.classification());
        if !comes_back(space, classification) {
            return Err(Error::NotIrreducible(not_irreducible(space, classification)));
        }
        let tasks = parts::tasks(&system, &steady_state);
        let buffers = parts::buffers(&system, &steady_state);
        let throughput = sum(system.graph().exits_of(system.tree().root()), &tasks);
        Ok(Performance { system, tasks, buffers, throughput, steady_state, skeleton: PhantomData })
    }

    /// The same performance for the type of a skeleton that has this tree.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn typed<T: ?Sized>(self) -> Performance<T, N> {
        let Performance { system, tasks, buffers, throughput, steady_state, skeleton: _ } = self;
        Performance { system, tasks, buffers, throughput, steady_state, skeleton: PhantomData }
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

    /// The buffers that can hold an item, in the order of the tasks that fill them.
    #[must_use]
    pub fn buffers(&self) -> &[BufferPerformance<N>] {
        &self.buffers
    }

    /// The mean number of items inside: those that tasks compute or hold until they can hand them over, and
    /// those in buffers. A task of the first stage takes its next item as soon as it has handed over the one
    /// before, so it always has one; a map with state there takes the states that come in between first.
    #[must_use]
    pub fn items_inside(&self) -> N {
        let held = self.tasks.iter().map(|task| task.items.clone());
        let waiting = self.buffers.iter().map(|buffer| buffer.items.clone());
        held.chain(waiting).fold(N::zero(), |sum, items| sum + items)
    }

    /// The mean time from when a task of the first stage begins an item until a task of the last stage has
    /// computed it: the items inside divided by the throughput, by Little's law.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{number::ratio, skeleton::{pipe, task, Skeleton}};
    /// use skel_solve::Perform;
    /// let performance = pipe((task(2.0), task(3.0))).communicating(5.0).performance_exact()?;
    /// assert_eq!(performance.items_inside(), ratio(7, 5));
    /// assert_eq!(performance.response_time(), ratio(7, 6));
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    #[must_use]
    pub fn response_time(&self) -> N {
        self.items_inside() / self.throughput.clone()
    }

    /// Items per unit of time that leave a stage; for a worker, all its replicas together.
    #[must_use]
    pub fn throughput_of<H>(&self, stage: StageOf<S, H>) -> N
    where
        S: Sized,
    {
        self.throughput_at(stage.id())
    }

    /// The part of the time that a stage's tasks compute, on average; for a worker, of all its replicas.
    #[must_use]
    pub fn busy_of<H>(&self, stage: StageOf<S, H>) -> N
    where
        S: Sized,
    {
        self.busy_at(stage.id())
    }

    /// The part of the time that a stage's tasks wait for an item, on average; for a worker, of all its
    /// replicas.
    #[must_use]
    pub fn starved_of<H>(&self, stage: StageOf<S, H>) -> N
    where
        S: Sized,
    {
        self.starved_at(stage.id())
    }

    /// The part of the time that a stage's tasks wait until they can hand over an item, on average; for a
    /// worker, of all its replicas.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{number::ratio, skeleton::{pipe, task, Skeleton, Structured}};
    /// use skel_solve::Perform;
    /// let stages = pipe((task(1.0), task(1.0)));
    /// let (first, last) = (stages.stage::<0>(), stages.stage::<1>());
    /// let performance = stages.communicating(1.0).performance_exact()?;
    /// assert_eq!((performance.busy_of(first), performance.blocked_of(first)), (ratio(2, 5), ratio(3, 5)));
    /// assert_eq!((performance.busy_of(last), performance.starved_of(last)), (ratio(2, 5), ratio(3, 5)));
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    #[must_use]
    pub fn blocked_of<H>(&self, stage: StageOf<S, H>) -> N
    where
        S: Sized,
    {
        self.blocked_at(stage.id())
    }

    /// The part of the time that the workers of a map, a fault-tolerant stage or a map with state are done
    /// with their part of an item or with a new state, and wait for the other workers, on average. What they
    /// lose to each other is found here, and not in the parts of the time that they are starved or blocked by
    /// their neighbours. 0 for a task, a farm or a deal of tasks.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{number::ratio, skeleton::{map, Communication, Skeleton, Structured}};
    /// use skel_solve::Perform;
    /// let matching = map(2, 1.0);
    /// let whole = matching.whole();
    /// let performance = matching.communicating(Communication::negligible()).performance_exact()?;
    /// // The longer of two exponential times of mean 1 is 3/2 on average.
    /// assert_eq!(*performance.throughput(), ratio(2, 3));
    /// assert_eq!((performance.busy_of(whole), performance.waiting_of(whole)), (ratio(2, 3), ratio(1, 3)));
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    #[must_use]
    pub fn waiting_of<H>(&self, stage: StageOf<S, H>) -> N
    where
        S: Sized,
    {
        self.waiting_at(stage.id())
    }

    /// As [`Self::throughput_of`], for a node of the tree.
    ///
    /// # Panics
    /// If the tree has no such node.
    #[must_use]
    pub fn throughput_at(&self, stage: StageId) -> N {
        sum(self.system.graph().exits_of(stage), &self.tasks)
    }

    /// As [`Self::busy_of`], for a node of the tree.
    ///
    /// # Panics
    /// If the tree has no such node.
    #[must_use]
    pub fn busy_at(&self, stage: StageId) -> N {
        self.mean_of(stage, |task| &task.busy)
    }

    /// As [`Self::starved_of`], for a node of the tree.
    ///
    /// # Panics
    /// If the tree has no such node.
    #[must_use]
    pub fn starved_at(&self, stage: StageId) -> N {
        self.mean_of(stage, |task| &task.starved)
    }

    /// As [`Self::blocked_of`], for a node of the tree.
    ///
    /// # Panics
    /// If the tree has no such node.
    #[must_use]
    pub fn blocked_at(&self, stage: StageId) -> N {
        self.mean_of(stage, |task| &task.blocked)
    }

    fn mean_of(&self, stage: StageId, share: fn(&TaskPerformance<N>) -> &N) -> N {
        let tree = self.system.tree();
        let inside: Vec<&TaskPerformance<N>> =
            self.tasks.iter().filter(|task| is_inside(tree, task.stage, stage)).collect();
        let count = N::from_ratio(&Ratio::from_integer(inside.len().into()));
        inside.iter().fold(N::zero(), |sum, task| sum + share(task).clone()) / count
    }

    /// As [`Self::waiting_of`], for a node of the tree.
    ///
    /// # Panics
    /// If the tree has no such node.
    #[must_use]
    pub fn waiting_at(&self, stage: StageId) -> N {
        self.mean_of(stage, |task| &task.waiting)
    }

    /// The task that is busy most; of several, the first. A worker that waits for others with which it serves
    /// an item counts as busy here, since its stage is. In `f64`, parts of the time that differ by less than
    /// a billionth of themselves are the same.
    #[must_use]
    pub fn bottleneck(&self) -> &TaskPerformance<N> {
        let serving = |task: &TaskPerformance<N>| task.busy.clone() + task.waiting.clone();
        let mut tasks = self.tasks.iter();
        let first = tasks.next().expect("a skeleton has a task");
        tasks.fold(first, |most, task| if is_higher(&serving(task), &serving(most)) { task } else { most })
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

/// Whether runs come back to every state that they reach; an initial state that moves leave at once is none
/// of these. There is no proof that every lowered skeleton goes on for ever, so each answer waits for this
/// check.
fn comes_back(space: &StateSpace<Model>, classification: &Classification) -> bool {
    classification.recurrent.len() == 1 && classification.transient == usize::from(space.starts_vanishing())
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
            Stage::Task(_) | Stage::Team(_) => false,
            Stage::Pipe(stages) => stages.iter().any(|&below| is_inside(tree, stage, below)),
            Stage::Replicated { worker, .. } => is_inside(tree, stage, *worker),
        }
}
