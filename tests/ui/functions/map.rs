use skel::prelude::*;

pipe! {
    skeleton Words { task("split", 1.0), map(3, "count", 1.0), task("show", 1.0) }
}

fn main() {
    // A `String` has no parts.
    let _ = Words::new().run().split(|line: String| line).count(|part: String| part.len()).show(drop);
    // The function takes a part, not what the task before makes.
    let _ = Words::new().run().split(|line: u32| 0..line).count(|part: u32| part).show(drop);
    // What stands behind a map takes a `Vec`.
    let _ = Words::new().run().split(|line: u32| 0..line).count(|part| part.len()).show(|count: usize| drop(count));
    // There is no function of the map.
    let _ = Words::new().run().split(|line: u32| 0..line).show(drop);
    // A task has one result.
    let _ = Words::new().run().split(|line: u32| 0..line).reduce(|a, _| a);
}
