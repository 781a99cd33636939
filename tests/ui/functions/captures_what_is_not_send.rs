use skel::prelude::*;

pipe! {
    skeleton Images { task("read", 20.0), farm(3, "sharpen", 5.0), task("write", 30.0) }
}

struct Picture(u32);
struct Sharp(u32);

fn read(number: u32) -> Picture {
    Picture(number)
}

fn sharpened(picture: Picture) -> Sharp {
    Sharp(picture.0)
}

use std::cell::RefCell;
use std::rc::Rc;

fn main() {
    let shared = Rc::new(RefCell::new(0));
    let _ = Images::new()
        .run()
        .read(|number: u32| {
            *shared.borrow_mut() += 1;
            Picture(number)
        })
        .sharpen(|picture| Sharp(picture.0 + *shared.borrow()));
}
