use skel::prelude::*;

pepa! {
    #[check(irreducible)]
    pub model Fixture {
        P = (a, 1).Q;
        Q = (b, 1).Q;
        P
    }
}

fn main() {}
