use skel::prelude::*;

pepa! {
    pub model Fixture {
        n = 20000;
        m = 6000;
        P = (a, 1).P;
        P[n] || P[m] || P[m]
    }
}

fn main() {}
