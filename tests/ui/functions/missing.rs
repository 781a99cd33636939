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
    let _ = Images::new().run().over(0..3);
    let _ = Images::new().run().read(read).collect(0..3);
    let sharp = Images::new().communicating(1e6).run().read(read).sharpen(sharpened);
    for item in sharp.results(0..3, |items| items.count()) {
        println!("{item}");
    }
    let _ = Images::new().run().read(read).sharpen(sharpened).for_each(0..3, |_| {});
}
