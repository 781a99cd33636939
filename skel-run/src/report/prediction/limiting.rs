//! What a program does where times do not vary: its slowest task sets the pace.
//!
//! That is the paper's formula: the service time of a pipe is the largest of its stages, that of a deal or
//! farm the one of its worker divided by the number of replicas. So the throughput is the least of `n / t`
//! over all tasks, where `n` is the number of replicas in all and `t` the mean time. It is a bound that no
//! variation exceeds. Tasks before the slowest one are blocked when they are not busy, and those behind it
//! are starved.

use skel_core::skeleton::{Stage, StageId, Tree};

use super::shares::Shares;
use crate::report::calibration::{Calibrated, CalibratedTask};

/// The throughput of a program whose times do not vary, in parcels per second.
pub(super) fn throughput(calibrated: &Calibrated) -> f64 {
    capacities(calibrated).into_iter().map(|(_, capacity)| capacity).fold(f64::INFINITY, f64::min)
}

/// What each task does where times do not vary.
pub(super) fn shares(calibrated: &Calibrated) -> Vec<Shares> {
    let throughput = throughput(calibrated);
    let capacities = capacities(calibrated);
    let slowest = capacities.iter().position(|&(_, capacity)| capacity <= throughput).unwrap_or_default();
    let share = |(place, &(id, capacity)): (usize, &(StageId, f64))| {
        let busy = throughput / capacity;
        let (starved, blocked) = if place < slowest { (0.0, 1.0 - busy) } else { (1.0 - busy, 0.0) };
        Shares { id, busy, starved: Some(starved), blocked: Some(blocked), waiting: Some(0.0) }
    };
    capacities.iter().enumerate().map(share).collect()
}

/// The part of the time that each task is busy at a throughput: whatever the variation, that is what its
/// services take.
pub(super) fn busy_at(calibrated: &Calibrated, throughput: f64) -> Vec<f64> {
    capacities(calibrated).into_iter().map(|(_, capacity)| throughput / capacity).collect()
}

/// How many parcels per second all replicas of each task can serve.
fn capacities(calibrated: &Calibrated) -> Vec<(StageId, f64)> {
    let capacity = |id| calibrated.replicas_of(id) as f64 / calibrated.least_work_of(id);
    calibrated.tasks.iter().map(|task| (task.id, capacity(task.id))).collect()
}

/// The throughput of threads that each take a parcel through all tasks, in parcels per second: with `k`
/// threads `k` parcels are inside, each for the sum of all times, unless a task outside of farms, which one
/// thread serves at a time, is slower.
pub(super) fn fused_throughput(calibrated: &Calibrated, threads: usize) -> f64 {
    let tree = calibrated.program.skeleton();
    let serial = calibrated.tasks.iter().filter(|task| !is_replicated(tree, task.id));
    let all: f64 = calibrated.tasks.iter().map(|task| task.fitted.mean).sum();
    serial.map(|task| 1.0 / task.fitted.mean).fold(threads as f64 / all, f64::min)
}

/// Whether a node is in a deal or farm.
fn is_replicated(tree: &Tree, id: StageId) -> bool {
    let workers = tree.stages().iter().filter_map(|stage| match stage {
        Stage::Replicated { worker, .. } => Some(*worker),
        _ => None,
    });
    workers.into_iter().any(|worker| is_inside(tree, id, worker))
}

fn is_inside(tree: &Tree, id: StageId, above: StageId) -> bool {
    id == above
        || match tree.stage(above) {
            Stage::Pipe(stages) => stages.iter().any(|&below| is_inside(tree, id, below)),
            Stage::Replicated { worker, .. } => is_inside(tree, id, *worker),
            _ => false,
        }
}

/// The part of the time that such threads spend in each task.
pub(super) fn fused_shares(calibrated: &Calibrated, threads: usize) -> Vec<Shares> {
    let throughput = fused_throughput(calibrated, threads);
    let busy = |mean: f64| throughput * mean / threads as f64;
    let share = |task: &CalibratedTask| Shares {
        id: task.id,
        busy: busy(task.fitted.mean),
        starved: None,
        blocked: None,
        waiting: None,
    };
    calibrated.tasks.iter().map(share).collect()
}
