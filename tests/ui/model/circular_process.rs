use skel::prelude::*;

pepa! {
    pub model Fixture {
        P = (a, 1).P;
        Sys = P || Rest;
        Rest = P || Sys;
        Sys
    }
}

fn main() {}
