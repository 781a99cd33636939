use skel::prelude::*;

fn main() {
    let _ = pipe!(task(1.0), map(3, pipe(task(1.0), task(2.0))), fault_tolerant(3, farm(2, 1.0)));
    let worker = pipe!(task(1.0), task(2.0));
    let _ = pipe!(task(1.0), map(3, worker));
}
