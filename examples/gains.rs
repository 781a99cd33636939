//! A design study: where to spend the next processor.
//!
//! A service reads images, decodes them, filters them, encodes and stores the result, in items per second. The rates
//! were measured on one processor each; the network moves 1000 items per second. Twenty a second are asked for. What
//! is the bottleneck, what would one more replica bring at each stage, and how many are needed?
//!
//! Nothing is simulated: every figure is solved from a model. No replica may lower the throughput, and a farm brings at
//! least what a deal does; both are asserted. Where there is a farm already, the column of deals says what a deal of one
//! replica more would do in its place, which can be less than now.

use skel::performance::Gain;
use skel::prelude::*;
use skel::skeleton::{Replication, Tree};

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
    let measured = service().communicating(1000.0);
    let mut program: Program<Tree> = measured.with_skeleton(measured.skeleton().tree()?);
    loop {
        let performance = program.performance()?;
        let throughput = *performance.throughput();
        let bottleneck = performance.bottleneck();
        println!("{throughput:.3} items per second on {} processors", performance.tasks().len());
        println!("bottleneck: {}, busy {:.1} % of the time", bottleneck.name, 100.0 * bottleneck.utilisation);
        if throughput >= TARGET {
            println!("\n{TARGET} items per second are reached by\n{}", program.skeleton());
            return Ok(());
        }
        let gains = program.gains()?;
        let best = print_gains(&gains)?;
        println!("  one more for {}\n", best.path);
        program = program.with_skeleton(program.skeleton().with_one_more(best.stage, Replication::Farm));
    }
}

/// Prints what one more replica brings at each stage, in items per second, and returns the best.
fn print_gains(gains: &[Gain]) -> skel::Result<&Gain> {
    println!("  one more replica of               as a deal   as a farm      gain");
    for gain in gains {
        let (deal, farm) = (gain.as_deal.clone()?, gain.as_farm.clone()?);
        let percent = 100.0 * gain.best().expect("both have a figure");
        println!("  {}: {:22} {deal:9.3}   {farm:9.3}  {percent:6.2} %", gain.path, gain.name);
        assert!(farm > gain.now - ROUNDING && farm > deal - ROUNDING);
    }
    let best = gains.iter().max_by(|one, other| one.best().partial_cmp(&other.best()).expect("no NaN"));
    Ok(best.expect("a task can be replicated"))
}
