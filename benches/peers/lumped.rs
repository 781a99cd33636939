//! What `skel solve --json` does, but with replicas counted while exploring: `lumped MODEL.pepa`.
//!
//! `benches/peers/run` calls it for the chains that are measured lumped.

use serde_json::{Map, Value, json};
use skel::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which model?")?;
    let space = Model::from_file(path)?.explore_lumped()?;
    let solution = space.steady_state()?;
    let report = solution.report();
    let throughput: Map<String, Value> = solution
        .throughputs()
        .into_iter()
        .map(|(action, value)| (action.to_owned(), json!({ "value": value })))
        .collect();
    let answer = json!({
        "states": space.states(),
        "transitions": space.transitions(),
        "method": report.method,
        "iterations": report.iterations,
        "seconds": {
            "explore": space.explored_in().as_secs_f64(),
            "solve": report.solved_in.as_secs_f64(),
        },
        "throughput": throughput,
    });
    println!("{answer}");
    Ok(())
}
