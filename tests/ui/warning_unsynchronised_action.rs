#![deny(deprecated)]

use skel::prelude::*;

pepa! {
    pub model Fixture {
        P = (a, 1).P;
        Q = (a, 2).Q;
        P || Q
    }
}

fn main() {}
