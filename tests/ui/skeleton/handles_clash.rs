use skel::prelude::*;

pipe! {
    pub skeleton Program {
        task("new", 1.0),
        task("new_task", 4.0),
        task("a b", 1.0),
        task("a-b", 9.0),
    }
}

fn main() {}
