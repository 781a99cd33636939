//! What an item costs from one thread to the next: a source, a stage and a sink, and so two hops for each
//! item.

use std::thread;

use rayon::iter::{ParallelBridge, ParallelIterator};
use skel::run::monitor::Timing;

use crate::channel::{Channel, Crossbeam, Ring, Shared, Std};
use crate::executor;

/// Sends the items from 0 in batches, and sums what comes out: every item, plus one.
pub(crate) fn run(peer: &str, capacity: usize, batch: usize, items: u64) -> Option<u64> {
    Some(match (peer, batch) {
        ("run", _) => executor::hop(capacity, batch, Timing::Every, items),
        ("run-sampled", _) => executor::hop(capacity, batch, Timing::Sampled, items),
        ("ring", 1) => single::<Ring>(capacity, items),
        ("ring", _) => batches::<Ring>(capacity, batch, items),
        ("shared", 1) => single::<Shared>(capacity, items),
        ("shared", _) => batches::<Shared>(capacity, batch, items),
        ("crossbeam", 1) => single::<Crossbeam>(capacity, items),
        ("crossbeam", _) => batches::<Crossbeam>(capacity, batch, items),
        ("std", 1) => single::<Std>(capacity, items),
        ("std", _) => batches::<Std>(capacity, batch, items),
        ("tokio", 1) => tokio_pipe(capacity, 0..items, |item| item + 1, |item| item),
        ("tokio", _) => {
            let sources = split(batch, items);
            tokio_pipe(capacity, sources, add_one, |values| values.into_iter().sum())
        }
        // It has neither hops nor an order: its threads pull items from the source, under a lock.
        ("rayon", 1) => pool(3).install(|| (0..items).par_bridge().map(|item| item + 1).sum()),
        ("rayon", _) => {
            let batches = split(batch, items);
            pool(3)
                .install(|| batches.par_bridge().map(|values| add_one(values).into_iter().sum::<u64>()).sum())
        }
        _ => return None,
    })
}

/// A pool of threads for `rayon`.
pub(crate) fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool")
}

fn single<C: Channel>(capacity: usize, items: u64) -> u64 {
    pipe::<C, u64>(capacity, 0..items, |item| item + 1, |item| item)
}

fn batches<C: Channel>(capacity: usize, batch: usize, items: u64) -> u64 {
    pipe::<C, _>(capacity, split(batch, items), add_one, |values| values.into_iter().sum())
}

/// The numbers below a number, in batches.
fn split(batch: usize, items: u64) -> impl Iterator<Item = Vec<u64>> + Send + 'static {
    (0..items).step_by(batch).map(move |first| (first..items.min(first + batch as u64)).collect())
}

fn add_one(mut values: Vec<u64>) -> Vec<u64> {
    values.iter_mut().for_each(|value| *value += 1);
    values
}

/// A pipe of three threads.
fn pipe<C: Channel, T: Send + 'static>(
    capacity: usize,
    source: impl Iterator<Item = T> + Send + 'static,
    stage: fn(T) -> T,
    sink: fn(T) -> u64,
) -> u64 {
    let (mut send, mut receive) = C::ends(capacity);
    let (mut pass, mut take) = C::ends(capacity);
    thread::spawn(move || source.for_each(&mut send));
    thread::spawn(move || {
        while let Some(item) = receive() {
            pass(stage(item));
        }
    });
    std::iter::from_fn(|| take()).map(sink).fold(0, u64::wrapping_add)
}

/// The same, of three tasks on three threads.
fn tokio_pipe<T: Send + 'static>(
    capacity: usize,
    source: impl Iterator<Item = T> + Send + 'static,
    stage: fn(T) -> T,
    sink: fn(T) -> u64,
) -> u64 {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(3).build().expect("a runtime");
    let (send, mut receive) = tokio::sync::mpsc::channel(capacity);
    let (pass, mut take) = tokio::sync::mpsc::channel(capacity);
    runtime.spawn(async move {
        for item in source {
            assert!(send.send(item).await.is_ok(), "the receiver is there");
        }
    });
    runtime.spawn(async move {
        while let Some(item) = receive.recv().await {
            assert!(pass.send(stage(item)).await.is_ok(), "the receiver is there");
        }
    });
    let sum = runtime.spawn(async move {
        let mut sum = 0_u64;
        while let Some(item) = take.recv().await {
            sum = sum.wrapping_add(sink(item));
        }
        sum
    });
    runtime.block_on(sum).expect("it ends")
}
