use skel::prelude::*;

pepa! {
    pub model Fixture {
        P = (a, 1).P;
        P[P]
    }
}

fn main() {}
