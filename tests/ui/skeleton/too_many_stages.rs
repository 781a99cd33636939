use skel::prelude::*;

fn main() {
    let t = task!(1.0);
    let _ = pipe!(
        task(1), task(1), task(1), task(1), task(1), task(1), task(1), task(1), task(1),
        task(1), task(1), task(1), task(1), task(1), task(1), task(1), t
    );
}
