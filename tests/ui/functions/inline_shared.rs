use skel::prelude::*;

fn main() {
    let part = task!("double", 5.0, |number: u32| 2 * number);
    let _ = pipe!(task("read", 20.0, |number: u32| number), farm(3, part)).run().over(0..3);
}
