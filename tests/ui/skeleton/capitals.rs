use skel::prelude::*;

fn main() {
    let _ = pipe!(Task(1.0), Farm(2, 1.0), deal(2, Pipe(task(0))));
}
