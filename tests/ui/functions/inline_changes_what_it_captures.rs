use skel::prelude::*;

fn main() {
    let mut count = 0;
    let program = pipe!(
        task("read", 20.0, |number: u32| number),
        farm(3, "double", 5.0, |number| {
            count += 1;
            2 * number
        }),
    );
    let _ = program.run().over(0..3);
}
