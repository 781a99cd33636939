use skel::prelude::*;

pepa! {
    #[check(irreducible)]
    pub model Fixture {
        P = (a, 1).Q + (b, 1).R;
        Q = (c, 1).Q;
        R = (d, 1).R;
        P
    }
}

fn main() {}
