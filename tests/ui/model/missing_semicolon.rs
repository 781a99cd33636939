use skel::prelude::*;

pepa! {
    pub model Fixture {
        r = 2
        P = (a, r).P;
        P
    }
}

fn main() {}
