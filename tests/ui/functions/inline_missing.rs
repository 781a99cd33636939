use skel::prelude::*;

fn main() {
    let _ = pipe!(task("read", 20.0, |number: u32| number), farm(3, "sharpen", 5.0), task(30.0, drop));
    let part = task!("sharpen", 5.0);
    let _ = pipe!(task("read", 20.0, |number: u32| number), farm(3, part)).run().over(0..3);
    let _ = farm!(3, pipe(task(20.0), task(5.0))).communicating(1e6).run().collect(0..3);
}
