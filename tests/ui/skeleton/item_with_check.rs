use skel::prelude::*;

pipe! {
    #[check(deadlock_free)]
    pub skeleton Images { task("read", 1.0), task("write", 1.0) }
}

fn main() {}
