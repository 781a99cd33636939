use skel::prelude::*;

pepa! {
    pub model Fixture {
        P = (a, 1).P;
        Q = (a, infty).(b, 1).Q;
        S = P {a} Q;
        S {} S
    }
}

fn main() {}
