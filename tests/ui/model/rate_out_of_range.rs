use skel::prelude::*;

pepa! {
    pub model Fixture {
        r = 1e-350;
        P = (a, r).P;
        P
    }
}

fn main() {}
