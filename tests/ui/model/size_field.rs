use skel::prelude::*;

pepa! { pub model Fixture { n = 2; P = (a, 1).P; P[n] } }

fn main() {
    // A size is a whole number.
    let _ = Fixture { n: 2.5 };
    // It has no handle: a state space has one size.
    let _ = Fixture::n;
}
