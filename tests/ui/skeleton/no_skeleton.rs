use skel::prelude::*;

fn main() {
    let name = "filter";
    let _ = pipe!(task(1.0), name);
    let _ = farm!(2, name);
}
