use skel::prelude::*;

fn root(number: &u64) -> u64 {
    number.isqrt()
}

fn main() {
    // Without a function, beside one that has one.
    pipe!(task("split", 1.0, |line: u32| 0..line), map(3, "count", 1.0));
    pipe!(task(1.0, |line: u32| 0..line), farm(2, map_with_state(3, 1.0, state(2.0, 10))), fault_tolerant(3, 1.0));
    // One function for workers that vote, as many as there are for three, and two and four.
    fault_tolerant!(3, 1.0, |number| root(number));
    fault_tolerant!(3, "root", 1.0, early, (root, root));
    fault_tolerant!(5, "root", 1.0, [root, root, root]);
    let workers = 4;
    fault_tolerant!(workers, "root", 1.0, (root, root, root, root));
    fault_tolerant!(11, 1.0, (root, root, root, root, root, root, root, root, root, root, root));
    // Several functions for workers that share one.
    map!(3, "count", 1.0, (root, root, root));
    // Functions come last.
    fault_tolerant!(3, "root", 1.0, (root, root, root), early);
    map_with_state!(3, "find", 1.0, |part, item| part == item, state(2.0, 10));
    map_with_state!(3, "find", 1.0, |part, item| part == item);
    map_with_state!(3, "find", 1.0, state(2.0, 10), 3);
    fault_tolerant!(3, "root", 1.0, early, (root, root, root), 4);
    // An item gets them by name.
    pipe! { skeleton Words { map(3, "count", 1.0, |part| part.len()) } }
}
