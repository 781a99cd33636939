use skel::prelude::*;

pepa! {
    pub model Fixture {
        P = (a, 1).(b, 1).P/{b};
        Q = (c, 1).(Q || Q);
        P || Q
    }
}

fn main() {}
