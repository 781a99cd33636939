//! A loop is over whole numbers.

use skel::run::distribute;

fn main() {
    let _ = distribute(0.0..10.0).run(|range| range.end - range.start);
}
