//! From the calls of a loop to its results in order and its report.

use std::ops::Range;

use super::report::{Choice, LoopPiece, LoopReport, WorkerReport};
use super::run::{Ended, Output, Plan};

/// The results in the order of the items, and the report.
pub(super) fn report<R>(
    plan: &Plan,
    choice: Option<Choice>,
    ended: Ended<R>,
) -> (Vec<(Range<u64>, R)>, LoopReport) {
    let workers: Vec<WorkerReport> = ended
        .outputs
        .iter()
        .zip(ended.losses)
        .map(|(output, loss)| WorkerReport { loss, ..of_worker(output) })
        .collect();
    let count = ended.outputs.iter().map(|output| output.calls.len()).sum();
    let (mut results, mut timeline) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for call in ended.outputs.into_iter().flat_map(|output| output.calls) {
        results.extend(call.result.map(|result| (call.piece.items.clone(), result)));
        timeline.push(call.piece);
    }
    // The calls of each worker are nearly in order, which a stable sort makes use of.
    results.sort_by_key(|(items, _)| items.start);
    timeline.sort_by(|one: &LoopPiece, other| one.started.total_cmp(&other.started));
    let counted = timeline.iter().filter(|piece| piece.counts);
    let seconds = counted.map(|piece| piece.ended).fold(0.0, f64::max);
    let Plan { schedule, items, .. } = *plan;
    let performance = plan.performance.clone();
    (results, LoopReport { schedule, performance, items, seconds, workers, timeline, choice })
}

fn of_worker<R>(output: &Output<R>) -> WorkerReport {
    let mut report = WorkerReport {
        items: 0,
        chunks: output.chunks,
        work: 0.0,
        counted_work: 0.0,
        overhead: output.overhead,
        idle: output.idle,
        loss: None,
    };
    for piece in output.calls.iter().map(|call| &call.piece) {
        report.work += piece.work();
        if piece.counts {
            report.items += piece.items.end - piece.items.start;
            report.counted_work += piece.work();
        }
    }
    report
}
