use skel::prelude::*;

pipe! {
    skeleton Images { task("read", 20.0, |number: u32| number), farm(3, "sharpen", 5.0), task("write", 30.0, drop) }
}

fn main() {
    let _ = Images::new().run().read(|number: u32| number).sharpen(|number| number).write(drop);
}
