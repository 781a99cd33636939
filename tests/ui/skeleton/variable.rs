//! A skeleton item stands on its own: it cannot use variables of the function around it.

use skel::prelude::*;

fn main() {
    let (rate, workers, name) = (2.0, 3_usize, "read");
    pipe! {
        skeleton Images(own: f64) { task(name, rate), farm(2 * workers, "sharpen", own), task(1.0 / rate) }
    }
    let _ = Images::new(rate);
}
