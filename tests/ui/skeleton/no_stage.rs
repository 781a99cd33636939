use skel::prelude::*;

fn main() {
    let _ = pipe!();
    let _ = farm!(2, pipe());
}
