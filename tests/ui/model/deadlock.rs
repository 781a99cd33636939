use skel::prelude::*;

pepa! {
    #[check(deadlock_free)]
    pub model Fixture {
        P = (a, 1).(b, 1).P;
        Q = (b, 1).(a, 1).Q;
        P <a, b> Q
    }
}

fn main() {}
