//! The parts of a program in its performance: tasks and buffers.

use num_traits::Zero;
use skel_core::model::Model;
use skel_core::model::handle::LocalStateOf;
use skel_core::number::{Number, Ratio};
use skel_core::skeleton::{BufferPlaces, Occupation, StageId, System};

use crate::steady::SteadyState;

/// One task's part in a performance. Replicas of a worker are tasks of their own. The workers of a map, a
/// fault-tolerant stage or a map with state are one task, and its parts of the time are the means of theirs.
///
/// The task is busy, starved or blocked at any time, and a worker that serves an item together with others
/// may also wait for them. So the four add up to one: exactly in fractions, and in `f64` up to the error of
/// the solution.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskPerformance<N> {
    /// Its number, depth first from left to right.
    pub task: u32,
    /// Its node in the tree.
    pub stage: StageId,
    /// Its name, or `task`.
    pub name: String,
    /// The rate at which it computes on its processor, in items per unit of time: the inverse of its mean
    /// service time.
    pub rate: Ratio,
    /// Items per unit of time that it completes.
    pub throughput: N,
    /// The part of the time that it computes.
    pub busy: N,
    /// The part of the time that it waits for an item or receives one.
    pub starved: N,
    /// The part of the time that it waits until it can hand over an item, or hands it over.
    pub blocked: N,
    /// The part of the time that a worker is done with its part of an item, or with a new state, and waits
    /// for the other workers. It is 0 for a task of its own.
    pub waiting: N,
    /// The mean number of items that it holds.
    pub items: N,
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
    waiting: N,
    items: N,
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
            waiting: shares.waiting.clone(),
            items: shares.items.clone(),
        });
        equal = Some((workers, shares));
    }
    tasks
}

#[cfg_attr(debug_assertions, inline)]
fn shares<N: Number>(system: &System, steady_state: &SteadyState<Model, N>, task: u32) -> Shares<N> {
    let copies = N::from_ratio(&Ratio::from_integer(system.equal_workers(task).len().into()));
    let throughput = steady_state.throughput_of(system.computation(task).into());
    let states = system.occupations_of(task);
    let populations: Vec<N> =
        states.iter().map(|&(id, _)| steady_state.population_of(LocalStateOf::from(id))).collect();
    let share = |part: fn(&Occupation) -> &Ratio| {
        let states = states.iter().zip(&populations).filter(|((_, here), _)| !part(here).is_zero());
        let populations =
            states.map(|((_, here), population)| N::from_ratio(part(here)) * population.clone());
        populations.fold(N::zero(), |sum, population| sum + population) / copies.clone()
    };
    let [busy, blocked] = [share(|here| &here.busy), share(|here| &here.blocked)];
    let items = match system.is_team(task) {
        false => busy.clone() + blocked.clone(),
        true => {
            let holding = states.iter().zip(&populations).filter(|((_, here), _)| here.has_item);
            holding.fold(N::zero(), |sum, (_, population)| sum + population.clone()) / copies.clone()
        }
    };
    Shares {
        throughput: throughput / copies.clone(),
        starved: share(|here| &here.starved),
        waiting: share(|here| &here.waiting),
        busy,
        blocked,
        items,
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
