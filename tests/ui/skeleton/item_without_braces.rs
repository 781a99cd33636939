use skel::prelude::*;

pipe! {
    pub skeleton Images task("read", 1.0)
}

fn main() {}
