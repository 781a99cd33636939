#![deny(deprecated)]

use skel::prelude::*;

pepa! {
    pub model Fixture {
        r = 1;
        P = (a, 1).P;
        P
    }
}

fn main() {}
