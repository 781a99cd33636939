use skel::prelude::*;

pepa! {
    pub model Fixture {
        n = 4000000;
        m = 1200000;
        P = (a, 1).P;
        P[n] || P[m] || P[m]
    }
}

fn main() {}
