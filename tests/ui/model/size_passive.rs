use skel::prelude::*;

pepa! {
    pub model Fixture {
        n = infty;
        P = (a, 1).P;
        P[n] || P[2 * infty]
    }
}

fn main() {}
