use skel::prelude::*;

pepa! {
    pub model Fixture {
        r = 0 - 2;
        z = 0;
        P = (a, r).(b, z).(c, 0).P;
        P
    }
}

fn main() {}
