use skel::prelude::*;
use skel::run::StateOr;

fn main() {
    // A map with state takes states and items.
    let _ = pipe!(
        task("read", 1.0, |item: u32| item),
        map_with_state(2, "find", 1.0, state(2.0, 10), |part: &Vec<u32>, item: &u32| part.contains(item)),
    );
    // The state has to have parts.
    let _ = pipe!(
        task("read", 1.0, |item: StateOr<u32, u32>| item),
        map_with_state(2, "find", 1.0, state(2.0, 10), |part, item| part == item),
    );
}
