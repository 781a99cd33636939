//! Contracts that cannot be kept: one violation with its reason, and no other number of workers. Beside it,
//! what the paper's rules do.

use skel_core::number::ratio;
use skel_core::time::{ServiceTime, mean};
use skel_manage::rule::Rules;
use skel_manage::simulate::{Load, Simulation};
use skel_manage::{Actuators, Contract, Manager, Settings};

use crate::trial::{Outcome, program, run, seconds};

/// Dispatch takes 0.5 s, and so does collection.
const PROGRAM: &str = "pipe(task(\"dispatch\", 2), farm(10, \"work\", 0.25), task(\"collect\", 3));";

fn simulation(text: &str, seed: u64) -> Simulation {
    Simulation::of(&program(text)).expect("simulated").seed(seed)
}

fn managed(simulation: Simulation, rules: Rules, contract: f64, end: f64) -> Outcome {
    let manager = Manager::new(Contract::service_time(mean(contract)), rules, Settings::default());
    run(simulation, manager, seconds(contract * 5.0), end, &mut |_| false)
}

/// The times are exponential, so that what is measured differs from the truth in every window.
#[test]
fn a_contract_below_the_time_of_dispatch_is_reported_once() {
    for seed in 1..=20 {
        let outcome = managed(simulation(PROGRAM, seed), Rules::predefined(), 0.45, 4000.0);
        assert_eq!(outcome.reports.len(), 1, "{seed}: {:?}", outcome.reports);
        assert!(
            outcome.reports[0].starts_with(
                "the contract of 450 ms cannot be kept by any number of workers: `dispatch` takes "
            ),
            "{}",
            outcome.reports[0]
        );
        assert!(outcome.changes.is_empty(), "{seed}: {}", outcome.steps());
    }
}

#[test]
fn contracts_below_the_pace_of_source_or_output_are_reported_once() {
    let half = ServiceTime::exponential(&ratio(2, 1));
    let fast = "pipe(task(\"dispatch\", 10), farm(16, \"work\", 0.25), task(\"collect\", 10));";
    for seed in 1..=10 {
        let sourced = simulation(fast, seed).arrivals(&half);
        let drained = simulation(fast, seed).output(&half);
        for (simulation, reason) in [(sourced, "an item comes every "), (drained, "the output takes ")] {
            let outcome = managed(simulation, Rules::predefined(), 0.45, 4000.0);
            assert_eq!(outcome.reports.len(), 1, "{seed}: {:?}", outcome.reports);
            assert!(outcome.reports[0].contains(reason), "{}", outcome.reports[0]);
            assert!(outcome.changes.is_empty(), "{seed}: {}", outcome.steps());
        }
    }
}

/// An obstacle that goes away is forgotten: then workers are added, and if it comes again, it is reported
/// again.
#[test]
fn an_obstacle_that_comes_again_is_reported_again() {
    let simulation = simulation("pipe(task(\"dispatch\", 200), farm(8, \"work\", 12.5), task(200));", 3);
    let dispatch = simulation.program().skeleton().task_named("dispatch").expect("a task");
    let load = Load::none().step(seconds(60.0), 4.0).step(seconds(150.0), 1.0).step(seconds(240.0), 4.0);
    let outcome = managed(simulation.load(dispatch, load), Rules::predefined(), 0.012, 330.0);
    assert_eq!(outcome.reports.len(), 2, "{:?}", outcome.reports);
}

/// The paper's first rule compares the time of a worker, `T_W`, with that of dispatch. It adds workers for
/// ever, which does not help.
#[test]
fn the_rule_of_the_paper_adds_workers_for_ever() {
    let paper = r#"
        [[rule]]
        name = "grow"
        priority = 100
        when = "service_time > limit and worker_time > dispatch_time"
        then = "add 1"
    "#;
    let rules = Rules::none().with_toml(paper).expect("rules");
    let outcome = managed(simulation(PROGRAM, 1), rules, 0.45, 12_000.0);
    assert!(outcome.changes.len() > 15, "{}", outcome.steps());
    assert!(outcome.reports.is_empty());
    let corrected = managed(simulation(PROGRAM, 1), Rules::predefined(), 0.45, 12_000.0);
    assert_eq!((corrected.changes.len(), corrected.reports.len()), (0, 1));
}

/// The paper's second rule moves workers to faster processors where dispatch is the bottleneck. Workers twice
/// as fast do not help, and a dispatch that is twice as fast does.
#[test]
fn faster_workers_do_not_help_where_dispatch_is_the_bottleneck() {
    let service_time = |task: Option<&str>| {
        let mut simulation = simulation(PROGRAM, 1);
        if let Some(task) = task {
            let task = simulation.program().skeleton().task_named(task).expect("a task");
            simulation = simulation.load(task, Load::none().step(seconds(0.0), 0.5));
        }
        simulation.run_until(seconds(20_000.0));
        1.0 / simulation.snapshot().throughput()
    };
    let [as_it_is, workers, dispatch] = [None, Some("work"), Some("dispatch")].map(service_time);
    assert!(as_it_is > 0.5 && workers > 0.49, "{as_it_is} {workers}");
    assert!(dispatch < 0.45, "{dispatch}");
}
