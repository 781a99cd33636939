use std::rc::Rc;

use skel::prelude::*;

fn main() {
    let _ = pipe!(task("read", 20.0, |number: u32| Rc::new(number)), farm(3, "double", 5.0, |number| 2 * *number));
}
