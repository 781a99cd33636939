use skel::prelude::*;

pipe! {
    skeleton Program {
        task(1.0)
        task(2.0)
    }
}

fn main() {
    let _ = pipe!(task(1.0),, task(2.0));
    let _ = farm!(,2,,1.0);
    let _ = pipe!(task(1.0) farm(2, 3.0));
    let _ = task!(,);
}
