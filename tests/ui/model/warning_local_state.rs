#![deny(deprecated)]

use skel::prelude::*;

pepa! {
    #[allow(blocked_action)]
    pub model Fixture {
        P = (a, 1).P1; P1 = (b, 1).P;
        Q = (a, 2).Q;
        (P / {a}) <a> Q
    }
}

fn main() {}
