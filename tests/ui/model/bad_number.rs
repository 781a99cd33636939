use skel::prelude::*;

pepa! {
    pub model Fixture {
        r = 1e999999999;
        P = (a, 0x10).P;
        P
    }
}

fn main() {}
