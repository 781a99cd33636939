use skel::prelude::*;

fn main() {
    let _ = pipe!(task("a", f64::INFINITY), farm(2, std::f64::NAN), task(f64::NEG_INFINITY));
}
