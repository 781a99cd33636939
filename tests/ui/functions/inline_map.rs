use skel::prelude::*;

fn main() {
    // A `String` has no parts.
    let _ = pipe!(task("split", 1.0, |line: String| line), map(3, "count", 1.0, |part: String| part.len()));
    // The function takes a part, not what the task before makes.
    let _ = pipe!(task("split", 1.0, |line: u32| 0..line), map(3, "count", 1.0, |part: u32| part));
    // What stands behind a map takes a `Vec`.
    let _ = pipe!(map(3, 1.0, |part: Vec<u8>| part.len()), task(1.0, |count: usize| count));
}
