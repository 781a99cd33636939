use skel::prelude::*;

pepa! {
    #[check(deadlock_free irreducible)]
    pub model Fixture {
        P = (a, 1).P;
        P
    }
}

fn main() {}
