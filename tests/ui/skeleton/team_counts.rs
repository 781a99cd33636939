use skel::prelude::*;

fn main() {
    let _ = pipe!(task(1.0), map(0, 1.0), fault_tolerant(2, "vote", 3.0), fault_tolerant(4, 3.0, early));
    let _ = map_with_state!(0, "identify", 5.0, state(-2.0, 0));
}
