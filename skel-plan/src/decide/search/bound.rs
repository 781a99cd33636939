//! Upper bounds on the throughputs of mappings, also while some tasks are not placed yet.
//!
//! **One task alone.** A task receives, computes and sends, and is in a local state of its own during each of
//! the three. Let it complete `X` items a second. Let `a` be the rate of the move by which it receives, `m`
//! that of its computation, and `b` that of the move by which it sends. The computation takes `1 / m` on
//! average and is never interrupted, so by Little's law it is under way with the probability `X / m`,
//! whatever the distribution of its time is. In the same way the two moves are under way with the
//! probabilities `X / a` and `X / b`. Only one of the three can be under way at a time, so
//!
//! ```text
//! X / a + X / m + X / b <= 1,   that is   X <= 1 / (1/a + 1/m + 1/b)
//! ```
//!
//! There may be several moves on a side, with the rates `a_1, a_2, ...`, of which move `i` is completed `X_i`
//! times a second. If the task goes through them in turn, only one is under way at a time, and the sum of
//! `X_i / a_i` is at least `X / max a_i`. If they are a choice, `X` is the sum of `a_i` times the probability
//! that move `i` is under way. So `X` is at most the sum of all `a_i`, times the probability that any of them
//! is under way.
//!
//! **The whole program.** All items pass through every stage of a pipe, so a pipe is at most as fast as its
//! slowest stage. A farm or a deal is at most as fast as all its workers together. If one task before or
//! behind the workers goes through them in turn, all workers complete equally many items, so together they
//! are at most as fast as the slowest of them times their number. (Whether a task goes through workers in
//! turn is taken from the graph of the skeleton. A deal of farms, for example, is a choice there; and between
//! two deals of equally many workers each worker has a partner of its own.)
//!
//! **Tasks that are not placed.** A task shares its processor with at least the tasks that are placed there,
//! or with exactly as many as are fixed for that processor. A move from or to a task that is not placed is
//! taken to use the best link there is. These rates are at least those of every mapping that places the
//! remaining tasks, and the bound for a task alone grows with its rates. So it is a bound for all these
//! mappings. Where the numbers of tasks are fixed, some task has to take the worst place that is left. So a
//! pipeline is at most as fast as the fastest of the remaining tasks alone would be in that place.
//!
//! A missing link counts as a rate of zero. A mapping needs a link for each of its moves, so a move over a
//! missing link makes the bound zero, even if a farm has other workers.

use std::collections::BTreeSet;
use std::ops::Range;

use skel_core::number::{Number, Ratio};
use skel_core::skeleton::{Graph, Pattern, Stage, StageId, Tree};

use super::link_rates::LinkRates;
use super::request::Ends;
use crate::platform::{Platform, ProcessorId};
use crate::program::{Application, Endpoint, Formula, Partners};

/// By which part bounds are made larger than they are computed, so that they are bounds in spite of rounding.
pub(super) const ROUNDING: f64 = 1e-9;

/// What the bounds need to know of a program and its machines.
pub(super) struct Bounds<'a> {
    application: &'a Application,
    ends: [Option<usize>; 2],
    /// For each task its rate, one over its mean time, when it is alone on a processor of power 1.
    speeds: Vec<f64>,
    powers: Vec<f64>,
    links: &'a LinkRates,
    whole: Capacity,
}

/// How the bound on the whole program follows from those on its tasks.
enum Capacity {
    Task(usize),
    Minimum(Vec<Capacity>),
    Sum(Vec<Capacity>),
    Equal(Vec<Capacity>),
}

/// Rates that are not exceeded by any mapping that places the first tasks in a certain way.
pub(super) struct BestRates {
    pub(super) tasks: Vec<f64>,
    pub(super) moves: Vec<f64>,
}

impl<'a> Bounds<'a> {
    /// Prepares bounds for a program on machines.
    pub(super) fn new(
        application: &'a Application,
        platform: &Platform,
        links: &'a LinkRates,
        formula: Formula,
        ends: Ends,
    ) -> Bounds<'a> {
        let speed = |work: &Ratio| match formula {
            Formula::Divided => 1.0 / work.to_float(),
            Formula::Printed => work.to_float(),
        };
        Bounds {
            ends: [ends.input, ends.output].map(|end| end.map(ProcessorId::index)),
            speeds: application.tasks.iter().map(|task| speed(task.service.work())).collect(),
            powers: platform.processors().map(|id| platform.power(id).to_float()).collect(),
            links,
            whole: capacity_of(application),
            application,
        }
    }

    /// An upper bound on the throughput of every mapping that places the first tasks so. Where `loads` are
    /// given, it is a bound for the mappings that have so many tasks in all on each processor.
    pub(super) fn upper_bound(&self, placed: &[usize], loads: Option<&[u32]>) -> f64 {
        let rates = self.best_rates(placed, loads);
        if rates.moves.contains(&0.0) {
            return 0.0;
        }
        let bound = self.combine(&self.whole, &rates);
        let worst = loads.map_or(f64::INFINITY, |loads| self.bound_of_worst_place(placed, loads, rates));
        bound.min(worst) * (1.0 + ROUNDING)
    }

    /// Rates that no mapping exceeds that places the first tasks so, with so many tasks in all on each
    /// processor.
    pub(super) fn best_rates(&self, placed: &[usize], loads: Option<&[u32]>) -> BestRates {
        let taken = self.tasks_on_each(placed);
        let share = |processor: usize, more| {
            let tasks = loads.map_or(taken[processor] + more, |loads| loads[processor]);
            self.powers[processor] / f64::from(tasks)
        };
        let is_free = |processor: &usize| loads.is_none_or(|loads| taken[*processor] < loads[*processor]);
        let free = (0..self.powers.len()).filter(is_free);
        let best_share = free.map(|processor| share(processor, 1)).fold(0.0, f64::max);
        let tasks = self.speeds.iter().enumerate().map(|(task, speed)| {
            speed * placed.get(task).map_or(best_share, |&processor| share(processor, 0))
        });
        let moves = self.application.moves.iter().enumerate().map(|(number, one)| {
            let place = |end| self.processor_at(end, placed);
            self.links.best(number, place(one.from), place(one.to))
        });
        BestRates { tasks: tasks.collect(), moves: moves.collect() }
    }

    /// How many tasks are placed on each processor.
    fn tasks_on_each(&self, placed: &[usize]) -> Vec<u32> {
        let mut taken = vec![0; self.powers.len()];
        placed.iter().for_each(|&processor| taken[processor] += 1);
        taken
    }

    /// The bound on a pipeline of which some task has to take the worst place that is left.
    fn bound_of_worst_place(&self, placed: &[usize], loads: &[u32], mut rates: BestRates) -> f64 {
        if !self.application.is_pipeline() {
            return f64::INFINITY;
        }
        let taken = self.tasks_on_each(placed);
        let free = (0..self.powers.len()).filter(|&processor| taken[processor] < loads[processor]);
        let shares = free.map(|processor| self.powers[processor] / f64::from(loads[processor]));
        let Some(worst) = shares.min_by(f64::total_cmp) else { return f64::INFINITY };
        let left = placed.len()..self.speeds.len();
        left.map(|task| {
            rates.tasks[task] = self.speeds[task] * worst;
            self.throughput_alone(task, &rates)
        })
        .fold(0.0, f64::max)
    }

    /// The processor at an end, if it is known.
    fn processor_at(&self, end: Endpoint, placed: &[usize]) -> Option<usize> {
        let task = match end {
            Endpoint::Task(task) => task,
            Endpoint::Input if self.ends[0].is_some() => return self.ends[0],
            Endpoint::Output if self.ends[1].is_some() => return self.ends[1],
            Endpoint::Input => 0,
            Endpoint::Output => self.speeds.len() - 1,
        };
        placed.get(task).copied()
    }

    fn combine(&self, whole: &Capacity, rates: &BestRates) -> f64 {
        let each =
            |parts: &[Capacity]| -> Vec<f64> { parts.iter().map(|part| self.combine(part, rates)).collect() };
        let least = |values: Vec<f64>| values.into_iter().fold(f64::INFINITY, f64::min);
        match whole {
            Capacity::Task(task) => self.throughput_alone(*task, rates),
            Capacity::Minimum(stages) => least(each(stages)),
            Capacity::Sum(workers) => each(workers).into_iter().sum(),
            Capacity::Equal(workers) => workers.len() as f64 * least(each(workers)),
        }
    }

    /// The bound on one task alone.
    fn throughput_alone(&self, task: usize, rates: &BestRates) -> f64 {
        let one = &self.application.tasks[task];
        let time = |side: &Partners| {
            let each = side.moves.iter().map(|&number| rates.moves[number]);
            let rate = if side.is_choice { each.sum() } else { each.fold(0.0, f64::max) };
            if side.moves.is_empty() { 0.0 } else { 1.0 / rate }
        };
        1.0 / (time(&one.receives) + 1.0 / rates.tasks[task] + time(&one.sends))
    }
}

fn capacity_of(application: &Application) -> Capacity {
    match application.as_skeleton() {
        None => Capacity::Minimum((0..application.task_count()).map(Capacity::Task).collect()),
        Some((tree, graph)) => capacity_of_stage((tree, graph), tree.root(), &mut 0),
    }
}

/// The capacity of a stage. Its tasks have the next numbers, depth first and replica by replica.
fn capacity_of_stage(skeleton: (&Tree, &Graph), id: StageId, next: &mut usize) -> Capacity {
    match skeleton.0.stage(id) {
        Stage::Task(_) | Stage::Team(_) => {
            *next += 1;
            Capacity::Task(*next - 1)
        }
        Stage::Pipe(stages) => {
            Capacity::Minimum(stages.iter().map(|&stage| capacity_of_stage(skeleton, stage, next)).collect())
        }
        Stage::Replicated { replicas, worker, .. } => {
            let first = *next as u32;
            let workers = (0..*replicas).map(|_| capacity_of_stage(skeleton, *worker, next)).collect();
            let is_task = matches!(skeleton.0.stage(*worker), Stage::Task(_));
            Capacity::Sum(if is_task { capacities_in_turn(skeleton.1, first..*next as u32) } else { workers })
        }
    }
}

/// The capacities of the replicas of a task, in groups. Those are in one group that another task goes through
/// in turn, since they complete equally many items. Behind a deal of equally many workers each replica has a
/// sender of its own and is in a group of its own.
fn capacities_in_turn(graph: &Graph, replicas: Range<u32>) -> Vec<Capacity> {
    let flow = |task: u32| graph.flow(task);
    let (mut senders, mut receivers) = (BTreeSet::new(), BTreeSet::new());
    for task in replicas.clone() {
        senders.extend(&flow(task).sources);
        receivers.extend(&flow(task).destinations);
    }
    // For each replica the first one of its group.
    let mut first: Vec<u32> = replicas.clone().collect();
    let of_senders = senders.into_iter().map(|one| (flow(one).destination_pattern, &flow(one).destinations));
    let of_receivers = receivers.into_iter().map(|one| (flow(one).source_pattern, &flow(one).sources));
    for (pattern, visited) in of_senders.chain(of_receivers) {
        if pattern == Pattern::Deal {
            join_groups(
                &mut first,
                visited.iter().filter(|task| replicas.contains(task)).map(|task| task - replicas.start),
            );
        }
    }
    let groups: BTreeSet<u32> = first.iter().copied().collect();
    let group = |of: u32| {
        let tasks = replicas.clone().zip(&first).filter(|&(_, &first)| first == of);
        Capacity::Equal(tasks.map(|(task, _)| Capacity::Task(task as usize)).collect())
    };
    groups.into_iter().map(group).collect()
}

/// Joins the groups of these replicas to one.
fn join_groups(first: &mut [u32], replicas: impl Iterator<Item = u32>) {
    let groups: BTreeSet<u32> = replicas.map(|replica| first[replica as usize]).collect();
    if let Some(&least) = groups.first() {
        first.iter_mut().filter(|group| groups.contains(group)).for_each(|group| *group = least);
    }
}
