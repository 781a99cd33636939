use skel::prelude::*;

pepa! {
    pub model Fixture;
}

fn main() {}
