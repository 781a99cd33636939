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
    let mut seen = 0;
    let _ = pipe!(task("split", 1.0, |line: u32| 0..line), map(3, "count", 1.0, |part| seen += part.len()));
}
