use skel::prelude::*;

pepa! {
    pub model Fixture {
        n = m + 1;
        m = n - 1;
        k = k;
        P = (a, 1).P;
        P[n] || P[k]
    }
}

fn main() {}
