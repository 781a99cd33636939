//! The answer of `skel distribute`, as plain figures.

use skel::distribute::description::Description;
use skel::distribute::simulate::Compared;
use skel::distribute::{Arithmetic, Comparison, Schedule};
use skel::number::display_ratio;

use crate::report::figure::Figure;

/// The answer of `skel distribute`. Times are in seconds.
pub(super) struct Answer {
    pub(super) items: u64,
    /// What the machines are called.
    pub(super) names: Vec<String>,
    /// What a chunk costs the master, as it is written.
    pub(super) overhead: String,
    /// How many times machines change their speed, and how many machines are lost.
    pub(super) changes: usize,
    pub(super) losses: usize,
    /// Before when no schedule can end.
    pub(super) bound: Figure,
    /// The schedules that end, the first to end first.
    pub(super) rows: Vec<Row>,
    /// Those that do not end, and why.
    pub(super) unfinished: Vec<(Schedule, String)>,
}

/// A schedule and its end.
pub(super) struct Row {
    pub(super) schedule: Schedule,
    pub(super) makespan: Figure,
    pub(super) chunks: u64,
    /// How many items were given out, with those that were given out again.
    pub(super) items_given: u64,
    pub(super) machines: Vec<Machine>,
}

/// What a machine did.
pub(super) struct Machine {
    pub(super) items: u64,
    pub(super) chunks: u64,
    pub(super) busy: Figure,
    pub(super) idle: Figure,
    pub(super) is_lost: bool,
}

impl Answer {
    pub(super) fn new<N: Arithmetic>(
        description: &Description,
        comparison: &Comparison<N>,
        bound: &N,
    ) -> Answer {
        let scenario = description.scenario();
        let unfinished = comparison.unfinished().iter().map(|(schedule, why)| (*schedule, why.to_string()));
        Answer {
            items: scenario.items(),
            names: description.names().to_vec(),
            overhead: display_ratio(scenario.overhead()),
            changes: scenario.changes().len(),
            losses: scenario.losses().len(),
            bound: Figure::of(bound),
            rows: comparison.ranked().iter().map(Row::of).collect(),
            unfinished: unfinished.collect(),
        }
    }

    /// How much of the time a schedule takes beyond the bound, as a part of the bound.
    pub(super) fn above_bound(&self, row: &Row) -> f64 {
        row.makespan.value / self.bound.value - 1.0
    }

    /// The first of each family: its best parameter. With it, how many of the family there are.
    pub(super) fn best_of_families(&self) -> Vec<(&Row, usize)> {
        let mut families: Vec<(&Row, usize)> = Vec::new();
        for row in &self.rows {
            match families.iter_mut().find(|(best, _)| best.schedule.family() == row.schedule.family()) {
                Some((_, count)) => *count += 1,
                None => families.push((row, 1)),
            }
        }
        families
    }
}

impl Row {
    fn of<N: Arithmetic>(one: &Compared<N>) -> Row {
        let machines = one.outcome.loads().iter().map(|load| Machine {
            items: load.items,
            chunks: load.chunks,
            busy: Figure::of(&load.busy),
            idle: Figure::of(&load.idle),
            is_lost: load.is_lost,
        });
        Row {
            schedule: one.schedule,
            makespan: Figure::of(one.outcome.makespan()),
            chunks: one.outcome.chunks(),
            items_given: one.outcome.items_given(),
            machines: machines.collect(),
        }
    }

    /// How long all machines together were idle.
    pub(super) fn idle(&self) -> f64 {
        self.machines.iter().map(|machine| machine.idle.value).sum()
    }
}
