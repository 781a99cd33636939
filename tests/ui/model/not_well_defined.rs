use skel::prelude::*;

pepa! {
    #[check(deadlock_free)]
    pub model Fixture {
        P = (a, 1).P1; P1 = (a, infty).P;
        Q = (a, infty).Q1; Q1 = (a, infty).Q2; Q2 = (a, 1).Q;
        P <a> Q
    }
}

fn main() {}
