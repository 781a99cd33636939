use skel::prelude::*;

fn main() {
    pipe!(task("split", 1.0, |line: u32| 0..line), map(3, "count", 1.0));
    pipe!(task("split", 1.0, |line: u32| 0..line), map(3, "count", 1.0, |part| part.len()));
}
