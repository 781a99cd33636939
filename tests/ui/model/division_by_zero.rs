use skel::prelude::*;

pepa! {
    pub model Fixture {
        r = 1 / 0;
        P = (a, 2 / 0).(b, r).P;
        P
    }
}

fn main() {}
