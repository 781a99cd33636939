//! Five tasks, one behind the other: the model of Fig. 4 (Yaikhom, Cole, Gilmore, Hillston 2007).
//!
//! The paper writes the skeleton as `pipe(5)` of tasks and prints the PEPA model that it stands for. The
//! processors compute at the rates 1, 3, 1, 2, 1, and the network moves every item at rate 1. T1, the
//! throughput of the first move, equals what leaves the last task, since in a pipe nothing is lost.

use skel::prelude::*;

/// The throughput of the first move; the paper gives no figure, this one is of an independent implementation.
const T1: f64 = 0.261_698_148_728;

fn main() -> skel::Result<()> {
    let stages = pipe!(task(1.0), task(3.0), task(1.0), task(2.0), task(1.0));
    let performance = stages.communicating(1.0).performance()?;
    println!("{}", performance.system());

    let pi = performance.steady_state();
    let (first, whole) = (pi.result_named("T1")?, *performance.throughput());
    println!("{} states (expected 108)", pi.space().states());
    println!("T1:                      {first:.12} (expected {T1})");
    println!("throughput of the whole: {whole:.12} (the same)\n");
    for task in performance.tasks() {
        println!("task {}: rate {}, utilisation {:.4}", task.task, task.rate, task.busy);
    }
    assert_eq!(pi.space().states(), 108);
    assert!((first - T1).abs() < 1e-12 && (whole - T1).abs() < 1e-12);
    Ok(())
}
