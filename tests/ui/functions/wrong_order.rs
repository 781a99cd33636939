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
    let _ = Images::new().run().read(read).write(|sharp| drop::<Sharp>(sharp));
    let _ = Images::new().run().read(read).read(read);
    let _ = Images::new().run().try_sharpen_with(|| 1, |_, picture: Picture| Ok::<_, String>(sharpened(picture)));
}
