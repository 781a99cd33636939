use skel::prelude::*;

pipe! {
    skeleton Images { task("read", 20.0), farm(3, 5.0), task("write", 30.0) }
}

pipe! {
    skeleton Three(name: String) { task(1.0), task(2.0), farm(2, name, 3.0) }
}

pipe! {
    skeleton Computed(name: String) { task("read", 20.0), farm(3, name, 5.0) }
}

fn main() {
    assert!(Images::new().communicating(1e6).performance().is_ok());
    let _ = Images::new().communicating(1e6).run().read(|number: u32| number).over(0..3);
    let _ = Three::new("read".to_owned()).run();
    let _ = Computed::new("read".to_owned()).run();
    let _ = pipe!(task("read", 20.0), task("write", 30.0)).run().over(0..3);
    let _ = pipe!(task("read", 20.0), task("write", 30.0)).communicating(1e6).run().over(0..3);
}
