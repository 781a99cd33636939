use skel::prelude::*;

pipe! {
    pub skeleton Images { task("read", 1.0), farm(2, RATE), stage }
}

fn main() {}
