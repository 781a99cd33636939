use skel::prelude::*;

pepa! {
    pub model Fixture {
        P = (a 1).P;
        R = (c, 1).;
        P || R ||
    }
}

fn main() {}
