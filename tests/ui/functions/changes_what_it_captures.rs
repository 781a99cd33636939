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

fn main() {
    let mut count = 0;
    let _ = Images::new().run().read(read).sharpen(|picture| {
        count += 1;
        sharpened(picture)
    });
}
