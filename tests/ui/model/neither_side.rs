use skel::prelude::*;

pepa! {
    pub model Fixture {
        P = (serve, 1).P;
        Q = (serve, infty).Q;
        P <serve, srve> Q
    }
}

fn main() {}
