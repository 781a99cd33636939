use skel::prelude::*;

pepa! {
    pub model Fixture {
        P = P + Q;
        Q = (a, 1).P;
        X = Y;
        Y = X;
        P || X
    }
}

fn main() {}
