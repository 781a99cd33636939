//! The three-stage pipeline of Fig. B.1 (Benoit, Cole, Gilmore, Hillston 2005).
//!
//! Stages get an item, process it and pass it on; processors and the network set the rates, all 10. The model
//! has 27 states and 51 transitions (Fig. 2.2), and every action the throughput 1217332/505609, about 2.4077.

use skel::prelude::*;

include_pepa!(pub model Pipeline = "../models/pipeline.pepa");

fn main() -> skel::Result<()> {
    let space = Pipeline::new().explore()?;
    let pi = space.steady_state_exact()?;
    println!("{} states, {} transitions (expected 27, 51)", space.states(), space.transitions());
    let throughput = pi.throughput_of(Pipeline::process1);
    println!("throughput of process1: {throughput} (expected 1217332/505609)");
    assert_eq!(throughput, ratio(1_217_332, 505_609));

    println!("\n network   throughput");
    for rate in [1, 10, 100, 1000] {
        let model = Pipeline {
            la1: rate.into(),
            la2: rate.into(),
            la3: rate.into(),
            la4: rate.into(),
            ..Pipeline::new()
        };
        let pi = model.explore()?.steady_state()?;
        println!("{rate:8}   {:.8}", pi.throughput_of(Pipeline::process1));
    }
    println!("(a network at 10000 gives 5.63467 in Table 5.1)");
    Ok(())
}
