//! A load that doubles for a minute, under three managers, in virtual time.

mod trials;

use skel_core::time::TimeUnits;
use skel_manage::Contract;
use skel_manage::simulate::{Load, Simulation};

use trials::{Kind, Outcome, Truth, program, run, seconds};

const PROGRAM: &str = "pipe(task(\"read\", 100), farm(1, \"sharpen\", 12.5), task(\"write\", 100));";

fn experiment(kind: Kind, seed: u64, truth: &Truth) -> Outcome {
    let program = program(PROGRAM);
    let sharpen = program.skeleton().task_named("sharpen").expect("a task");
    let load = Load::none().step(seconds(60.0), 2.0).step(seconds(120.0), 1.0);
    let simulation = Simulation::of(&program).expect("simulated").seed(seed).load(sharpen, load);
    let contract = Contract::service_time(12.ms());
    let goal = contract.goal().seconds();
    let mut is_above = |simulation: &Simulation| truth.service_time(&simulation.truth()) > goal;
    run(simulation, kind.manager(contract), 180.0, &mut is_above)
}

#[test]
fn the_chain_keeps_the_contract() {
    let truth = Truth::default();
    for kind in [Kind::Chain, Kind::Formula] {
        for seed in 1..=10 {
            let outcome = experiment(kind, seed, &truth);
            let Outcome { by_truth, measured, actions, reports, .. } = &outcome;
            let steps: Vec<String> = actions.iter().map(|(at, _, from, to)| format!("{at:.0}:{from}-{to}")).collect();
            println!("{kind:?} {seed}: by truth {by_truth:.1} s, measured {measured:.1} s, {} actions {} {reports:?}", actions.len(), steps.join(" "));
        }
    }
    for (n, rate) in [(7, 12.5), (8, 12.5), (9, 12.5), (14, 6.25), (15, 6.25), (16, 6.25)] {
        let of = program(&format!("pipe(task(100), farm({n}, {rate}), task(100));"));
        println!("{n} at {rate}: {}", truth.service_time(&of));
    }
    println!("{} chains", truth.solved());
}
