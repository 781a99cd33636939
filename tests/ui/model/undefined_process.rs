use skel::prelude::*;

pepa! {
    pub model Fixture {
        P = (a, 1).Quue;
        Queue = (b, 1).P;
        P || Queue
    }
}

fn main() {}
