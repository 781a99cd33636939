use skel::prelude::*;

fn main() {
    let _ = pepa! { P = (a, f64::MAX).P; P };
    let _ = pepa! { r = f64::MAX; P = (a, r).P; P };
}
