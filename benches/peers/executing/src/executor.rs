//! The same programs as skeletons that run: pipes of a source, a stage and a sink in three threads, and farms
//! of two workers.

use skel::prelude::*;
use skel::run::Engine;
use skel::run::monitor::Timing;

pipe! { skeleton Pair { task("source", 1.0), task("stage", 1.0) } }

farm! { skeleton Workers { 2, "work", 1.0 } }

/// The sink is the thread that waits for the results.
pub(crate) fn hop(capacity: usize, batch: usize, timing: Timing, items: u64) -> u64 {
    let mut sum = 0_u64;
    let program = Pair::new().communicating(Communication::negligible()).buffers(capacity as u32);
    let run = program.run().source(|item: u64| item).stage(|item| item + 1);
    let ended = run
        .engine(Engine::Threads)
        .timing(timing)
        .batch(batch)
        .for_each(0..items, |item| sum = sum.wrapping_add(item));
    ended.expect("nothing fails");
    sum
}

/// The sum of the results, which depends on their order, is up to `fold`. The program chooses its batches.
pub(crate) fn farm(
    engine: Engine,
    items: u64,
    task: impl Fn(u64) -> u64 + Sync,
    mut fold: impl FnMut(u64, u64) -> u64,
) -> u64 {
    let mut answer = 0;
    let ended = Workers::new()
        .run()
        .work(task)
        .engine(engine)
        .for_each(0..items, |result| answer = fold(answer, result));
    ended.expect("nothing fails");
    answer
}

/// How many items come out of an idle pipe.
pub(crate) fn idle(source: impl Iterator<Item = u64> + Send) -> u64 {
    let mut count = 0;
    let run = Pair::new().run().source(|item: u64| item).stage(|item| item);
    run.engine(Engine::Threads).for_each(source, |_| count += 1).expect("nothing fails");
    count
}
