//! What a task did in a run: the figures of its replicas together.

use std::time::Duration;

use skel_core::skeleton::{Stage, StageId, Tree};

use crate::monitor::{ReplicaFigures, Snapshot, TaskFigures};

/// What one task did in a run, all its replicas together.
///
/// A replica is busy, starved or blocked, waits for others or moves items, so the five parts add up to one.
/// Workers that serve an item together are replicas here, and what each of them did for its part is what a
/// worker does in the model. What the replicas did for a parcel is what the model does for an item: where
/// items travel in batches, the mean service time is that of a batch.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TaskReport {
    /// Its node in the tree.
    pub id: StageId,
    /// Its name.
    pub name: String,
    /// The replicas that it had in the end; where several workers serve an item together, the workers of all
    /// replicas.
    pub replicas: usize,
    /// The items that they served.
    pub items: u64,
    /// The parcels that these came in.
    pub parcels: u64,
    /// How many services were timed: all, or a sample of them.
    pub timed: u64,
    /// The mean service time of a parcel, in seconds; none where nothing was served.
    pub mean: Option<f64>,
    /// The squared coefficient of variation of the service times of parcels; none of fewer than two.
    pub scv: Option<f64>,
    /// The part of the time that a replica computed, on average.
    pub busy: f64,
    /// The part of the time that a replica waited for items, on average.
    pub starved: f64,
    /// The part of the time that a replica waited to hand items over, on average.
    pub blocked: f64,
    /// The part of the time that a worker waited for the others that serve the same item, on average. It is 0
    /// in a task, which has none.
    pub waiting: f64,
    /// The part of the time that a replica did none of these: it moved items without waiting, on average.
    pub overhead: f64,
    /// How many replicas were busy, on average over the run: the processors that the task took.
    pub processors: f64,
    /// The states that it took, if it is a map with state.
    pub states: u64,
    /// The mean time that a worker took for its part of a state, in seconds; none without states.
    pub state_mean: Option<f64>,
    /// Items that failed for good and were left out.
    pub skipped: u64,
    /// Attempts after failures.
    pub retried: u64,
    /// Workers that panicked and were replaced.
    pub replaced: u64,
}

impl TaskReport {
    /// The figures of a task of a skeleton after a run of this length.
    pub(super) fn of(task: &TaskFigures, tree: &Tree, elapsed: Duration) -> Self {
        let replicas = &task.replicas;
        let count = |figure: fn(&ReplicaFigures) -> u64| replicas.iter().map(figure).sum::<u64>();
        let time = |figure: fn(&ReplicaFigures) -> Duration| {
            replicas.iter().map(|replica| figure(replica).as_secs_f64()).sum::<f64>()
        };
        let served = task.served();
        let is_team = matches!(tree.stage(task.id), Stage::Team(_));
        let taken = count(|replica| replica.states);
        TaskReport {
            id: task.id,
            name: task.name.clone(),
            replicas: threads_of(tree, task.id),
            items: task.items(),
            parcels: if is_team { task.items() } else { served },
            timed: task.timed(),
            mean: (served > 0).then(|| time(|replica| replica.service) / served as f64),
            scv: task.scv(),
            busy: task.busy_fraction(),
            starved: task.starved_fraction(),
            blocked: task.blocked_fraction(),
            waiting: task.waiting_fraction(),
            overhead: task.overhead_fraction(),
            processors: ratio(time(|replica| replica.busy), elapsed.as_secs_f64()),
            states: count(|replica| replica.kept),
            state_mean: (taken > 0).then(|| time(|replica| replica.renewing) / taken as f64),
            skipped: count(|replica| replica.skipped),
            retried: count(|replica| replica.retried),
            replaced: count(|replica| replica.replaced),
        }
    }
}

/// The part of the time from which on a wait for the source or for the output counts: less is what the run's
/// beginning and end cost.
const NOTICEABLE: f64 = 0.02;

impl TaskReport {
    /// How long a replica waits for items before each parcel, in seconds, where it does so for more than 2 %
    /// of its time.
    ///
    /// Of the first task that is the wait for the source: its replicas take items from the source themselves,
    /// one after the other.
    #[must_use]
    pub fn starved_for_each(&self) -> Option<f64> {
        self.for_each(self.starved)
    }

    /// How long a replica waits after each parcel until it can hand it over, in seconds, where it does so for
    /// more than 2 % of its time. Of the last task that is the wait for the output.
    #[must_use]
    pub fn blocked_for_each(&self) -> Option<f64> {
        self.for_each(self.blocked)
    }

    fn for_each(&self, part: f64) -> Option<f64> {
        let is_noticeable = part > NOTICEABLE && self.busy > 0.0;
        self.mean.filter(|_| is_noticeable).map(|mean| mean * part / self.busy)
    }
}

/// What each task did in a window, or until a moment: the figures of its replicas together, those included
/// that have left. Tasks that are not in the skeleton are left out.
///
/// # Examples
/// ```
/// use skel_core::skeleton::text::parse;
/// use skel_run::monitor::Monitors;
///
/// let tree = parse("pipe(task(1), farm(4, 2));").into_tree()?;
/// let monitors = Monitors::of(tree.leaves().map(|id| (id, tree.name(id))));
/// let earlier = monitors.snapshot();
/// let window = monitors.snapshot().since(&earlier);
/// let tasks = skel_run::report::tasks_of(&window, &tree);
/// assert_eq!((tasks[1].replicas, tasks[1].mean), (4, None));
/// # Ok::<(), skel_core::text::Rejected>(())
/// ```
#[must_use]
pub fn tasks_of(window: &Snapshot, tree: &Tree) -> Vec<TaskReport> {
    let is_known = |figures: &&TaskFigures| tree.leaves().any(|id| id == figures.id);
    let known = window.tasks.iter().filter(is_known);
    known.map(|figures| TaskReport::of(figures, tree, window.span())).collect()
}

/// How many replicas of a task a skeleton has in all.
pub(super) fn replicas_of(tree: &Tree, id: StageId) -> usize {
    tree.tasks().into_iter().filter(|&task| task == id).count()
}

/// How many threads serve a task in all: its replicas or, where several workers serve an item together, the
/// workers of all of them.
fn threads_of(tree: &Tree, id: StageId) -> usize {
    let workers = match tree.stage(id) {
        Stage::Team(team) => team.workers as usize,
        _ => 1,
    };
    replicas_of(tree, id) * workers
}

/// A part of a whole; none of nothing.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
