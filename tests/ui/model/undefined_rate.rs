use skel::prelude::*;

pepa! {
    pub model Fixture {
        r1 = 1;
        P = (a, r2).P;
        P
    }
}

fn main() {}
