use skel::prelude::*;

fn main() {
    let program = pipe!(task(1.0), farm(2, 3.0));
    let _ = program.stage::<2>();
    let _ = program.stage::<0>().worker();
    let _ = program.worker();
}
