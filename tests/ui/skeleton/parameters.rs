use skel::prelude::*;

pipe! {
    pub skeleton NoType(n) { task("read", 1.0), farm(n, "work", 2.0) }
}

pipe! {
    pub skeleton WithDefault(n: usize = 3) { task("read", 1.0), farm(n, "work", 2.0) }
}

pipe! {
    pub skeleton AsStage(n: usize, mu: f64) { mu, farm(n, "work", 2.0) }
}

pipe! {
    pub skeleton Unused(n: usize, mu: f64) { task("read", mu), farm(2, "work", 2.0) }
}

pipe! {
    pub skeleton OfText(n: &str) { task("read", 1.0), farm(n, "work", 2.0) }
}

fn main() {
    let _ = AsStage::new(2);
}
