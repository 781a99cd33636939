use skel::prelude::*;

pepa! {
    pub model Fixture {
        infty = 3;
        P = (a, 1).P;
        P
    }
}

fn main() {}
