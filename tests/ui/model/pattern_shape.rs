use skel::prelude::*;

pepa! {
    pub model Fixture {
        P = (a, 1).P;
        Q = (b, 1).Q;
        P || Q
        x = {P || ** || Q};
    }
}

fn main() {}
