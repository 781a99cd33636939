use skel::prelude::*;

fn main() {
    let _ = pipe!(1.0, task(2.0));
}
