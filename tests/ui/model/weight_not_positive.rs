use skel::prelude::*;

pepa! {
    pub model Fixture {
        P = (a, 0 * infty).P;
        Q = (a, 1).Q;
        P <a> Q
    }
}

fn main() {}
