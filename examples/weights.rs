//! Passive weights: a dispatcher that splits work one to three.
//!
//! Jobs are dispatched at rate 4. The router is passive, with weight 1 for the slow path and 3 for the fast
//! one, so the paths are taken at rates 1 and 3, and the throughputs follow from the three states: 4/5, 1/5
//! and 3/5.

use skel::prelude::*;

pepa! {
    /// A dispatcher and a router with weights.
    pub model Dispatch {
        Router = (dispatch, infty).Slow + (dispatch, 3 * infty).Fast;
        Slow = (slowly, 1).Router;
        Fast = (fast, 1).Router;
        Jobs = (dispatch, 4).Jobs;
        Router <dispatch> Jobs
    }
}

fn main() -> skel::Result<()> {
    let pi = Dispatch::new().explore()?.steady_state_exact()?;
    println!("dispatched: {} (expected 4/5)", pi.throughput_of(Dispatch::dispatch));
    println!("slowly:     {} (expected 1/5)", pi.throughput_of(Dispatch::slowly));
    println!("fast:       {} (expected 3/5)", pi.throughput_of(Dispatch::fast));
    assert_eq!(pi.throughput_of(Dispatch::dispatch), ratio(4, 5));
    assert_eq!(pi.throughput_of(Dispatch::slowly), ratio(1, 5));
    assert_eq!(pi.throughput_of(Dispatch::fast), ratio(3, 5));
    Ok(())
}
