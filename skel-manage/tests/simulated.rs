//! Programs in virtual time against chains, formulas and laws.

use std::time::Duration;

use serde_json::Value;
use skel_core::number::ratio;
use skel_core::skeleton::{Communication, Program, Skeleton, Stage, StageId, Tree, text::parse};
use skel_core::time::ServiceTime;
use skel_manage::simulate::{Load, Simulation};
use skel_manage::{Action, Actuators};
use skel_run::monitor::Snapshot;
use skel_solve::Perform;

fn program(text: &str, buffers: u32) -> Program<Tree> {
    parse(text).into_tree().expect(text).communicating(1e9).buffers(buffers)
}

fn simulation(text: &str, buffers: u32, seed: u64) -> Simulation {
    Simulation::of(&program(text, buffers)).expect(text).seed(seed)
}

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

/// Service times of successive parts of a run: their mean and its standard error.
fn service_time(mut simulation: Simulation, part: f64) -> (f64, f64) {
    const PARTS: u32 = 20;
    simulation.run_until(seconds(part));
    let mut before = simulation.snapshot();
    let parts: Vec<f64> = (0..PARTS)
        .map(|number| {
            simulation.run_until(seconds(part * f64::from(number + 2)));
            let now = simulation.snapshot();
            let rate = now.since(&before).throughput();
            before = now;
            rate
        })
        .collect();
    let mean = parts.iter().sum::<f64>() / f64::from(PARTS);
    let variance = parts.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / f64::from(PARTS - 1);
    (1.0 / mean, (variance / f64::from(PARTS)).sqrt() / mean / mean)
}

fn fraction(value: &Value) -> f64 {
    if let Some(float) = value.as_f64() {
        return float;
    }
    let (above, below) =
        value.as_str().expect("text").split_once('/').unwrap_or((value.as_str().unwrap(), "1"));
    above.parse::<f64>().unwrap() / below.parse::<f64>().unwrap()
}

/// Every farm of the table that chains have solved: within four standard errors.
#[test]
fn farms_are_those_of_chains() {
    let seeds: Value = serde_json::from_str(include_str!("../../tests/seeds/farm_ctmc.json")).unwrap();
    for cell in seeds["cells"].as_array().unwrap() {
        let [dispatch, worker, collect] = ["Ts", "Tw", "Tc"].map(|key| fraction(&cell[key]));
        let n = cell["n"].as_u64().unwrap();
        for (key, buffers) in [("b0_X", 0), ("b1_X", 1), ("b4_X", 4)] {
            let Some(exact) = cell.get(key).map(|value| 1.0 / fraction(value)) else { continue };
            let (dispatch, worker, collect) = (1.0 / dispatch, 1.0 / worker, 1.0 / collect);
            let text = format!("pipe(task({dispatch}), farm({n}, {worker}), task({collect}));");
            let (found, error) = service_time(simulation(&text, buffers, n), 500.0);
            assert!((found - exact).abs() < 4.0 * error, "{text} {key}: {found} ± {error} for {exact}");
        }
    }
}

/// With constant times a program has the service time of the formula: that of its slowest stage.
#[test]
fn constant_times_give_the_formula() {
    let cases = [
        ("pipe(task(deterministic(0.5)), farm(7, deterministic(4)), task(deterministic(0.5)));", 4.0 / 7.0),
        ("pipe(task(deterministic(0.5)), farm(9, deterministic(4)), task(deterministic(0.5)));", 0.5),
        ("pipe(task(deterministic(0.5)), deal(7, deterministic(4)), task(deterministic(0.25)));", 4.0 / 7.0),
        ("deal(3, pipe(task(deterministic(2)), task(deterministic(3))));", 1.0),
        ("farm(2, pipe(task(deterministic(1)), farm(3, deterministic(4))));", 2.0 / 3.0),
        ("pipe(task(deterministic(1)), map(4, deterministic(3)), task(deterministic(1)));", 3.0),
        ("pipe(task(deterministic(1)), fault_tolerant(3, deterministic(2)));", 2.0),
    ];
    for (text, expected) in cases {
        for buffers in [0, 1, 4] {
            let mut simulation = simulation(text, buffers, 1);
            simulation.run_until(seconds(100.0));
            let before = simulation.snapshot();
            simulation.run_until(seconds(2200.0));
            let found = 1.0 / simulation.snapshot().since(&before).throughput();
            assert!((found / expected - 1.0).abs() < 0.01, "{text} with {buffers}: {found} for {expected}");
        }
    }
}

/// Deals, farms of pipes and maps, against the chains that stand for them.
#[test]
fn other_skeletons_are_those_of_chains() {
    let texts = [
        "pipe(task(2), deal(3, 1), task(2));",
        "pipe(task(2), farm(2, pipe(task(2), task(2))), task(2));",
        "pipe(task(2), deal(2, 2), deal(2, 2), task(3));",
        "farm(2, pipe(task(2), task(2)));",
        "pipe(task(3), map(3, 2), task(3));",
        "pipe(task(3), farm(2, map(2, 2)), task(3));",
        "pipe(task(erlang(3, 0.5)), farm(2, hyperexponential([0.5, 0.5], [1, 3])), task(2));",
    ];
    for text in texts {
        for buffers in [0, 2] {
            let exact = {
                let program = program(text, buffers).with_communication(Communication::negligible());
                1.0 / program.performance().expect(text).throughput()
            };
            let (found, error) = service_time(simulation(text, buffers, 5), 600.0);
            let is_near = (found - exact).abs() < 4.0 * error;
            assert!(is_near, "{text} with {buffers}: {found} ± {error} for {exact}");
        }
    }
}

/// The parts of the time of each replica add up to the time that it was there, and items are neither lost nor
/// made.
fn check_balance(simulation: &Simulation, text: &str) {
    let snapshot = simulation.snapshot();
    for task in &snapshot.tasks {
        for replica in &task.replicas {
            let until = replica.left.unwrap_or(snapshot.at);
            assert_eq!(replica.present(), until - replica.began, "{text}: {replica:?}");
        }
    }
    let sum = |task: usize, of: fn(&skel_run::monitor::ReplicaFigures) -> u64| -> u64 {
        snapshot.tasks[task].replicas.iter().map(of).sum()
    };
    for task in 1..snapshot.tasks.len() {
        let between = sum(task - 1, |replica| replica.given) - sum(task, |replica| replica.taken);
        assert_eq!(Some(between), snapshot.tasks[task].queue, "{text}");
    }
    let inside = sum(0, |replica| replica.taken) - snapshot.delivered();
    assert_eq!(inside, snapshot.items_inside(), "{text}");
}

/// Replicas come and go in any program: nothing is lost, and it goes on.
#[test]
fn replicas_come_and_go() {
    let texts = [
        "pipe(task(20), farm(2, 10), task(30));",
        "pipe(task(20), deal(2, 10), task(30));",
        "pipe(task(20), deal(2, 10), deal(3, 10), farm(2, 10));",
        "farm(2, pipe(task(10), farm(2, 5)));",
        "deal(2, pipe(task(10), deal(2, 5), task(20)));",
        "pipe(farm(2, deal(2, 10)), deal(2, farm(2, 5)), deal(2, deal(2, 5)));",
        "pipe(task(20), farm(2, map(3, 10)), map(2, 20));",
    ];
    for text in texts {
        for buffers in [0, 3] {
            let mut simulation = simulation(text, buffers, 3);
            let tree = simulation.program().skeleton().clone();
            let places: Vec<StageId> = tree
                .ids()
                .filter(|&id| matches!(tree.stage(id), Stage::Replicated { .. } | Stage::Team(_)))
                .collect();
            let mut delivered = 0;
            for step in 0..60_u32 {
                let stage = places[step as usize % places.len()];
                let to = 1 + (step * 7 + step / 5) % 5;
                simulation.perform(&Action::SetReplicas { stage, from: 0, to }).expect(text);
                simulation.run_until(seconds(f64::from(step + 1) * 2.0));
                check_balance(&simulation, text);
                let now = simulation.snapshot().delivered();
                assert!(now > delivered + 1, "{text} with {buffers} stands still at step {step}");
                delivered = now;
            }
            simulation.run_until(seconds(200.0));
            let snapshot = simulation.snapshot();
            let tree = simulation.program().skeleton().clone();
            for task in &snapshot.tasks {
                let workers =
                    if let Stage::Team(team) = tree.stage(task.id) { team.workers as usize } else { 1 };
                let replicas = tree.tasks().iter().filter(|id| **id == task.id).count();
                assert_eq!(task.running(), replicas * workers, "{text}: {}", task.name);
            }
        }
    }
}

/// A load makes a task slower, and a source or an output sets the pace.
#[test]
fn loads_sources_and_outputs_set_the_pace() {
    let text = "pipe(task(100), farm(8, 12.5), task(100));";
    let tree = program(text, 4).skeleton().clone();
    let worker = tree.leaves().nth(1).unwrap();
    let load = Load::none().step(seconds(100.0), 2.0).step(seconds(200.0), 1.0);
    let mut loaded = simulation(text, 4, 1).load(worker, load);
    let mut ends = vec![loaded.snapshot()];
    for end in [100.0, 200.0, 300.0] {
        loaded.run_until(seconds(end));
        ends.push(loaded.snapshot());
    }
    let times: Vec<f64> = ends.windows(2).map(|pair| 1e3 / pair[1].since(&pair[0]).throughput()).collect();
    for (time, expected) in times.iter().zip([11.76, 20.3, 11.76]) {
        assert!((time - expected).abs() < 0.5, "{times:?}");
    }
    let half = ServiceTime::exponential(&ratio(20, 1));
    for mut slowed in [simulation(text, 4, 1).arrivals(&half), simulation(text, 4, 1).output(&half)] {
        slowed.run_until(seconds(600.0));
        let time = 1.0 / slowed.snapshot().throughput();
        assert!((time - 0.05).abs() < 0.002, "{time}");
        check_balance(&slowed, text);
    }
}

/// Another capacity of the buffers holds at once, and what cannot be done is refused in words.
#[test]
fn what_cannot_be_done_is_refused() {
    let mut simulation = simulation("pipe(task(\"read\", 2), farm(8, 0.25), task(2));", 0, 9);
    let worker = StageId(2);
    let refused = |simulation: &mut Simulation, stage, to| {
        simulation.perform(&Action::SetReplicas { stage, from: 1, to }).unwrap_err().to_string()
    };
    assert_eq!(
        refused(&mut simulation, StageId(1), 3),
        "`read` is not replicated: write a farm of it to have replicas"
    );
    assert_eq!(
        refused(&mut simulation, worker, 0),
        "farm of 8 × task cannot have 0 replicas; 1 is the least"
    );
    assert_eq!(refused(&mut simulation, StageId(9), 1), "the program has no stage 9");
    simulation.run_until(seconds(9000.0));
    let before = simulation.snapshot();
    simulation.perform(&Action::SetBuffers { from: 0, to: 4 }).unwrap();
    simulation.run_until(seconds(18_000.0));
    let time = |snapshot: &Snapshot| 1.0 / snapshot.throughput();
    let (without, with) = (time(&before), time(&simulation.snapshot().since(&before)));
    assert!((without - 0.687).abs() < 0.02 && (with - 0.588).abs() < 0.02, "{without} {with}");
    let early = parse("fault_tolerant(3, 2, early);").into_tree().unwrap().communicating(1e9);
    let error = Simulation::of(&early).unwrap_err().to_string();
    assert_eq!(
        error,
        "`fault_tolerant` passes on its result early, which is not simulated; without `early` it is"
    );
}

/// A seed says everything.
#[test]
fn a_seed_says_everything() {
    let run = |seed, steps: u32| {
        let mut simulation = simulation("pipe(task(20), farm(3, 8), task(30));", 4, seed);
        (1..=steps).for_each(|step| simulation.run_until(seconds(30.0 / f64::from(steps) * f64::from(step))));
        simulation.snapshot()
    };
    assert_eq!(run(1, 1), run(1, 1));
    assert_eq!(run(1, 1), run(1, 3));
    assert_ne!(run(1, 1).delivered(), run(2, 1).delivered());
}
