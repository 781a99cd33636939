use skel::prelude::*;

pepa! {
    pub model Fixture {
        r = 1;
        P = (a, r).P;
        r = 2;
        P
    }
}

fn main() {}
