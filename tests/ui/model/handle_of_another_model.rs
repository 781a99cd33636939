use skel::prelude::*;

pepa! { pub model One { P = (a, 1).P; P } }
pepa! { pub model Other { P = (a, 1).P; P } }

fn main() {
    let pi = One::new().explore().unwrap().steady_state().unwrap();
    pi.throughput_of(Other::a);
}
