use skel::prelude::*;

fn save(text: String) -> usize {
    text.len()
}

fn main() {
    let _ = pipe!(task(1.0, |number: u32| number), farm(2, 1.0, |text: String| text.len()));
    let _ = pipe!(task("read", 1.0, |number: u32| number), task("save", 1.0, save));
    let part = farm!(2, "save", 1.0, save);
    let _ = pipe!(task("read", 1.0, |number: u32| number), part).run().over(0..3);
}
