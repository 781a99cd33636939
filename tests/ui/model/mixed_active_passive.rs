use skel::prelude::*;

pepa! {
    pub model Fixture {
        P = (a, 1).P + (a, infty).P;
        Q = (a, 2).Q;
        P <a> Q
    }
}

fn main() {}
