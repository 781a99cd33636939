use skel::prelude::*;

fn main() {
    let _ = pipe!(task(1.0), farm("b", 3, 5.0), deal("c", 2, 1.0));
}
