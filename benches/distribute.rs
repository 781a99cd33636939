//! Schedules of self-scheduling: the cost of a request, and simulations.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use skel_distribute::{RelativePerformance, Scenario, Schedule, Scheduler};

/// Machines of ten speeds.
fn seconds(machines: usize) -> Vec<f64> {
    (0..machines).map(|machine| 0.001 * (1 + machine * 7 % 10) as f64).collect()
}

const NAMES: [&str; 9] = ["SS", "CSS(20)", "GSS", "TSS", "FAC2", "WF2", "AWF-B", "AWF-C", "VRP-SS(20)"];

/// All requests of 100,000 items on 16 machines, one machine after the other.
#[divan::bench(args = NAMES)]
fn requests(bencher: Bencher<'_, '_>, name: &str) {
    let schedule: Schedule = name.parse().expect("it is a schedule");
    let performance = RelativePerformance::of_times(seconds(16)).expect("times are positive");
    let chunks = schedule.requests(100_000, &performance).expect("its parameters are right").count();
    let new = || Scheduler::<f64>::new(&schedule, 100_000, &performance).expect("its parameters are right");
    bencher.counter(ItemsCount::new(chunks)).with_inputs(new).bench_values(|mut scheduler| {
        let mut machine = 0;
        while let Some(chunk) = scheduler.next(machine) {
            scheduler.finished(machine, chunk.items(), black_box(0.5));
            machine = (machine + 1) % 16;
        }
        scheduler
    });
}

/// A million items, an item at a time.
#[divan::bench(args = [4, 100, 1000], max_time = 5)]
fn simulate_self_scheduling(bencher: Bencher<'_, '_>, machines: usize) {
    let scenario = Scenario::new(1_000_000, seconds(machines)).and_then(|one| one.with_overhead(1e-6));
    let scenario = scenario.expect("times are positive");
    bencher
        .counter(ItemsCount::new(1_000_000_usize))
        .bench(|| black_box(&scenario).simulate(&Schedule::SelfScheduling));
}

#[divan::bench(max_time = 5)]
fn simulate_self_scheduling_exactly(bencher: Bencher<'_, '_>) {
    let scenario = Scenario::new(10_000, seconds(100)).and_then(|one| one.with_overhead(1e-6));
    let scenario = scenario.expect("times are positive");
    bencher
        .counter(ItemsCount::new(10_000_usize))
        .bench(|| black_box(&scenario).simulate_exact(&Schedule::SelfScheduling));
}

/// All schedules that are usual, on 14 machines.
#[divan::bench(max_time = 5)]
fn compare_usual_schedules(bencher: Bencher<'_, '_>) {
    let scenario = Scenario::new(2500, seconds(14)).and_then(|one| one.with_overhead(0.0005));
    let scenario = scenario.expect("times are positive");
    let schedules = scenario.usual_schedules();
    bencher.counter(ItemsCount::new(schedules.len())).bench(|| scenario.compare(&schedules));
}
