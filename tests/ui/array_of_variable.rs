use skel::prelude::*;

fn main() {
    let n = 3;
    let _ = pepa! { P = (a, 1).P; P[n] };
    let _ = pepa! { P = (a, 1).P; P[{ n }] };
}
