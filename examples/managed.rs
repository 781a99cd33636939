//! A contract that a running program keeps while its load doubles.
//!
//! Pictures are read, sharpened and written. To sharpen one takes 8 ms, but 16 ms in the middle third of the
//! run. The contract is 2 ms for each picture. The manager starts with one worker, and prints in the end what
//! it did and why.
//!
//! ```sh
//! cargo run --release --example managed
//! ```

use std::thread::sleep;
use std::time::{Duration, Instant};

use skel::prelude::*;

pipe! {
    /// Reads, sharpens and writes pictures.
    skeleton Pictures { task("read", 1e4), farm(1, "sharpen", 125.0), task("write", 1e4) }
}

/// How long the run is.
const SPAN: Duration = Duration::from_secs(9);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let began = Instant::now();
    let is_loaded = || (SPAN / 3..2 * SPAN / 3).contains(&began.elapsed());
    let pictures = (0_u64..).take_while(|_| began.elapsed() < SPAN);

    let managed = Pictures::new()
        .run()
        .read(|number| number)
        .sharpen(|number| {
            sleep(Duration::from_millis(if is_loaded() { 16 } else { 8 }));
            number
        })
        .write(drop)
        .contract(Contract::service_time(2.ms()))
        .live()
        .over(pictures)?;

    println!("contract: {}\n", managed.contract());
    println!("{}", managed.log());
    println!("{}", managed.report());
    Ok(())
}
