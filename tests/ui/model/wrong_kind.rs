use skel::prelude::*;

pepa! {
    pub model Fixture {
        r = 2;
        P = (a, Q).P;
        Q = (b, r).r;
        P || Q
    }
}

fn main() {}
