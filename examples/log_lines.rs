//! What is in a log: lines of text, parsed by a farm and counted by a task.
//!
//! The items are borrowed from the text, and so are the records that the workers make of them: nothing is
//! copied. A few lines are malformed; the farm is told to leave them out, and the report says how many there
//! were. The counts belong to the function of the last task alone.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use skel::prelude::*;

/// How many lines the log has, and after how many there is a malformed one.
const LINES: usize = 200_000;
const MALFORMED_EVERY: usize = 1_000;

pipe! {
    /// Parses lines and counts records, so many a second.
    skeleton Log { farm(2, "parse", 1e6), task("count", 5e6) }
}

/// A request: `GET /images/17 200 5120`.
struct Record<'t> {
    method: &'t str,
    path: &'t str,
    status: u16,
    bytes: u64,
}

/// What is known of all requests of one kind: method, folder and status.
#[derive(Default)]
struct Total {
    requests: u64,
    bytes: u64,
}

impl<'t> Record<'t> {
    fn parse(line: &'t str) -> Result<Self, String> {
        let mut words = line.split_ascii_whitespace();
        let mut next = |what| words.next().ok_or_else(|| format!("`{line}` has no {what}"));
        let (method, path) = (next("method")?, next("path")?);
        let status = next("status")?.parse().map_err(|error| format!("`{line}`: the status: {error}"))?;
        let bytes = next("size")?.parse().map_err(|error| format!("`{line}`: the size: {error}"))?;
        Ok(Record { method, path, status, bytes })
    }

    /// The first part of the path.
    fn folder(&self) -> &'t str {
        self.path[1..].split('/').next().unwrap_or_default()
    }
}

fn log() -> String {
    let mut text = String::new();
    for line in 0..LINES {
        let method = if line % 7 == 0 { "POST" } else { "GET" };
        let folder = ["images", "articles", "users"][line % 3];
        let status = if line % 50 == 0 { 404 } else { 200 };
        if line % MALFORMED_EVERY == 17 {
            text += "GET /images/\u{2026} interrupted\n";
        } else {
            writeln!(text, "{method} /{folder}/{line} {status} {}", line % 5_000).expect("a text grows");
        }
    }
    text
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let text = log();
    let mut totals: BTreeMap<(&str, &str, u16), Total> = BTreeMap::new();
    let report = Log::new()
        .run()
        .try_parse(Record::parse)
        .skip_failures()
        .count(|record| {
            let total = totals.entry((record.folder(), record.method, record.status)).or_default();
            total.requests += 1;
            total.bytes += record.bytes;
        })
        .over(text.lines())?;

    println!("folder    method  status  requests       bytes");
    for ((folder, method, status), total) in &totals {
        println!("{folder:8}  {method:6}  {status:6}  {:8}  {:10}", total.requests, total.bytes);
    }
    println!("\n{}", report.with_prediction()?);
    let requests: u64 = totals.values().map(|total| total.requests).sum();
    assert_eq!(requests, report.delivered());
    assert_eq!(report.skipped(), (LINES / MALFORMED_EVERY) as u64);
    Ok(())
}
