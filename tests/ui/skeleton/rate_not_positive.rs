use skel::prelude::*;

fn main() {
    let _ = pipe!(task(0), task("filter", -1.5), farm(2, 0.0), deal(2, "sort", -3));
}
