use skel::prelude::*;

pepa! {
    pub model Fixture {
        r = 0;
        lambda = mu;
        Empty = (arrive 1).Full;
        Full = (serve, lambda).Emty + (fail, q).Empty;
        mu = 2 2;
        Full <srve> Full
    }
}

fn main() {}
