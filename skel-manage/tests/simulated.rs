//! Programs in virtual time against chains, formulas and laws.

use std::time::Duration;

use serde_json::Value;
use skel_core::skeleton::{Program, Skeleton, StageId, Tree, text::parse};
use skel_manage::simulate::{Load, Simulation};
use skel_manage::{Action, Actuators};

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
