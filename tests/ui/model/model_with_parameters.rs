use skel::prelude::*;

pepa! {
    pub model Fixture(n: usize) { P = (a, 1).P; P[n] }
}

include_pepa!(pub model Tiny(n: usize) = "../../../models/tiny.pepa");

fn main() {}
