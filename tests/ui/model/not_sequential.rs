use skel::prelude::*;

pepa! {
    pub model Fixture {
        P = (a, 1).P;
        Q = (b, 1).(P || P);
        R = P + (Q <a> P);
        Q || R
    }
}

fn main() {}
