//! `T_A` and `T_D`: how fast items come and how fast they are taken, by how long the first and the last task
//! wait.
//!
//! The source is asked by the threads of the first task, one after the other. A single thread takes its next
//! item as soon as it has handed over the last one. It then waits for the source, serves the item, and is
//! blocked where the stages behind it are slower. Without being blocked it would take the rest of that time
//! for each item, which is `T_A`. This holds for an iterator, which makes an item while it is asked. Items of
//! a channel may come less often, but not less often than items went through.
//!
//! Several threads wait for the source and for each other. How long one waits is at least what the source
//! takes; if the source sets the pace, that is the service time of the program. So `T_A` is the lesser of
//! these. Everything holds for the output likewise.

use skel_run::report::TaskReport;

use super::StageMeasures;
use crate::quantity::ServiceTime;

/// `T_A`, where the first task waits for the source for a noticeable part of its time.
pub(super) fn arrival_time(
    tasks: &[TaskReport],
    stages: &[StageMeasures],
    service_time: ServiceTime,
) -> Option<ServiceTime> {
    let (task, stage) = (tasks.first()?, stages.first()?);
    pace(task, stage, task.starved_for_each()?, task.blocked, service_time)
}

/// `T_D`, where the last task waits for the output for a noticeable part of its time.
pub(super) fn output_time(
    tasks: &[TaskReport],
    stages: &[StageMeasures],
    service_time: ServiceTime,
) -> Option<ServiceTime> {
    let (task, stage) = (tasks.last()?, stages.last()?);
    pace(task, stage, task.blocked_for_each()?, task.starved, service_time)
}

/// The pace of what a task waits for so long before or after each parcel, where `other` is the part of its
/// time in which it waits for the rest of the program.
fn pace(
    task: &TaskReport,
    stage: &StageMeasures,
    wait: f64,
    other: f64,
    service_time: ServiceTime,
) -> Option<ServiceTime> {
    let mean = task.mean?;
    let for_a_parcel = if stage.replicas == 1 { mean * (1.0 - other) / task.busy } else { wait };
    let for_an_item = for_a_parcel * stage.time / mean;
    let measured = service_time.seconds() / stage.visits;
    Some(ServiceTime::of_seconds(for_an_item.min(measured)))
}
