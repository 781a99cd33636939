use skel::prelude::*;

pipe! {
    pub skeleton Program { task("new", 1.0), task("default", 1.0), task("clone", 1.0) }
}

fn main() {
    let _ = Program::clone;
}
