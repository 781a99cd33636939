use skel::prelude::*;

fn main() {
    let _ = pipe!(task("", 1.0), task("a\"b", 1.0));
}
