#![deny(deprecated)]

use skel::prelude::*;

pepa! {
    pub model Fixture {
        P = (a, 1).(b, 1).P;
        Q = (a, 2).(b, 2).Q;
        P <a> Q
    }
}

fn main() {}
