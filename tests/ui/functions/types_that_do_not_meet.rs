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

fn save(text: String) -> usize {
    text.len()
}

fn main() {
    let _ = Images::new().run().read(read).sharpen(|text: String| text.len()).write(|length| println!("{length}"));
    let _ = Images::new().run().read(read).sharpen(sharpened).write(save);
    let _ = Images::new().run().read(read).sharpen(|picture| picture.sharpened()).write(|sharp: Sharp| sharp.0);
}
