use skel::prelude::*;

pepa! {
    pub model Fixture {
        P = (a 1).P;
        Q = (a r).Q;
        P <a> Q
    }
}

fn main() {}
