use skel::prelude::*;

fn main() -> skel::Result<()> {
    let performance = pipe!(task(1.0), task(2.0)).performance()?;
    println!("{}", performance.throughput());
    let exact = pipe!(task(1.0), task(2.0)).performance_exact()?;
    println!("{}", exact.throughput());
    let _ = pipe!(task(1.0), task(2.0)).explore();
    let answer = pipe!(task(1.0), task(2.0)).dimension(Target::throughput(1.0))?;
    println!("{answer}");
    Ok(())
}
