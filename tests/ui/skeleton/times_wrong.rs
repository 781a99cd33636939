//! Literals of distributions are checked at compile time, all at once.

use skel::prelude::*;

pipe! {
    skeleton Compiler {
        task("parse", erlang(0, 12.ms())),
        task("check", erlang(4, mean(0))),
        farm(2, "optimise", hyperexponential([0.5, 0.4], [1.0, -2.0])),
        farm(3, fitted(0.ms(), 0.01)),
        task("emit", weibull(mean(2.0), 1000)),
    }
}

fn main() {
    let spread = 0.5;
    let _ = pipe!(
        task("read", phases([0.5, 0.4], [[-1, 1], [0, -1]])),
        task("sort", phases([1, 0], [[-1, 2], [-1, 3]])),
        task("merge", uniform(20.ms(), 8.ms())),
        task("pack", lognormal(12.ms(), f64::NAN)),
        task("write", fitted(mean(-1.0), spread)),
        task("send", erlang(4)),
    );
}
