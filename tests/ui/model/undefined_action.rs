use skel::prelude::*;

pepa! {
    pub model Fixture {
        P = (serve, 1).P1; P1 = (rest, 1).P;
        P
        x = {(sreve, 1).P1};
    }
}

fn main() {}
