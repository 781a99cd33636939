//! Comma-separated values: a line for each task in each interval.

use std::fmt::Write;
use std::time::Duration;

use super::Series;
use crate::monitor::figures::{Snapshot, TaskFigures};

/// The columns: times in seconds, throughput in items per second, parts of the time of the running replicas
/// from 0 to 1.
const HEADING: &str = "from_s,at_s,task,replicas,items,throughput,busy,starved,blocked,waiting,overhead,mean_service_s,scv,queue,skipped,retried,replaced";

impl Series {
    /// A line for each task and each interval between two snapshots, below a line of names.
    ///
    /// Times are in seconds, the throughput in items per second; `busy`, `starved`, `blocked`, `waiting` (for
    /// other workers of the same item) and `overhead` are parts of the time of the running replicas and add
    /// up to 1. `mean_service_s` and `scv` are those of a parcel; `queue` is how many items were in the queue
    /// before the task at the end. A cell is empty where there is no such figure. For everything that was
    /// recorded, take JSON lines.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut text = format!("{HEADING}\n");
        self.windows().for_each(|window| write_rows(&mut text, &window));
        text
    }
}

impl Snapshot {
    /// A line for each task, below a line of names, with the columns of [`Series::to_csv`].
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut text = format!("{HEADING}\n");
        write_rows(&mut text, self);
        text
    }
}

fn write_rows(text: &mut String, window: &Snapshot) {
    for task in &window.tasks {
        let row = row(window, task).join(",");
        writeln!(text, "{row}").expect("a string takes any text");
    }
}

fn row(window: &Snapshot, task: &TaskFigures) -> [String; 17] {
    let sum = |count: fn(&crate::monitor::ReplicaFigures) -> u64| {
        task.replicas.iter().map(count).fold(0, u64::saturating_add).to_string()
    };
    [
        seconds(window.from),
        seconds(window.at),
        cell(&task.name),
        task.mean_running(window.span()).to_string(),
        task.items().to_string(),
        task.throughput(window.span()).to_string(),
        task.busy_fraction().to_string(),
        task.starved_fraction().to_string(),
        task.blocked_fraction().to_string(),
        task.waiting_fraction().to_string(),
        task.overhead_fraction().to_string(),
        task.mean_service_time().map_or_else(String::new, seconds),
        task.scv().map_or_else(String::new, |scv| scv.to_string()),
        task.queue.map_or_else(String::new, |queue| queue.to_string()),
        sum(|replica| replica.skipped),
        sum(|replica| replica.retried),
        sum(|replica| replica.replaced),
    ]
}

fn seconds(time: Duration) -> String {
    time.as_secs_f64().to_string()
}

/// A cell, in quotation marks where a comma, a line or such a mark is in it.
fn cell(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
