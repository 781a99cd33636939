//! What a task did in a run: the figures of its replicas together.

use std::time::Duration;

use skel_core::skeleton::{StageId, Tree};

use crate::monitor::{ReplicaFigures, TaskFigures};

/// What one task did in a run, all its replicas together.
///
/// A replica is busy, starved or blocked, or it moves items, so the four parts add up to one. What the replicas did for a parcel is what the
/// model does for an item: where items travel in batches, the mean service time is that of a batch.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TaskReport {
    /// Its node in the tree.
    pub id: StageId,
    /// Its name.
    pub name: String,
    /// The replicas that it had in the end.
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
    /// The part of the time that a replica did none of these: it moved items without waiting, on average.
    pub overhead: f64,
    /// How many replicas were busy, on average over the run: the processors that the task took.
    pub processors: f64,
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
        TaskReport {
            id: task.id,
            name: task.name.clone(),
            replicas: replicas_of(tree, task.id),
            items: task.items(),
            parcels: served,
            timed: task.timed(),
            mean: (served > 0).then(|| time(|replica| replica.service) / served as f64),
            scv: task.scv(),
            busy: task.busy_fraction(),
            starved: task.starved_fraction(),
            blocked: task.blocked_fraction(),
            overhead: task.overhead_fraction(),
            processors: ratio(time(|replica| replica.busy), elapsed.as_secs_f64()),
            skipped: count(|replica| replica.skipped),
            retried: count(|replica| replica.retried),
            replaced: count(|replica| replica.replaced),
        }
    }
}

/// How many replicas of a task a skeleton has in all.
pub(super) fn replicas_of(tree: &Tree, id: StageId) -> usize {
    tree.tasks().into_iter().filter(|&task| task == id).count()
}

/// A part of a whole; none of nothing.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
