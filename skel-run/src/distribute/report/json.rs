//! A report of a loop as JSON.

use super::LoopReport;
use super::piece::LoopPiece;
use super::worker::WorkerReport;
use crate::report::Object;

impl LoopReport {
    /// The report as a JSON object, with every call of the function in `timeline`. Times are in seconds;
    /// `items` of a call are its first one and the one behind its last, counted from 0. What is not known is
    /// `null`.
    ///
    /// # Examples
    /// ```
    /// use skel::run::distribute;
    ///
    /// let report = distribute(0..10).over(1).run(|range| range.count())?.report().to_json();
    /// assert!(report.starts_with(r#"{"schedule":"AWF-C","choice":null,"items":10,"seconds":"#));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn to_json(&self) -> String {
        let object = Object::new().text("schedule", &self.schedule.to_string());
        let object = match &self.choice {
            Some(choice) => object.text("choice", &choice.to_string()),
            None => object.raw("choice", "null"),
        };
        object
            .count("items", self.items)
            .number("seconds", self.seconds)
            .count("chunks", self.chunks())
            .number("overhead_per_chunk", self.overhead_per_chunk())
            .list("workers", self.workers.iter().map(worker))
            .list("timeline", self.timeline.iter().map(call))
            .end()
    }
}

fn worker(worker: &WorkerReport) -> String {
    let object = Object::new()
        .count("items", worker.items)
        .count("chunks", worker.chunks)
        .number("work", worker.work)
        .number("counted_work", worker.counted_work)
        .number("seconds_per_item", worker.seconds_per_item())
        .number("overhead", worker.overhead)
        .number("idle", worker.idle);
    match &worker.loss {
        None => object.raw("lost", "null").end(),
        Some(loss) => {
            let cause = Object::new().number("at", loss.at).text("cause", &loss.cause.to_string());
            object.raw("lost", &cause.end()).end()
        }
    }
}

fn call(call: &LoopPiece) -> String {
    Object::new()
        .count("worker", call.worker as u64)
        .raw("items", &format!("[{},{}]", call.items.start, call.items.end))
        .number("asked", call.asked)
        .number("started", call.started)
        .number("ended", call.ended)
        .raw("counts", if call.counts { "true" } else { "false" })
        .end()
}
