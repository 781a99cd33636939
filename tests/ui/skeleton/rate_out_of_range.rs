use skel::prelude::*;

fn main() {
    let _ = task!(1e-400);
}
