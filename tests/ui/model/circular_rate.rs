use skel::prelude::*;

pepa! {
    pub model Fixture {
        r = 2 * s;
        s = r / 3;
        P = (a, r).P;
        P
    }
}

fn main() {}
