use skel::prelude::*;

pipe! {
    pub skeleton Program {
        task("a.b", 1.0),
        task("self", 4.0),
        task("a b", 1.0),
        task("a-b", 9.0),
    }
}

fn main() {}
