use skel::prelude::*;

fn main() {
    let (workers, items) = (3, 10.0);
    pipe! {
        skeleton Matching { map(workers, "split", 1.0), map_with_state(3, "identify", 5.0, state(2.0, items)) }
    }
    let _ = Matching::new();
}
