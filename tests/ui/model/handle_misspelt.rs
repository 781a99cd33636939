use skel::prelude::*;

pepa! {
    pub model Fixture {
        P = (serve, 1).P;
        P
    }
}

fn main() {
    let pi = Fixture::new().explore().unwrap().steady_state().unwrap();
    pi.throughput_of(Fixture::srve);
}
