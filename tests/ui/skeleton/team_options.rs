use skel::prelude::*;

fn main() {
    let _ = map!(3, "split", 1.0, early);
    let _ = map!(3, "split", 1.0, state(1.0, 2));
    let _ = fault_tolerant!(3, "vote", 1.0, state(1.0, 2));
    let _ = map_with_state!(3, "identify", 1.0);
    let _ = map_with_state!(3, "identify", 1.0, state(1.0));
    let _ = map!(3);
    let _ = map!("split", 3, 1.0);
    let _ = map!(2.5, "split", 1.0);
    let _ = map!(3, "split");
    let _ = pipe!(Map(3, 1.0), FaultTolerant(3, 1.0));
}
