//! A design study: where to spend the next processor.
//!
//! A service reads images, decodes them, filters them, encodes and stores the result, in items per second.
//! The rates were measured on one processor each; the network moves 1000 items per second. Twenty a second
//! are asked for. What is the bottleneck, what would one more replica bring at each stage, and how many are
//! needed?
//!
//! Nothing is simulated: every figure is solved from a model. Each replica is tried as a worker of a farm,
//! whose workers are interchangeable and so are counted instead of told apart. No such replica may lower the
//! throughput; this is asserted.

use skel::performance::Gain;
use skel::prelude::*;
use skel::skeleton::Tree;

/// Items per second that are asked for.
const TARGET: f64 = 20.0;

/// Throughputs in `f64` agree no further than this.
const ROUNDING: f64 = 1e-9;

fn service() -> impl Structured {
    pipe!(
        task("read", 100.0),
        task("decode", 30.0),
        task("filter", 12.0),
        task("encode", 25.0),
        task("store", 80.0),
    )
}

fn main() -> skel::Result<()> {
    let mut program: Program<Tree> = service().tree()?.communicating(1000.0);
    loop {
        let performance = program.performance()?;
        let throughput = *performance.throughput();
        let bottleneck = performance.bottleneck();
        println!("{throughput:.3} items per second on {} processors", performance.tasks().len());
        println!("bottleneck: {}, busy {:.1} % of the time", bottleneck.name, 100.0 * bottleneck.busy);
        if throughput >= TARGET {
            println!("\n{TARGET} items per second are reached by\n{}", program.skeleton());
            return Ok(());
        }
        let gains = program.gains()?;
        let best = print_gains(&gains)?;
        println!("  one more for {}\n", best.path);
        let kind = best.best_kind().expect("a gain has a figure");
        program = program.with_skeleton(program.skeleton().with_one_more(best.stage, kind));
    }
}

/// Prints what one more replica brings at each stage, in items per second, and returns the best.
fn print_gains(gains: &[Gain]) -> skel::Result<&Gain> {
    println!("  one more replica of            items per second      gain");
    for gain in gains {
        let throughput = gain.as_farm.clone().expect("this service has no deals")?;
        let percent = 100.0 * gain.best().expect("a gain has a figure");
        println!("  {}: {:22} {throughput:14.3}  {percent:6.2} %", gain.path, gain.name);
        assert!(throughput > gain.now - ROUNDING);
    }
    let best = gains.iter().max_by(|one, other| one.best().partial_cmp(&other.best()).expect("no NaN"));
    Ok(best.expect("a task can be replicated"))
}
