use skel::prelude::*;

pepa! {
    pub model Fixture {
        P = (a, Infty).P;
        Q = (a, inf).(b, 2).Q;
        P <a> Q
    }
}

fn main() {}
