use skel::prelude::*;

pepa! {
    #[check(max_states = 3)]
    pub model Fixture {
        P = (a, 1).Q;
        Q = (b, 1).P;
        P || P
    }
}

fn main() {}
