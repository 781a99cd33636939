//! What a task did in a run: the figures of its replicas together.

use std::time::Duration;

use skel_core::skeleton::{Stage, StageId, Tree};

use crate::monitor::{ReplicaFigures, TaskFigures};

/// What one task did in a run, all its replicas together.
///
/// A replica is busy, starved or blocked, waits for others or moves items, so the five parts add up to one. Workers that serve an item together
/// are replicas here, and what each of them did for its part is what a worker does in the model. What the replicas did for a parcel is what the
/// model does for an item: where items travel in batches, the mean service time is that of a batch.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TaskReport {
    /// Its node in the tree.
    pub id: StageId,
    /// Its name.
    pub name: String,
    /// The replicas that it had in the end; where several workers serve an item together, the workers of all replicas.
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
    /// The part of the time that a worker waited for the others that serve the same item, on average. It is 0 in a task, which has none.
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

/// How many replicas of a task a skeleton has in all.
pub(super) fn replicas_of(tree: &Tree, id: StageId) -> usize {
    tree.tasks().into_iter().filter(|&task| task == id).count()
}

/// How many threads serve a task in all: its replicas or, where several workers serve an item together, the workers of all of them.
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
