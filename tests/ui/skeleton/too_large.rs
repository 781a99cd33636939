use skel::prelude::*;

fn main() {
    let _ = pipe!(farm(100, farm(100, 1.0)), task(1.0));
}
