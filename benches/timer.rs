//! What a timer of segments costs for each pass: of the time that passes, and of the time for which the
//! thread has a processor.

use std::hint::black_box;

use divan::Bencher;
use divan::counter::ItemsCount;
use skel::fit::timer::{Segment, Timer};

const PASSES: u64 = 100_000;

/// Work of about 2 ns, so that the calls are not optimised as one.
fn work(pass: u64) {
    black_box(pass.wrapping_mul(0x9e37_79b9_7f4a_7c15));
}

/// The same loop without a timer, to subtract.
#[divan::bench]
fn without(bencher: Bencher<'_, '_>) {
    bencher.counter(ItemsCount::new(PASSES)).bench_local(|| (0..PASSES).for_each(work));
}

fn with(bencher: Bencher<'_, '_>, (timer, [segment, _]): (Timer, [Segment; 2])) {
    let process = timer.process(0, "this");
    bencher.counter(ItemsCount::new(PASSES)).bench_local(|| {
        for pass in 0..PASSES {
            process.time(segment, || work(pass));
        }
    });
}

#[divan::bench]
fn wall(bencher: Bencher<'_, '_>) {
    with(bencher, Timer::new(["segment", "inside"]));
}

#[cfg(unix)]
#[divan::bench]
fn processor(bencher: Bencher<'_, '_>) {
    with(bencher, Timer::of_processor(["segment", "inside"]));
}

/// Two segments, one inside of the other: an item is both.
#[divan::bench]
fn nested(bencher: Bencher<'_, '_>) {
    let (timer, [segment, inside]) = Timer::new(["segment", "inside"]);
    let process = timer.process(0, "this");
    bencher.counter(ItemsCount::new(PASSES)).bench_local(|| {
        for pass in 0..PASSES {
            process.time(segment, || process.time(inside, || work(pass)));
        }
    });
}

/// A timer for each pass, as in a loop whose chunks are given out: it is made, and its times are handed over.
#[divan::bench]
fn of_a_chunk(bencher: Bencher<'_, '_>) {
    let bench = || Timer::new(["segment", "inside"]);
    bencher.counter(ItemsCount::new(1_000_u64)).with_inputs(bench).bench_local_values(
        |(timer, [segment, _])| {
            for pass in 0..1_000 {
                timer.process(0, "this").time(segment, || work(pass));
            }
            timer
        },
    );
}
