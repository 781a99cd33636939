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
    /// Items that the task before it has handed over and that it has not taken yet. None of the first task,
    /// which takes from the source.
    pub queue: Option<u64>,
    /// How long items waited there, summed over all items until this moment.
    pub queued: Duration,
    /// Each of its replicas, those that have left as well, in the order in which they came. A replica keeps
    /// its place in the list. Those of a run that goes on with another engine are new ones.
    ///
    /// Each worker of a map, a fault-tolerant stage or a map with state is a replica here; [`Self::worker`]
    /// finds those of a number.
    pub replicas: Vec<ReplicaFigures>,
}

/// What one replica of a task did.
///
/// Busy, starved, blocked, awaiting and overhead add up to the time that it was there: from `began`, until it
/// left or until the snapshot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplicaFigures {
    /// Which worker it is of those that serve an item together, from 0: that of the weight at this place in
    /// [`Control::set_shares`](crate::Control::set_shares). A worker that comes takes the lowest number that
    /// is free, since the last ones leave first. None of a replica that serves its items alone, and of a
    /// thread that hands out items to such workers.
    pub worker: Option<usize>,
    /// The processor that its thread stays on, as `Control::move_replica` counts them; none if it moves as
    /// the system likes.
    pub processor: Option<usize>,
    /// The parcels that it served: what the model calls an item.
    pub served: u64,
    /// The items in them. Of workers that serve an item together, one counts it.
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
    /// How long it waited for the other workers that serve the same item: those of a map, a fault-tolerant
    /// stage or a map with state.
    pub awaiting: Duration,
    /// How long it did what is neither: it moved items without waiting, and measured.
    pub overhead: Duration,
    /// The sum of the times of all services that have ended. Those that were not timed are estimated from
    /// those that were.
    pub service: Duration,
    /// How many of the services were timed from beginning to end: all that take 10 microseconds or more, and
    /// some of those that take less.
    pub timed: u64,
    /// The sum of their times.
    pub timed_service: Duration,
    /// The sum of the squares of their times, in square nanoseconds.
    pub squares: u128,
    /// The squared coefficient of variation of its service times: of constant ones 0, of exponential ones 1.
    /// None of fewer than two.
    pub scv: Option<f64>,
    /// The items that it holds now.
    pub in_hand: u64,
    /// How long it held items, summed over the items until this moment.
    pub held: Duration,
    /// How often it took a new state, in a map with state.
    pub states: u64,
    /// The sum of the times for that.
    pub renewing: Duration,
    /// Items that make no result by themselves: the states of a map with state. Of its workers, one counts
    /// them.
    pub kept: u64,
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

impl Snapshot {
    /// How long it is, from its beginning to its moment.
    #[must_use]
    pub fn span(&self) -> Duration {
        self.at.saturating_sub(self.from)
    }

    /// Items that the tasks and the queues between them hold now.
    #[must_use]
    pub fn items_inside(&self) -> u64 {
        let queued = self.tasks.iter().filter_map(|task| task.queue);
        queued.chain(self.tasks.iter().map(TaskFigures::in_hand)).fold(0, u64::saturating_add)
    }

    /// The mean number of items inside of tasks and queues.
    #[must_use]
    pub fn mean_items_inside(&self) -> f64 {
        per(self.item_time(), self.span())
    }

    /// How long an item was inside, on average, from when the first task took it until the last one handed it
    /// over; none before the first.
    ///
    /// It is the mean number inside by the throughput (J. D. C. Little, *A proof for the queuing formula L =
    /// λW*, 1961). So it is near the truth where many more items went through than are inside.
    #[must_use]
    pub fn mean_response_time(&self) -> Option<Duration> {
        mean(self.item_time(), self.delivered())
    }

    /// Items that the last task handed over.
    #[must_use]
    pub fn delivered(&self) -> u64 {
        self.tasks.last().map_or(0, |task| task.count(|replica| replica.given))
    }

    /// Items that the last task handed over, for each second.
    #[must_use]
    pub fn throughput(&self) -> f64 {
        rate(self.delivered(), self.span())
    }

    /// The task whose replicas were busy for the largest part of their time; none if there is no task.
    #[must_use]
    pub fn busiest(&self) -> Option<&TaskFigures> {
        self.tasks.iter().max_by(|one, other| one.busy_fraction().total_cmp(&other.busy_fraction()))
    }

    /// Whether every replica has left.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.tasks.iter().all(|task| !task.replicas.is_empty() && task.running() == 0)
    }

    fn item_time(&self) -> Duration {
        self.tasks.iter().map(|task| task.queued + task.sum(|replica| replica.held)).sum()
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

    /// How many of their services were timed from beginning to end.
    #[must_use]
    pub fn timed(&self) -> u64 {
        self.count(|replica| replica.timed)
    }

    /// How many replicas run now.
    #[must_use]
    pub fn running(&self) -> usize {
        self.replicas.iter().filter(|replica| replica.left.is_none()).count()
    }

    /// How many replicas ran, on average over this time.
    #[must_use]
    pub fn mean_running(&self, span: Duration) -> f64 {
        per(self.sum(ReplicaFigures::present), span)
    }

    /// Items for each second of this time.
    #[must_use]
    pub fn throughput(&self, span: Duration) -> f64 {
        rate(self.items(), span)
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

    /// The part of their time that its replicas waited for other workers of the same item, from 0 to 1.
    #[must_use]
    pub fn waiting_fraction(&self) -> f64 {
        self.fraction(|replica| replica.awaiting)
    }

    /// The part of their time that its replicas moved items without waiting, from 0 to 1. With the others it
    /// adds up to 1.
    #[must_use]
    pub fn overhead_fraction(&self) -> f64 {
        self.fraction(|replica| replica.overhead)
    }

    /// How many items were in the queue before the task, on average over this time.
    #[must_use]
    pub fn mean_queue(&self, span: Duration) -> f64 {
        per(self.queued, span)
    }

    /// The mean of the service times of parcels; none if none was served.
    #[must_use]
    pub fn mean_service_time(&self) -> Option<Duration> {
        mean(self.sum(|replica| replica.service), self.served())
    }

    /// The squared coefficient of variation of the service times of all replicas together; none of fewer than
    /// two.
    #[must_use]
    pub fn scv(&self) -> Option<f64> {
        let squares = self.replicas.iter().map(|replica| replica.squares).fold(0, u128::saturating_add);
        scv(self.timed(), self.sum(|replica| replica.timed_service), squares)
    }

    /// The workers of this number that are there now, of those that serve an item together: one, or in a farm
    /// or a deal of maps one of each replica.
    ///
    /// A worker's speed is the weight of its part by its [mean service
    /// time](ReplicaFigures::mean_service_time), of a window in which the weights were the same.
    pub fn worker(&self, number: usize) -> impl Iterator<Item = &ReplicaFigures> {
        self.replicas.iter().filter(move |replica| replica.worker == Some(number) && replica.left.is_none())
    }

    /// Items that its replicas took and have not handed over yet.
    fn in_hand(&self) -> u64 {
        self.count(|replica| replica.in_hand)
    }

    fn fraction(&self, part: impl Fn(&ReplicaFigures) -> Duration) -> f64 {
        per(self.sum(part), self.sum(ReplicaFigures::present))
    }

    fn count(&self, part: impl Fn(&ReplicaFigures) -> u64) -> u64 {
        self.replicas.iter().map(part).fold(0, u64::saturating_add)
    }

    fn sum(&self, part: impl Fn(&ReplicaFigures) -> Duration) -> Duration {
        self.replicas.iter().map(part).sum()
    }
}

impl ReplicaFigures {
    /// The mean of its service times; none if there are none.
    #[must_use]
    pub fn mean_service_time(&self) -> Option<Duration> {
        mean(self.service, self.served)
    }

    /// How long it was there.
    #[must_use]
    pub fn present(&self) -> Duration {
        self.busy + self.starved + self.blocked + self.awaiting + self.overhead
    }
}

/// The names of tasks; where several have the same, with their numbers.
pub(super) fn labels(tasks: &[TaskFigures]) -> Vec<String> {
    let same = |name: &str| tasks.iter().filter(|task| task.name == name).count();
    let label = |(place, task): (usize, &TaskFigures)| match same(&task.name) {
        1 => task.name.clone(),
        _ => {
            let number = tasks[..=place].iter().filter(|other| other.name == task.name).count();
            format!("{} {number}", task.name)
        }
    };
    tasks.iter().enumerate().map(label).collect()
}

fn rate(count: u64, span: Duration) -> f64 {
    if span.is_zero() { 0.0 } else { count as f64 / span.as_secs_f64() }
}

fn per(part: Duration, whole: Duration) -> f64 {
    if whole.is_zero() { 0.0 } else { part.as_secs_f64() / whole.as_secs_f64() }
}

fn mean(sum: Duration, count: u64) -> Option<Duration> {
    (count > 0).then(|| Duration::from_nanos((sum.as_nanos() / u128::from(count)) as u64))
}

/// The squared coefficient of variation. The sums are whole numbers, so nothing is lost where their
/// difference is small.
pub(super) fn scv(count: u64, sum: Duration, squares: u128) -> Option<f64> {
    let sum = sum.as_nanos();
    if count < 2 || sum == 0 {
        return None;
    }
    let square = sum.checked_mul(sum).map_or(u128::MAX, |square| square / u128::from(count));
    let deviations = squares.saturating_sub(square);
    let mean = sum as f64 / count as f64;
    Some(deviations as f64 / (count - 1) as f64 / (mean * mean))
}
