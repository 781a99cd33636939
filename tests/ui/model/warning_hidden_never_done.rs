#![deny(deprecated)]

use skel::prelude::*;

pepa! {
    pub model Fixture {
        P = (serve, 1).P;
        P / {srve}
    }
}

fn main() {}
