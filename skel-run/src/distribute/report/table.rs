//! A report of a loop as a table.

use std::fmt;

use super::LoopReport;
use super::worker::WorkerReport;
use crate::report::numbers::{percent, time};
use crate::report::table;

impl fmt::Display for LoopReport {
    /// How long the loop took by which schedule, and a line for each worker.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, overhead) = (time(self.seconds), time(self.overhead_per_chunk()));
        let words =
            |count: u64, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
        let items = words(self.items, "item", "items");
        let chunks = words(self.chunks(), "chunk", "chunks");
        writeln!(
            f,
            "{items} in {seconds} by {}: {chunks}, {overhead} a chunk besides the work",
            self.schedule
        )?;
        self.choice.iter().try_for_each(|choice| writeln!(f, "{}: {choice}", self.schedule))?;
        let head = ["worker", "items", "chunks", "an item", "work", "overhead", "idle"].map(str::to_owned);
        let workers = self.workers.iter().enumerate();
        let rows = workers.map(|(number, worker)| cells(number, worker, self.seconds));
        let rows: Vec<Vec<String>> = std::iter::once(head.to_vec()).chain(rows).collect();
        table(&rows, f)?;
        self.losses().try_for_each(|(worker, loss)| {
            writeln!(f, "worker {worker} was lost after {}: {}", time(loss.at), loss.cause)
        })
    }
}

fn cells(number: usize, worker: &WorkerReport, seconds: f64) -> Vec<String> {
    let part = |time: f64| if seconds > 0.0 { percent(time / seconds) } else { "-".to_owned() };
    vec![
        number.to_string(),
        worker.items.to_string(),
        worker.chunks.to_string(),
        worker.seconds_per_item().map_or_else(|| "-".to_owned(), time),
        part(worker.work),
        part(worker.overhead),
        part(worker.idle),
    ]
}
