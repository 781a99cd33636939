//! Programs from texts, and windows of runs that were not: each task with services of a mean and a variation.

use std::time::Duration;

use skel_core::skeleton::{Program, Stage, Tree, text};
use skel_run::monitor::{ReplicaFigures, Snapshot, TaskFigures};

/// The program of a `.skel` text.
pub(crate) fn program(text: &str) -> Program<Tree> {
    let parsed = text::parse(text);
    assert!(parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);
    parsed.program().expect("a program")
}

/// The services of each replica in a window.
pub(crate) const SERVICES: u64 = 1_000_000;

/// A window of a program in which each leaf has this mean time in seconds and this squared coefficient of
/// variation, in the order of the skeleton.
pub(crate) fn window(program: &Program<Tree>, times: &[(f64, f64)]) -> Snapshot {
    let tree = program.skeleton();
    assert_eq!(tree.leaves().count(), times.len());
    let tasks = tree.leaves().zip(times).enumerate().map(|(place, (id, &(mean, scv)))| {
        let replicas = tree.tasks().into_iter().filter(|&task| task == id).count();
        let workers = match tree.stage(id) {
            Stage::Team(team) => team.workers as usize,
            _ => 1,
        };
        let replica = |number: usize| served(mean, scv, number.is_multiple_of(workers));
        TaskFigures {
            id,
            name: tree.name(id),
            queue: (place > 0).then_some(0),
            queued: Duration::ZERO,
            replicas: (0..replicas * workers).map(replica).collect(),
        }
    });
    Snapshot { from: Duration::ZERO, at: Duration::from_secs(SERVICES), tasks: tasks.collect() }
}

/// What a replica did that was busy all the time. Of several workers of one item one counts it.
pub(crate) fn served(mean: f64, scv: f64, counts: bool) -> ReplicaFigures {
    let nanos = mean * 1e9;
    let time = Duration::from_nanos((nanos * SERVICES as f64).round() as u64);
    let squares = ((1.0 + scv) * nanos * nanos * SERVICES as f64) as u128;
    let items = if counts { SERVICES } else { 0 };
    ReplicaFigures {
        served: SERVICES,
        items,
        taken: items,
        given: items,
        busy: time,
        service: time,
        timed: SERVICES,
        timed_service: time,
        squares,
        ..ReplicaFigures::default()
    }
}
