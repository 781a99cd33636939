//! What runs and loops measured, as timed runs of their segments.
#![cfg(feature = "fit")]

use std::thread::sleep;
use std::time::Duration;

use skel::fit::runs::{Runs, Trial};
use skel::prelude::*;

fn segment(runs: &Runs, segment: &str, machine: &str) -> f64 {
    let mut of_segment = runs.iter().filter(|run| run.segment == segment && run.machine == machine);
    let found = of_segment.next().unwrap_or_else(|| panic!("no `{segment}` in {runs:?}"));
    assert!(of_segment.next().is_none(), "`{segment}` is there twice: {runs:?}");
    found.seconds
}

#[test]
fn tasks_have_the_time_of_one_replica() {
    let wait = |milliseconds: u64| {
        move |number: u64| {
            sleep(Duration::from_millis(milliseconds));
            number
        }
    };
    let program = pipe!(
        task("program", 1.0, |number: u64| number),
        farm(3, "work", 1.0, wait(3)),
        task("last", 1.0, wait(1))
    );
    let report = program.run().over(0..30_u64).unwrap();
    let runs = report.timed_runs("bio", Trial::new(30.0).processes(5).number(2)).unwrap();
    assert_eq!(runs.machines(), ["bio"]);
    assert!(runs.iter().all(|run| (run.n, run.p, run.run) == (30.0, 5, 2)));
    // The name of the whole run is taken.
    let first = format!("program#{}", report.tasks()[0].id.0);
    assert_eq!(runs.segments(), ["last", "program", &first, "work"]);
    let tasks = report.tasks();
    let whole = segment(&runs, "program", "bio");
    assert!((whole - report.elapsed().as_secs_f64()).abs() < 1e-12);
    for (task, replicas) in [(&tasks[1], 3.0), (&tasks[2], 1.0)] {
        let seconds = segment(&runs, &task.name, "bio");
        let served = task.mean.unwrap() * task.parcels as f64 / replicas;
        assert!((seconds / served - 1.0).abs() < 0.05, "{seconds} s, and {served} s were served");
        assert!(seconds <= whole);
    }
    assert!(segment(&runs, "work", "bio") >= 0.03);
}

#[test]
fn tasks_without_names_are_told_apart() {
    let program = pipe!(task(1.0, |number: u64| number + 1), task(1.0, |number: u64| number + 2));
    let report = program.run().over(0..100_u64).unwrap();
    assert_eq!(report.timed_runs("", Trial::new(100.0)).unwrap().segments().len(), 3);
}

#[test]
fn tasks_without_items_have_no_run() {
    let program = pipe!(task("read", 1.0, |number: u64| number), task("write", 1.0, |number: u64| number));
    let report = program.run().over(0..0_u64).unwrap();
    let runs = report.timed_runs("", Trial::new(1.0)).unwrap();
    assert_eq!(runs.segments(), ["program"]);
    let error = report.timed_runs("", Trial::new(f64::NAN)).unwrap_err();
    assert!(error.to_string().contains("`n` is NaN; help: it must be above 0 and finite"), "{error}");
}

#[cfg(feature = "distribute")]
#[test]
fn loops_have_the_slowest_worker_of_each_machine() {
    let squares = skel::run::distribute(0..40_u64)
        .by(skel::distribute::Schedule::Chunked { items: 4 })
        .over(3)
        .run(|range| {
            sleep(Duration::from_millis(1));
            range.map(|index| index * index).sum::<u64>()
        })
        .unwrap();
    let machine = |worker: usize| if worker == 0 { "intel" } else { "bio" };
    let report = squares.report();
    let runs = report.timed_runs(machine, Trial::new(40.0).processes(3)).unwrap();
    let work = |workers: std::ops::Range<usize>| {
        report.workers()[workers].iter().map(|worker| worker.work).fold(0.0, f64::max)
    };
    for (name, workers) in [("intel", 0..1), ("bio", 1..3)] {
        let longest = work(workers);
        let found = runs.iter().find(|run| run.segment == "work" && run.machine == name);
        assert_eq!(found.map(|run| run.seconds), (longest > 0.0).then_some(longest));
    }
    assert!((segment(&runs, "loop", "") - report.seconds()).abs() < 1e-12);
}
