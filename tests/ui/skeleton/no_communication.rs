use skel::prelude::*;

fn main() {
    let _ = pipe!(task(1.0), task(2.0)).performance();
    let _ = pipe!(task(1.0), task(2.0)).explore();
}
