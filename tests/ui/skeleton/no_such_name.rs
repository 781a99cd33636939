use skel::prelude::*;

pipe! {
    pub skeleton Images { task("read", 1.0), farm(2, "sharpen", 3.0) }
}

fn main() {
    let _ = Images::sharpne;
}
