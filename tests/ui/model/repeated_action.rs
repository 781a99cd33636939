use skel::prelude::*;

pepa! {
    pub model Fixture {
        P = (a, 1).P;
        Q = (a, infty).Q;
        P <a, a> Q
    }
}

fn main() {}
