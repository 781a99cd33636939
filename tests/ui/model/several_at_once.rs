use skel::prelude::*;

pepa! {
    pub model Fixture {
        r = 0;
        P = (a, rr).PP;
        Q = (a, infty).Q;
        P <b> Q
    }
}

fn main() {}
