use skel::prelude::*;

pipe! {
    pub skeleton Images { task("read", 0.0), farm(0, "sharpen", 3.0) }
}

fn main() -> skel::Result<()> {
    let performance = Images::new().communicating(1.0).performance()?;
    println!("{}", performance.throughput_of(Images::sharpen));
    Ok(())
}
