use skel::prelude::*;

pepa! {
    pub model Fixture {
        let r = 2;
        P = (a, r).P;
        let Q = (b, 1).Q;
        P <c> Q
    }
}

fn main() {}
