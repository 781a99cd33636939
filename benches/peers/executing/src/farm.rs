//! What two workers cost beside a loop that does the same: the results in the order of the items, unless said
//! otherwise.

use std::thread;

use futures_util::stream::{self, StreamExt};
use rayon::iter::{ParallelBridge, ParallelIterator};

use skel::run::Engine;

use crate::executor;
use crate::hop::pool;
use crate::queue;
use crate::work::task;

const WORKERS: usize = 2;

/// Does so many tasks; the checksum depends on the order of the results.
pub(crate) fn run(peer: &str, rounds: u64, items: u64) -> Option<u64> {
    Some(match peer {
        "sequential" => checksum((0..items).map(|item| task(item, rounds))),
        "ring" => checksum(dealt(0..items, move |item| task(item, rounds))),
        "ring-64" => {
            let batches = (0..items).step_by(64).map(move |first| (first..items.min(first + 64)).collect());
            let task = move |mut values: Vec<u64>| {
                values.iter_mut().for_each(|value| *value = task(*value, rounds));
                values
            };
            checksum(dealt(batches, task).flatten())
        }
        "run" => executed(Engine::Threads, rounds, items),
        "run-pull" => executed(Engine::Pull(WORKERS), rounds, items),
        "run-automatic" => executed(Engine::Automatic, rounds, items),
        "tokio" => tokio_farm(rounds, items),
        // Without an order, so that the checksum is another one.
        "rayon" => pool(WORKERS).install(|| {
            (0..items).par_bridge().map(|item| task(item, rounds)).reduce(|| 0, u64::wrapping_add)
        }),
        _ => return None,
    })
}

/// Another one for another order.
fn checksum(results: impl Iterator<Item = u64>) -> u64 {
    results.fold(0, next)
}

fn next(sum: u64, result: u64) -> u64 {
    sum.wrapping_mul(31).wrapping_add(result)
}

fn executed(engine: Engine, rounds: u64, items: u64) -> u64 {
    executor::farm(engine, items, move |item| task(item, rounds), next)
}

/// Dealt by hand over this workspace's rings, and collected in turn: what a program without any executor
/// reaches.
fn dealt<T: Send + 'static>(
    source: impl Iterator<Item = T> + Send + 'static,
    task: impl Fn(T) -> T + Copy + Send + 'static,
) -> impl Iterator<Item = T> {
    let mut inlets = Vec::new();
    let mut outlets = Vec::new();
    for _ in 0..WORKERS {
        let (inlet, mut receive) = queue::ring(64);
        let (mut pass, outlet) = queue::ring(64);
        inlets.push(inlet);
        outlets.push(outlet);
        thread::spawn(move || {
            while let Some((item, _)) = receive.recv() {
                assert!(pass.send(task(item)).is_ok(), "the sink is there");
            }
        });
    }
    thread::spawn(move || {
        for (turn, item) in source.enumerate() {
            assert!(inlets[turn % WORKERS].send(item).is_ok(), "the worker is there");
        }
    });
    (0..WORKERS).cycle().map_while(move |turn| outlets[turn].recv().map(|(item, _)| item))
}

/// A future for each item, at most 64 of them at once.
fn tokio_farm(rounds: u64, items: u64) -> u64 {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(WORKERS).build().expect("a runtime");
    runtime.block_on(async {
        let spawned = stream::iter(0..items).map(|item| tokio::spawn(async move { task(item, rounds) }));
        let results = spawned.buffered(64).map(|result| result.expect("a task does not panic"));
        results.fold(0, async |sum, result| next(sum, result)).await
    })
}
