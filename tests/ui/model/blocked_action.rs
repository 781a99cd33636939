use skel::prelude::*;

pepa! {
    pub model Fixture {
        P = (a, 1).(b, 1).P;
        Q = (a, infty).Q;
        P <a, b> Q
    }
}

fn main() {}
