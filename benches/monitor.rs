//! What a replica's monitors cost for each parcel that moves without waiting. Items are parcels.

use std::hint::black_box;
use std::sync::Arc;

use divan::Bencher;
use divan::counter::ItemsCount;
use skel::skeleton::StageId;
use skel_run::monitor::{Monitors, Timing, Watch};

const PARCELS: u64 = 100_000;

fn monitors(timing: Timing) -> Arc<Monitors> {
    Monitors::timed(timing, [(StageId(0), "task".to_owned())])
}

/// Work of about 2 ns, so that the calls are not optimised as one.
fn work(parcel: u64) {
    black_box(parcel.wrapping_mul(0x9e37_79b9_7f4a_7c15));
}

/// The same loop without monitors, to subtract.
#[divan::bench]
fn without(bencher: Bencher<'_, '_>) {
    bencher.counter(ItemsCount::new(PARCELS)).bench_local(|| (0..PARCELS).for_each(work));
}

fn with(bencher: Bencher<'_, '_>, timing: Timing) {
    let monitors = monitors(timing);
    let recorder = monitors.replica(0);
    let mut watch = Watch::new(&recorder);
    bencher.counter(ItemsCount::new(PARCELS)).bench_local(|| {
        for parcel in 0..PARCELS {
            watch.took(1, false);
            work(parcel);
            watch.served(1);
            watch.gave(1, false);
        }
    });
}

#[divan::bench]
fn every(bencher: Bencher<'_, '_>) {
    with(bencher, Timing::Every);
}

#[divan::bench]
fn sampled(bencher: Bencher<'_, '_>) {
    with(bencher, Timing::Sampled);
}

/// What a reader pays for a look at 4 tasks with 8 replicas each. Items are replicas.
#[divan::bench]
fn snapshot(bencher: Bencher<'_, '_>) {
    let monitors = Monitors::of((0..4).map(|task| (StageId(task), format!("task{task}"))));
    for replica in 0..32 {
        monitors.replica(replica % 4);
    }
    bencher.counter(ItemsCount::new(32_u64)).bench_local(|| monitors.snapshot());
}
