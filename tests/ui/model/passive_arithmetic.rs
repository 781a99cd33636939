use skel::prelude::*;

pepa! {
    pub model Fixture {
        P = (a, 1 + infty).P;
        Q = (a, infty * infty).Q;
        r = 2 * infty;
        P <a> Q
    }
}

fn main() {}
