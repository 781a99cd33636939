use skel::prelude::*;

pipe! {
    skeleton Images { task("read", 20.0), task("write", 30.0) }
}

fn main() {
    let _ = Images::new().run().raed(|number: u32| number);
    let _ = Images::new().run().read(|number: u32| number).write(drop).read(drop::<u32>);
}
