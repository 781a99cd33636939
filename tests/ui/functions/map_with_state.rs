use skel::prelude::*;
use skel::run::StateOr;

pipe! {
    skeleton Search { task("read", 1.0), map_with_state(2, "find", 1.0, state(2.0, 10)) }
}

fn main() {
    // A map with state takes states and items.
    let _ = Search::new().run().read(|item: u32| item).find(|part: &Vec<u32>, item: &u32| part.contains(item));
    // The state has to have parts.
    let _ = Search::new().run().read(|item: StateOr<u32, u32>| item).find(|part, item| part == item);
}
