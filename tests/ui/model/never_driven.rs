use skel::prelude::*;

pepa! {
    pub model Fixture {
        P = (a, infty).P;
        Q = (b, 1).Q;
        P || Q
    }
}

fn main() {}
