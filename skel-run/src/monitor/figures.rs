//! What was done until a moment, or between two: by each replica, and by each task.

use std::time::Duration;

use skel_core::skeleton::StageId;

use super::recorder::For;

/// What was done until a moment, or between two moments.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// When it begins, since the start of the run: 0, unless it is the difference of two.
    pub from: Duration,
    /// How long after the start of the run.
    pub at: Duration,
    /// The tasks in the order of the skeleton.
    pub tasks: Vec<TaskFigures>,
}

/// What one task did.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskFigures {
    /// Its node in the tree.
    pub id: StageId,
    /// Its name.
    pub name: String,
    /// Items that the task before it has handed over and that it has not taken yet. None of the first task, which takes from the source.
    pub queue: Option<u64>,
    /// How long items waited there, summed over all items until this moment.
    pub queued: Duration,
    /// Each of its replicas, those that have left as well.
    pub replicas: Vec<ReplicaFigures>,
}

/// What one replica of a task did.
///
/// Busy, starved, blocked and overhead add up to the time between `began` and `left` (or the snapshot).
#[derive(Clone, Debug, PartialEq)]
pub struct ReplicaFigures {
    /// The parcels that it served: what the model calls an item.
    pub served: u64,
    /// The items in them.
    pub items: u64,
    /// The items that it took.
    pub taken: u64,
    /// The items that it handed over.
    pub given: u64,
    /// How long it was busy. What it is doing now counts until now.
    pub busy: Duration,
    /// How long it waited for items.
    pub starved: Duration,
    /// How long it waited to hand items over.
    pub blocked: Duration,
    /// How long it did what is neither: it moved items without waiting, and measured.
    pub overhead: Duration,
    /// How many of the services were timed: all, or some of them.
    pub timed: u64,
    /// The sum of their times.
    pub service: Duration,
    /// The sum of the squares of their times, in square nanoseconds.
    pub squares: u128,
    /// The squared coefficient of variation of its service times; none of fewer than two.
    pub scv: Option<f64>,
    /// How long it held items, summed over the items until this moment.
    pub held: Duration,
    /// Items that failed for good and were left out.
    pub skipped: u64,
    /// Attempts after failures.
    pub retried: u64,
    /// Workers that panicked and were replaced.
    pub replaced: u64,
    /// When it took its first item, since the start of the run.
    pub first_arrival: Option<Duration>,
    /// When it handed over its last item, since the start of the run.
    pub last_departure: Option<Duration>,
    /// What it waits for now, and since when.
    pub waiting: Option<(For, Duration)>,
    /// When it began, since the start of the run.
    pub began: Duration,
    /// When it left; none while it runs.
    pub left: Option<Duration>,
}

impl ReplicaFigures {
    /// The mean of the service times that were timed; none if there are none.
    #[must_use]
    pub fn mean_service_time(&self) -> Option<Duration> {
        mean(self.service, self.timed)
    }
}

impl TaskFigures {
    /// The items that all of its replicas served.
    #[must_use]
    pub fn items(&self) -> u64 {
        self.count(|replica| replica.items)
    }

    /// The parcels that all of its replicas served: what the model calls an item.
    #[must_use]
    pub fn served(&self) -> u64 {
        self.count(|replica| replica.served)
    }

    /// How many replicas run now.
    #[must_use]
    pub fn running(&self) -> usize {
        self.replicas.iter().filter(|replica| replica.left.is_none()).count()
    }

    /// The part of their time that its replicas were busy, from 0 to 1.
    #[must_use]
    pub fn busy_fraction(&self) -> f64 {
        self.fraction(|replica| replica.busy)
    }

    /// The part of their time that its replicas waited for items, from 0 to 1.
    #[must_use]
    pub fn starved_fraction(&self) -> f64 {
        self.fraction(|replica| replica.starved)
    }

    /// The part of their time that its replicas waited to hand items over, from 0 to 1.
    #[must_use]
    pub fn blocked_fraction(&self) -> f64 {
        self.fraction(|replica| replica.blocked)
    }

    /// The part of their time that its replicas moved items without waiting, from 0 to 1. With the other three it adds up to 1.
    #[must_use]
    pub fn overhead_fraction(&self) -> f64 {
        self.fraction(|replica| replica.overhead)
    }

    /// The mean of the service times of parcels; none if none was timed.
    #[must_use]
    pub fn mean_service_time(&self) -> Option<Duration> {
        mean(self.sum(|replica| replica.service), self.count(|replica| replica.timed))
    }

    /// The squared coefficient of variation of the service times of all replicas together; none of fewer than two.
    #[must_use]
    pub fn scv(&self) -> Option<f64> {
        let squares = self.replicas.iter().map(|replica| replica.squares).sum();
        scv(self.count(|replica| replica.timed), self.sum(|replica| replica.service), squares)
    }

    fn fraction(&self, part: impl Fn(&ReplicaFigures) -> Duration) -> f64 {
        let all = self.sum(|replica| replica.busy + replica.starved + replica.blocked + replica.overhead);
        if all.is_zero() { 0.0 } else { self.sum(part).as_secs_f64() / all.as_secs_f64() }
    }

    fn count(&self, part: impl Fn(&ReplicaFigures) -> u64) -> u64 {
        self.replicas.iter().map(part).sum()
    }

    fn sum(&self, part: impl Fn(&ReplicaFigures) -> Duration) -> Duration {
        self.replicas.iter().map(part).sum()
    }
}

fn mean(sum: Duration, count: u64) -> Option<Duration> {
    (count > 0).then(|| Duration::from_nanos((sum.as_nanos() / u128::from(count)) as u64))
}

/// The sums are whole numbers, so nothing is lost where their difference is small.
pub(super) fn scv(count: u64, sum: Duration, squares: u128) -> Option<f64> {
    let sum = sum.as_nanos();
    if count < 2 || sum == 0 {
        return None;
    }
    let deviations = squares.saturating_sub(sum * sum / u128::from(count));
    let mean = sum as f64 / count as f64;
    Some(deviations as f64 / (count - 1) as f64 / (mean * mean))
}
