use skel::prelude::*;

pepa! {
    pub model Fixture {
        P = (a, "fast").P;
        P && P
    }
}

fn main() {}
