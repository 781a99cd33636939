//! Reports of runs that are simulated or made by hand.

mod simulation;

use std::time::Duration;

use skel_core::skeleton::text::parse;
use skel_core::skeleton::{Program, Tree};

use super::{Departures, Ending, Execution, Method, Ran, Report};
use simulation::{Service, SimulatedStage, simulate};

/// Stages by the number of replicas, the mean time and the phases of each.
fn stages(said: &[(usize, f64, u32)]) -> Vec<SimulatedStage> {
    let stage = |&(replicas, mean, phases)| SimulatedStage { replicas, service: Service { mean, phases } };
    said.iter().map(stage).collect()
}

/// The pipe of these stages, with other times than those that are simulated.
fn program(stages: &[SimulatedStage], capacity: usize) -> Program<Tree> {
    let stage = |(number, stage): (usize, &SimulatedStage)| match stage.replicas {
        1 => format!("task(\"stage{number}\", 1)"),
        replicas => format!("farm({replicas}, \"stage{number}\", 1)"),
    };
    let stages: Vec<String> = stages.iter().enumerate().map(stage).collect();
    let text = format!("pipe({}); communication(1); buffers({capacity});", stages.join(", "));
    parse(&text).program().unwrap_or_else(|| panic!("{text}"))
}

fn ran(program: Program<Tree>, simulated: simulation::Simulated) -> Ran {
    Ran {
        program,
        execution: Execution::Threads,
        batch: 1,
        reason: "simulated".to_owned(),
        elapsed: simulated.elapsed,
        ending: Ending::Completed,
        skipped: 0,
        failed: 0,
        departures: simulated.departures,
        cores: 64,
        snapshot: simulated.snapshot,
    }
}

fn report(said: &[(usize, f64, u32)], capacity: usize, source: Option<Service>, items: u64, seed: u64) -> Report {
    let stages = stages(said);
    let program = program(&stages, capacity);
    let simulated = simulate(&program, &stages, capacity, source, items, seed);
    Report::new(ran(program, simulated))
}

/// The prediction is as near to the measurement as this part of it, and the shares of each task as near as this.
fn assert_agree(report: &Report, method: Method, within: f64) {
    let shown = report.with_prediction().unwrap();
    let prediction = shown.prediction();
    assert_eq!(prediction.method, method, "{shown}");
    let measured = report.throughput();
    let apart = prediction.throughput / measured.rate - 1.0;
    assert!(apart.abs() < within, "{apart}\n{shown}");
    for (task, shares) in report.tasks().iter().zip(&prediction.tasks) {
        let pairs = [
            (task.busy, Some(shares.busy)),
            (task.starved, shares.starved),
            (task.blocked, shares.blocked),
        ];
        for (measured, predicted) in pairs {
            assert!((measured - predicted.unwrap()).abs() < within, "{measured}, {predicted:?}\n{shown}");
        }
    }
}

#[test]
fn exponential_times_agree_with_the_chain() {
    for capacity in [0, 1, 4] {
        for said in [
            vec![(1, 0.010, 1), (1, 0.012, 1)],
            vec![(1, 0.010, 1), (3, 0.040, 1), (1, 0.012, 1)],
            vec![(1, 0.5, 1), (8, 4.0, 1), (1, 0.5, 1)],
            vec![(2, 0.010, 1), (3, 0.020, 1)],
        ] {
            let report = report(&said, capacity, None, 40_000, 7);
            assert_agree(&report, Method::Chain, 0.02);
        }
    }
}

#[test]
fn constant_times_agree_with_the_formula() {
    for capacity in [0, 1, 4] {
        for said in [
            vec![(1, 0.010, 0), (1, 0.012, 0), (1, 0.003, 0)],
            vec![(1, 0.010, 0), (3, 0.045, 0), (1, 0.012, 0)],
            vec![(1, 0.5, 0), (7, 4.0, 0), (1, 0.5, 0)],
        ] {
            let report = report(&said, capacity, None, 10_000, 7);
            assert_agree(&report, Method::Steady, 0.005);
        }
    }
}

#[test]
fn times_of_any_variation_agree_with_the_chain() {
    for said in [
        vec![(1, 0.010, 3), (1, 0.011, 1), (1, 0.010, 8)],
        vec![(1, 0.010, 2), (3, 0.033, 4), (1, 0.009, 1)],
        vec![(1, 0.010, 1), (1, 0.010, 0)],
    ] {
        assert_agree(&report(&said, 1, None, 40_000, 11), Method::Chain, 0.02);
    }
}

#[test]
fn a_slow_source_is_a_part_of_the_first_service() {
    let source = Service { mean: 0.02, phases: 1 };
    for said in [vec![(1, 0.010, 1), (1, 0.015, 1)], vec![(2, 0.010, 1), (1, 0.014, 1)]] {
        let report = report(&said, 1, Some(source), 40_000, 5);
        assert_agree(&report, Method::Chain, 0.02);
        println!("{}", report.with_prediction().unwrap());
    }
}

#[test]
fn show() {
    println!("{}", report(&[(1, 0.010, 1), (3, 0.040, 4), (1, 0.012, 1)], 4, None, 10_000, 7));
    println!("{}", report(&[(1, 0.010, 1), (3, 0.040, 4), (1, 0.012, 1)], 4, None, 10_000, 7).with_prediction().unwrap());
    println!("{}", report(&[(1, 0.010, 1), (3, 0.040, 4), (1, 0.012, 1)], 4, None, 10_000, 7).to_skel().unwrap());
    println!("{}", report(&[(1, 0.010, 0), (3, 0.040, 0), (1, 0.012, 1)], 4, None, 1_000, 7).with_prediction().unwrap());
    println!("{}", report(&[(1, 0.010, 0), (3, 0.040, 0), (1, 0.012, 1)], 4, None, 30, 7).with_prediction().unwrap());
    println!("{}", report(&[(1, 0.010, 0), (3, 0.040, 0), (1, 0.012, 1)], 4, None, 30, 7).with_prediction().unwrap().to_json());
}
