//! What a task did in a run: the figures of its replicas together.

use std::time::Duration;

use skel_core::skeleton::{StageId, Tree};

use crate::monitor::{ReplicaFigures, TaskFigures};

/// What one task did in a run, all its replicas together.
///
/// A replica is busy, starved or blocked at any time, so the three parts add up to one. What the replicas did for a parcel is what the
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
        let (busy, starved, blocked) = (time(|it| it.busy), time(|it| it.starved), time(|it| it.blocked));
        let part = |time: f64| ratio(time, busy + starved + blocked);
        let parcels = count(|replica| replica.served);
        TaskReport {
            id: task.id,
            name: task.name.clone(),
            replicas: replicas_of(tree, task.id),
            items: count(|replica| replica.items),
            parcels,
            mean: (parcels > 0).then(|| busy / parcels as f64),
            scv: pooled_variation(replicas),
            busy: part(busy),
            starved: part(starved),
            blocked: part(blocked),
            processors: ratio(busy, elapsed.as_secs_f64()),
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

/// The squared coefficient of variation of the times of all replicas, from those of each: the variance within the replicas and that between
/// their means, over the square of the mean of all.
fn pooled_variation(replicas: &[ReplicaFigures]) -> Option<f64> {
    let total: u64 = replicas.iter().map(|replica| replica.served).sum();
    let busy: f64 = replicas.iter().map(|replica| replica.busy.as_secs_f64()).sum();
    if total < 2 || busy <= 0.0 {
        return None;
    }
    let mean = busy / total as f64;
    let squares = |replica: &ReplicaFigures| {
        let served = replica.served as f64;
        if served == 0.0 {
            return 0.0;
        }
        let own_mean = replica.busy.as_secs_f64() / served;
        let within = (served - 1.0) * replica.scv.unwrap_or(0.0) * own_mean * own_mean;
        within + served * (own_mean - mean) * (own_mean - mean)
    };
    let squares: f64 = replicas.iter().map(squares).sum();
    Some(squares / (total as f64 - 1.0) / (mean * mean))
}
