use skel::prelude::*;

fn main() {
    let _ = pipe!(task(1.0, |text| text.len()), task(1.0, |length| length + 1));
}
