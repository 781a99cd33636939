//! Loops over indices on threads, of which each chunk does nothing: what a chunk costs, and what a loop
//! costs. Times are of the wall clock; `benches/peers/executing/run chunks` measures CPU time.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use skel::distribute::Schedule;
use skel::run::distribute;
use skel::run::distribute::Learned;

/// Schedules, each with so many indices that it gives out many chunks.
const LOOPS: [(&str, u64); 5] = [
    ("SS", 100_000),
    ("GSS", 1_000_000_000_000_000_000),
    ("FAC2", 1_000_000_000_000_000_000),
    ("AWF-C", 1_000_000_000_000_000_000),
    ("VRP-SS(10000)", 100_000),
];

fn chunks_of(name: &str, items: u64, workers: usize) -> u64 {
    let schedule: Schedule = name.parse().expect("it is a schedule");
    let ended = distribute(0..items).by(schedule).over(workers).run(|range| black_box(range.start));
    ended.expect("no worker is lost").report().chunks()
}

/// A loop, with the threads that it begins.
fn chunks(bencher: Bencher<'_, '_>, name: &str, workers: usize) {
    let (name, items) = *LOOPS.iter().find(|(known, _)| *known == name).expect("it is one of them");
    let chunks = chunks_of(name, items, workers);
    bencher.counter(ItemsCount::new(chunks)).bench(|| chunks_of(name, items, workers));
}

#[divan::bench(args = LOOPS.map(|(name, _)| name), max_time = 2)]
fn chunks_on_1_worker(bencher: Bencher<'_, '_>, name: &str) {
    chunks(bencher, name, 1);
}

#[divan::bench(args = LOOPS.map(|(name, _)| name), max_time = 2)]
fn chunks_on_2_workers(bencher: Bencher<'_, '_>, name: &str) {
    chunks(bencher, name, 2);
}

#[divan::bench(args = LOOPS.map(|(name, _)| name), max_time = 2)]
fn chunks_on_4_workers(bencher: Bencher<'_, '_>, name: &str) {
    chunks(bencher, name, 4);
}

/// The choice of a schedule for the second iteration of a loop, with that iteration.
#[divan::bench(args = [1, 2, 4], max_time = 2)]
fn second_iteration_of_a_loop_that_learns(bencher: Bencher<'_, '_>, workers: usize) {
    let iterate = |learned: &mut Learned| {
        let work = |range: std::ops::Range<u64>| range.map(black_box).sum::<u64>();
        distribute(0..10_000_u64)
            .learning(learned)
            .over(workers)
            .run(work)
            .map(|ended| ended.into_values().count())
    };
    let first = || {
        let mut learned = Learned::new();
        iterate(&mut learned).expect("no worker is lost");
        learned
    };
    bencher.with_inputs(first).bench_local_values(|mut learned| iterate(&mut learned));
}
