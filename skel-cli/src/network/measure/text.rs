//! What was timed, for people: for each link a line for each size.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use skel::network::measure::Series;
use skel::network::{Bytes, Measured};

use super::links::Link;
use crate::report::table::{lines, table};

const HEADINGS: [&str; 6] = ["bytes", "message (us)", "spread", "gap (us)", "send (us)", "receive (us)"];

/// A table for each link.
pub(super) fn report(links: &[Link]) -> String {
    let mut text = String::new();
    for Link { from, to, series } in links {
        let title = if from == to { format!("{from}, between threads") } else { format!("{from} - {to}") };
        let repetitions = series.iter().map(|one| one.repetitions).max().unwrap_or_default();
        let _ = writeln!(text, "{title}: medians of up to {repetitions} repetitions");
        let _ = write!(text, "\n{}\n", of_link(series));
    }
    text
}

fn of_link(series: &[Series]) -> String {
    let sizes: BTreeSet<Bytes> = series.iter().map(|one| one.size).collect();
    let mut shown = table(&HEADINGS, &[0, 1, 2, 3, 4, 5]);
    for size in sizes {
        let find =
            |measured: Measured| series.iter().find(|one| one.size == size && one.measured == measured);
        let median = |measured: Measured| {
            find(measured).map_or_else(String::new, |one| format!("{:.2}", one.median.as_microseconds()))
        };
        let half = find(Measured::HalfRoundTrip);
        let spread = half.map(|one| format!("{:.1} %", 100.0 * (one.deviation / one.median)));
        shown.add_row([
            size.get().to_string(),
            median(Measured::HalfRoundTrip),
            spread.unwrap_or_default(),
            median(Measured::Gap),
            median(Measured::SendOverhead),
            median(Measured::ReceiveOverhead),
        ]);
    }
    lines(&shown)
}
