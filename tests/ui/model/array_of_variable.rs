use skel::prelude::*;

fn main() {
    let n = 3;
    let _ = pepa! { P = (a, 1).P; P[n] };
    pepa! {
        model InBraces { P = (a, 1).P; P[{ 2 * n }] }
    }
    pepa! {
        model Defined { clients = { n }; P = (a, 1).P; P[clients] }
    }
}
