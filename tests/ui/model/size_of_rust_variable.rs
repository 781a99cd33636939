use skel::prelude::*;

fn main() {
    let clients = 3;
    pepa! {
        model Named { P = (a, 1).P; P[clients] }
    }
    pepa! {
        model Rates { n = { "three" }; P = (a, 1).P; P[n] }
    }
}
