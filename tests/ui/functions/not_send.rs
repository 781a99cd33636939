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

use std::rc::Rc;

fn main() {
    let _ = Images::new().run().read(|number: u32| Rc::new(number)).sharpen(|number| Sharp(*number)).write(drop);
    let _ = Images::new().run().read(|number: Rc<u32>| Picture(*number)).sharpen(sharpened).write(drop);
    let _ = Images::new().run().read(read).sharpen(sharpened).write_with(|| Rc::new(0), |_, sharp| drop(sharp));
}
