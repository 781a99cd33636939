use skel::prelude::*;

fn main() {
    let _ = pipe!(task(), task("name", 1.0, 2.0), farm(3), deal(2, "name"));
    let _ = task!("name");
    let _ = task!(1.0, "name");
    let _ = farm!(2.5, 1.0);
    let _ = farm!("name", 1.0);
}
