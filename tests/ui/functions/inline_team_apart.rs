use skel::prelude::*;

fn main() {
    let count = task!("count", 1.0, |part: std::ops::Range<u32>| part.len());
    let _ = map!(3, count).run().collect([0..10]);
    let part = map!(3, "count", 1.0);
    let _ = pipe!(task("read", 1.0, |number: u32| 0..number), part).run().collect([10]);
}
