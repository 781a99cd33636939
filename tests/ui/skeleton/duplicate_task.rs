use skel::prelude::*;

fn main() {
    let _ = pipe!(task("filter", 1.0), farm(3, "filter", 2.0));
}
