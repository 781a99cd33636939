//! Skeletons that are items, given a function for each task.

use skel::prelude::*;

pipe! {
    /// Reads images, sharpens them, writes them.
    pub skeleton Images { task("read", 20.0), farm(3, "sharpen", 5.0), task("write", 30.0) }
}

struct Picture(u32);
struct Sharp(u32);

impl Picture {
    fn sharpened(self) -> Sharp {
        Sharp(self.0)
    }
}

#[test]
fn each_is_given_what_the_one_before_makes() {
    let mut read = 0;
    let run = Images::new()
        .communicating(1e6)
        .buffers(4)
        .run()
        .read(|number: u32| {
            read += 1;
            Picture(number)
        })
        .sharpen(|picture| picture.sharpened())
        .write(|sharp| sharp.0);
    let _ = run;
}

/// Names that Rust has, that the type with the methods has, and that a form of another task has.
mod names {
    use skel::prelude::*;

    pipe! {
        pub skeleton Names {
            task("over", 1.0),
            task("type", 1.0),
            task("new", 1.0),
            task("read it", 1.0),
            task("load", 1.0),
            deal(2, "try_load", 1.0),
            task("A", 1.0),
            task("try_A_with", 1.0),
            task("retry", 1.0),
        }
    }
}

#[test]
fn every_name_is_a_method() {
    let function = |number: u32| number + 1;
    let _ = names::Names::new()
        .run()
        .over_(function)
        .try_type(|number: u32| Ok::<_, std::num::ParseIntError>(number))
        .new_task(function)
        .read_it(function)
        .load(function)
        .try_load_(function)
        .A_with(|| 3, |state, number| *state + number)
        .try_try_A_with_(|number| u8::try_from(number))
        .try_retry__with(|| 1, |_, number| Ok::<_, String>(number))
        .retry(3)
        .skip_failures();
}
