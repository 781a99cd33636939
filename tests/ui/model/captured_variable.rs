use skel::prelude::*;

const FAST: f64 = 10.0;

fn main() {
    let arrivals = 2.0;
    pepa! {
        pub model Queue {
            Empty = (arrive, { 3.0 * arrivals }).Full;
            Full = (serve, { FAST }).Empty;
            Empty
        }
    }
    let _ = Queue::new();
}
