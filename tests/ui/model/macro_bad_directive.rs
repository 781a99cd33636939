use skel::prelude::*;

pepa! {
    #[check(deadlock)]
    pub model Fixture {
        P = (a, 1).P;
        P
    }
}

fn main() {}
