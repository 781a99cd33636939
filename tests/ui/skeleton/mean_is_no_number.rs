//! A number is not taken for a mean time, since it may be a rate: `mean` says that it is one, or a unit does.

use skel::prelude::*;

pipe! {
    skeleton Compiler { task("parse", erlang(4, 0.5)), task("emit", erlang(4, mean(0.5))) }
}

fn main() {
    let program = pipe!(task("parse", fitted(2, 0.3)), farm(2, deterministic(1.5)));
    let _ = program.communicating(10.0);
    let _ = lognormal(every(12.ms()), 0.5);
    let _ = weibull(ratio(1, 2), 0.5);
    let _ = erlang(12.ms(), 4);
    let _ = mean("half a second");
}
