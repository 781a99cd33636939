use skel::prelude::*;

pepa! {
    pub model Fixture {
        zero = 0;
        negative = -3;
        half = 2.5;
        n = 3;
        P = (a, 1).P;
        P[zero] || P[negative] || P[half] || P[n / 2] || P[n - 3] || P[2.5]
    }
}

fn main() {}
