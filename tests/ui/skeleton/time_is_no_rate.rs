//! A mean time is not taken for a rate: `every` makes it one.

use std::time::Duration;

use skel::prelude::*;

pipe! {
    skeleton Compiler { task("parse", 12.ms()), task("emit", every(8.ms())) }
}

fn main() {
    let program = pipe!(task("parse", Duration::from_millis(12)), farm(2, 8.ms()), farm(2, "emit", 5.ms()));
    let _ = program.communicating(1.ms());
    let _: Rate = 1.ms().into();
}
