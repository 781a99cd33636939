use skel::prelude::*;

pepa! { pub model Fixture { rate = 1; P = (a, rate).P; P } }

fn main() {
    let _ = Fixture { rte: 2.into(), ..Fixture::new() };
}
