use skel::prelude::*;

pipe! { skeleton Images { task("read", 20.0), farm(3, "sharpen", 5.0), task("write", 30.0) } }

fn main() {
    // `write` has no function yet.
    let _ = Images::new().run()
        .read(|number: u32| number)
        .sharpen(|number| number)
        .contract(Contract::service_time(12.ms()));
}
