#![deny(deprecated)]

use skel::prelude::*;

pepa! {
    #[allow(blocked_action)]
    pub model Fixture {
        P = (a, 1).P;
        Q = (a, 2).Q1; Q1 = (b, 1).Q;
        (P / {a}) <a> Q
    }
}

fn main() {}
