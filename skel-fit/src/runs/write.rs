//! Runs as texts.

use std::fmt::Write;

use super::TimedRun;
use super::read::NAMES;

/// With the line of names.
pub(super) fn csv(runs: &[TimedRun]) -> String {
    format!("{}\n{}", NAMES.join(","), rows(runs, &[0, 1, 2, 3, 4, 5]))
}

/// A line of CSV for each run, with its parts in this order: each by its place among the names.
pub(super) fn rows(runs: &[TimedRun], order: &[usize]) -> String {
    let mut writer = csv::WriterBuilder::new().comment(Some(b'#')).from_writer(Vec::new());
    for run in runs {
        let parts = parts(run);
        let written = writer.write_record(order.iter().map(|&part| &parts[part]));
        written.expect("a vector takes all that is written");
    }
    let bytes = writer.into_inner().expect("a vector takes all that is written");
    String::from_utf8(bytes).expect("all parts are UTF-8")
}

/// The parts of a run, in the order of their names.
fn parts(run: &TimedRun) -> [String; 6] {
    let TimedRun { segment, machine, n, p, seconds, run } = run;
    [segment.clone(), machine.clone(), n.to_string(), p.to_string(), seconds.to_string(), run.to_string()]
}

pub(super) fn json_lines(runs: &[TimedRun]) -> String {
    let mut text = String::new();
    for run in runs {
        let line = serde_json::json!({
            "segment": run.segment, "machine": run.machine, "n": run.n, "p": run.p, "seconds": run.seconds, "run": run.run,
        });
        writeln!(text, "{line}").expect("a string takes all that is written");
    }
    text
}
