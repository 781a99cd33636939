//! The PEPA Workbench's tiny example (appendix C of Benoit, Cole, Gilmore, Hillston 2005).
//!
//! Two copies of a process with the three steps *start*, *run*, *stop*, side by side. The copies do not
//! interact, so the chain is a product: each copy spends its time in the three states in the ratio
//! `1/2 : 1/10 : 1`, which is `5/16 : 1/16 : 10/16`, and runs `10 * 1/16` times per unit of time; both
//! together `5/4` times.

use skel::prelude::*;

pepa! {
    /// Two copies of a three-step process.
    pub model Tiny {
        r1 = 2; r2 = 10; r3 = 1;
        P1 = (start, r1).P2;
        P2 = (run, r2).P3;
        P3 = (stop, r3).P1;
        P1 || P1
        start1 = {P1 || **};
        run1 = {P2 || **};
        Trun1 = r2 * {P2 || **};
        stop1 = {P3 || **};
    }
}

fn main() -> skel::Result<()> {
    let space = Tiny::new().explore()?;
    let pi = space.steady_state_exact()?;
    println!("{} states, {} transitions", space.states(), space.transitions());
    println!("throughput of run: {} (expected 5/4)", pi.throughput_of(Tiny::run));
    for (name, value) in pi.results()? {
        println!("{name} = {value}");
    }
    assert_eq!(pi.throughput_of(Tiny::run), ratio(5, 4));
    assert_eq!(pi.utilisation_of(Tiny::P2), ratio(1, 16));

    let faster = Tiny { r3: 2.into(), ..Tiny::new() }.explore()?.steady_state_exact()?;
    println!("with stop at rate 2: {} (expected 20/11)", faster.throughput_of(Tiny::run));
    assert_eq!(faster.throughput_of(Tiny::run), ratio(20, 11));
    Ok(())
}
