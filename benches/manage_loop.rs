//! What a manager costs: a look at a snapshot without a decision, and one with a decision.

use std::time::Duration;

use divan::Bencher;
use skel::manage::rule::Rules;
use skel::manage::simulate::Simulation;
use skel::manage::{Contract, Event, Manager, Settings};
use skel::prelude::*;
use skel::run::monitor::Snapshot;
use skel::skeleton::text;

/// A farm of so many workers that makes an item in 12 to 13 ms, and its snapshots until more than 400
/// services of each task have ended.
fn snapshots(workers: u32) -> (Simulation, Vec<Snapshot>) {
    let rate = 80.0 / f64::from(workers);
    let parsed = text::parse(&format!(
        "pipe(task(100), farm({workers}, {rate}), task(100)); buffers(4); communication(none);"
    ));
    let mut simulation = Simulation::of(&parsed.program().expect("a program")).expect("simulated");
    let snapshots = (1..=60).map(|tick| {
        simulation.run_until(Duration::from_millis(250) * tick);
        simulation.snapshot()
    });
    let snapshots = snapshots.collect();
    (simulation, snapshots)
}

fn manager(contract: Duration) -> Manager {
    let settings = Settings::default().dry_run();
    Manager::new(Contract::service_time(contract), Rules::predefined(), settings)
}

/// The contract is kept, and the window is not full.
#[divan::bench(args = [8, 64])]
fn look_without_decision(bencher: Bencher<'_, '_>, workers: u32) {
    let (simulation, snapshots) = snapshots(workers);
    let before = || {
        let (mut manager, mut simulation) = (manager(14.ms()), simulation.clone());
        snapshots[..15].iter().for_each(|snapshot| drop(manager.observe(snapshot, &mut simulation)));
        (manager, simulation)
    };
    bencher.with_inputs(before).bench_local_refs(|(manager, simulation)| {
        let events = manager.observe(&snapshots[15], simulation);
        assert!(events.is_empty(), "{events:?}");
    });
}

/// The window is full, and more workers are needed.
#[divan::bench(args = [8, 64])]
fn look_with_decision(bencher: Bencher<'_, '_>, workers: u32) {
    let (mut simulation, snapshots) = snapshots(workers);
    let contract = 11_200.us();
    let decides = |place: usize, simulation: &mut Simulation| {
        let mut manager = manager(contract);
        let mut events = Vec::new();
        for snapshot in &snapshots[..=place] {
            events = manager.observe(snapshot, simulation);
        }
        events.iter().any(|event| matches!(event, Event::Decided(_)))
    };
    let place = (0..snapshots.len()).find(|&place| decides(place, &mut simulation)).expect("a decision");
    let before = || {
        let (mut manager, mut simulation) = (manager(contract), simulation.clone());
        snapshots[..place].iter().for_each(|snapshot| drop(manager.observe(snapshot, &mut simulation)));
        (manager, simulation)
    };
    bencher.with_inputs(before).bench_local_refs(|(manager, simulation)| {
        assert!(!manager.observe(&snapshots[place], simulation).is_empty());
    });
}

/// Ten virtual minutes of a farm.
#[divan::bench(args = [8, 64])]
fn simulated(bencher: Bencher<'_, '_>, workers: u32) {
    let (simulation, _) = snapshots(workers);
    bencher.with_inputs(|| simulation.clone()).bench_local_refs(|simulation| {
        simulation.run_until(Duration::from_secs(600));
        simulation.services()
    });
}
