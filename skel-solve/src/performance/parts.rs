//! The parts of a program in its performance: tasks and buffers.

use skel_core::model::handle::LocalStateOf;
use skel_core::model::{LocalStateId, Model};
use skel_core::number::{Number, Ratio};
use skel_core::skeleton::{BufferPlaces, StageId, System, TaskState};

use crate::steady::SteadyState;

/// One task's part in a performance. Replicas of a worker are tasks of their own.
///
/// The task is busy, starved or blocked at any time, so the three add up to one: exactly in fractions, and in `f64` up to the error of the
/// solution.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskPerformance<N> {
    /// Its number, depth first from left to right.
    pub task: u32,
    /// Its node in the tree.
    pub stage: StageId,
    /// Its name, or `task`.
    pub name: String,
    /// The rate at which it computes on its processor, in items per unit of time: the inverse of its mean service time.
    pub rate: Ratio,
    /// Items per unit of time that it completes.
    pub throughput: N,
    /// The part of the time that it computes.
    pub busy: N,
    /// The part of the time that it waits for an item or receives one.
    pub starved: N,
    /// The part of the time that it waits until it can hand over an item, or hands it over.
    pub blocked: N,
}

/// One buffer's part in a performance.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferPerformance<N> {
    /// The stage that the items enter, a stage of a pipe.
    pub into: StageId,
    /// The tasks that put items into it.
    pub senders: Vec<u32>,
    /// The tasks that get items from it.
    pub receivers: Vec<u32>,
    /// How many items it can hold.
    pub capacity: u32,
    /// The mean number of items that it holds.
    pub items: N,
}

/// What equal workers have in common.
#[derive(Clone)]
struct Shares<N> {
    throughput: N,
    busy: N,
    starved: N,
    blocked: N,
}

/// The parts of all tasks.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn tasks<N: Number>(
    system: &System,
    steady_state: &SteadyState<Model, N>,
) -> Vec<TaskPerformance<N>> {
    let mut tasks = Vec::with_capacity(system.graph().tasks());
    let mut equal: Option<(std::ops::Range<u32>, Shares<N>)> = None;
    for (task, (flow, rate)) in (0..).zip(system.graph().flows().iter().zip(system.rates())) {
        let known = equal.take().filter(|(workers, _)| workers.contains(&task));
        let (workers, shares) =
            known.unwrap_or_else(|| (system.equal_workers(task), shares(system, steady_state, task)));
        tasks.push(TaskPerformance {
            task,
            stage: flow.stage,
            name: system.tree().name(flow.stage),
            rate,
            throughput: shares.throughput.clone(),
            busy: shares.busy.clone(),
            starved: shares.starved.clone(),
            blocked: shares.blocked.clone(),
        });
        equal = Some((workers, shares));
    }
    tasks
}

#[cfg_attr(debug_assertions, inline)]
fn shares<N: Number>(system: &System, steady_state: &SteadyState<Model, N>, task: u32) -> Shares<N> {
    let copies = N::from_ratio(&Ratio::from_integer(system.equal_workers(task).len().into()));
    let throughput = steady_state.throughput_of(system.computation(task).into());
    let states = system.states_of(task);
    let share = |wanted: TaskState| {
        let states = states.iter().filter(|(_, state)| *state == wanted);
        let population =
            |&(id, _): &(LocalStateId, TaskState)| steady_state.population_of(LocalStateOf::from(id));
        states.map(population).fold(N::zero(), |sum, population| sum + population) / copies.clone()
    };
    Shares {
        throughput: throughput / copies.clone(),
        busy: share(TaskState::Busy),
        starved: share(TaskState::Starved),
        blocked: share(TaskState::Blocked),
    }
}

/// The parts of all buffers.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn buffers<N: Number>(
    system: &System,
    steady_state: &SteadyState<Model, N>,
) -> Vec<BufferPerformance<N>> {
    let part = |BufferPlaces { into, senders, receivers, capacity, full }| BufferPerformance {
        into,
        senders,
        receivers,
        capacity,
        items: steady_state.population_of(LocalStateOf::from(full)),
    };
    system.buffers().into_iter().map(part).collect()
}
