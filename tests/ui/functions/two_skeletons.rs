use skel::prelude::*;

mod images {
    skel::pipe! {
        pub skeleton Images { task("read", 20.0), task("write", 30.0) }
    }
}

pipe! {
    skeleton Texts { task("read", 20.0), task("write", 30.0) }
}

fn main() {
    let _ = images::Images::new().run().read(|number: u32| number).over(0..3);
    let _ = Texts::new().run().write(|number: u32| number);
}
