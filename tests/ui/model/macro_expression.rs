use skel::prelude::*;

fn main() {
    let _ = pepa! {
        P = (a, rate).P;
        P <b> P
    };
}
