use skel::prelude::*;

pepa! {
    pub model Fixture {
        P = (a, 1).P1; P1 = (b, 1).P;
        Q = (c, 1).Q;
        P || Q
        x = {Q || **};
    }
}

fn main() {}
