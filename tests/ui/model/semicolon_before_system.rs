use skel::prelude::*;

pepa! {
    pub model Fixture {
        Empty = (arrive, 1).Full;
        Full = (serve, 2).Emty
        Empty <arive> Full
    }
}

fn main() {}
