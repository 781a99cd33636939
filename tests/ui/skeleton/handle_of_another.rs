use skel::prelude::*;

pipe! {
    pub skeleton One { task("read", 1.0), task("write", 3.0) }
}
pipe! {
    pub skeleton Other { task("read", 1.0), task("write", 3.0) }
}

fn main() -> skel::Result<()> {
    let performance = One::new().communicating(1.0).performance()?;
    println!("{}", performance.throughput_of(Other::read));
    Ok(())
}
