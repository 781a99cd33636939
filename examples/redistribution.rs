//! Four workers, of which the first becomes four times slower halfway: how much later than the ideal a loop
//! ends, simulated and measured.
//!
//! The work of a worker is to sleep, so that four of them work at a time on a machine with fewer processors.
//! On a machine that is busy with other programs a sleep lasts up to some milliseconds longer than it should,
//! which adds to what is measured.
//!
//! `cargo run --release --example redistribution`, with the name of a file for a Gantt chart of the last
//! loop.

use std::ops::Range;
use std::thread::sleep;
use std::time::{Duration, Instant};

use skel::distribute::{Scenario, Schedule};
use skel::run::distribute;
use skel::run::distribute::{Learned, LoopReport};

const WORKERS: usize = 4;
const ITEMS: u64 = 4000;

/// How long an item takes, in seconds.
const SECONDS: f64 = 2e-3;

/// When the first worker becomes slower, in seconds, and how many times.
const SLOWED: (f64, f64) = (1.0, 4.0);

/// When the work on some items ends that begins at a time, in seconds.
fn end(worker: usize, start: f64, items: &Range<u64>) -> f64 {
    let work = (items.end - items.start) as f64 * SECONDS;
    let (at, factor) = SLOWED;
    match worker {
        0 if start >= at => start + work * factor,
        0 if start + work > at => at + (work - (at - start)) * factor,
        _ => start + work,
    }
}

/// Runs the loop; by a schedule, or by one that it chooses.
fn measured(
    schedule: Option<Schedule>,
    learned: &mut Learned,
) -> Result<LoopReport, Box<dyn std::error::Error>> {
    let began = Instant::now();
    let now = || began.elapsed().as_secs_f64();
    let work = |worker: usize, items: Range<u64>| {
        let start = now();
        sleep(Duration::from_secs_f64(end(worker, start, &items) - start));
    };
    let settings = distribute(0..ITEMS).over(WORKERS);
    let ended = match schedule {
        Some(schedule) => settings.by(schedule).run_by(work)?,
        None => settings.learning(learned).run_by(work)?,
    };
    Ok(ended.into_parts().1)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (at, factor) = SLOWED;
    let scenario = Scenario::new(ITEMS, [SECONDS; WORKERS])?.with_change(0, at, factor)?;
    let ideal: f64 = scenario.bound().ok_or("the machines do the work")?;
    println!("{ITEMS} items on {WORKERS} workers; the first is {factor} times slower from {at} s on");
    println!("ideal: {:.1} ms, before which no schedule can end\n", ideal * 1e3);
    println!("schedule      simulated (ms)   above ideal   measured (ms)   above ideal");
    let line = |schedule: Schedule, report: &LoopReport| -> Result<(), Box<dyn std::error::Error>> {
        let simulated =
            *scenario.clone().with_overhead(report.overhead_per_chunk())?.simulate(&schedule)?.makespan();
        let above = |seconds: f64| format!("{:.1} %", (seconds / ideal - 1.0) * 100.0);
        let (one, other) = (simulated * 1e3, report.seconds() * 1e3);
        let name = schedule.to_string();
        println!(
            "{name:<12} {one:>15.1} {:>13} {other:>15.1} {:>13}",
            above(simulated),
            above(report.seconds())
        );
        Ok(())
    };
    let mut learned = Learned::new();
    let of_paper = [10, 25, 40].map(|phases| Schedule::VrpSelfScheduling { phases });
    let others =
        [Schedule::Vrp, Schedule::Factoring, Schedule::AdaptiveChunk, Schedule::Chunked { items: 10 }];
    for schedule in others.into_iter().chain(of_paper) {
        line(schedule, &measured(Some(schedule), &mut learned)?)?;
    }
    println!("\nA loop that chooses its schedule by its earlier iterations:");
    let mut svg = None;
    for _ in 0..3 {
        let report = measured(None, &mut learned)?;
        let choice = report.choice().map(ToString::to_string).unwrap_or_default();
        println!("{}: {:.1} ms ({choice})", report.schedule(), report.seconds() * 1e3);
        svg = report.to_svg();
    }
    if let (Some(file), Some(svg)) = (std::env::args().nth(1), svg) {
        std::fs::write(file, svg)?;
    }
    Ok(())
}
