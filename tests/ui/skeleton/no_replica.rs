use skel::prelude::*;

fn main() {
    let _ = pipe!(task(1.0), farm(0, 3.0), deal(-2, 3.0));
}
