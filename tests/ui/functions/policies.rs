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

struct Unknown;

fn main() {
    let _ = Images::new().run().retry(3);
    let _ = Images::new().run().skip_failures();
    let _ = Images::new().run().read(read).sharpen(sharpened).retry(3).write(drop).retry(3);
    let _ = Images::new().run().try_read(|number: u32| if number > 0 { Ok(Picture(number)) } else { Err(Unknown) });
}
