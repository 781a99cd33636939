//! What two workers cost beside a loop that does the same: the results in the order of the items, unless said otherwise.

use std::thread;

use futures_util::stream::{self, StreamExt};
use rayon::iter::{ParallelBridge, ParallelIterator};

use crate::hop::pool;
use crate::queue;
use crate::work::task;

const WORKERS: usize = 2;

/// Does so many tasks; the checksum depends on the order of the results.
pub(crate) fn run(peer: &str, rounds: u64, items: u64) -> Option<u64> {
    Some(match peer {
        "sequential" => checksum((0..items).map(|item| task(item, rounds))),
        "ring" => dealt(rounds, items, 1),
        "ring-64" => dealt(rounds, items, 64),
        "tokio" => tokio_farm(rounds, items),
        // Without an order, so that the checksum is another one.
        "rayon" => pool(WORKERS).install(|| (0..items).par_bridge().map(|item| task(item, rounds)).reduce(|| 0, u64::wrapping_add)),
        _ => return None,
    })
}

/// Another one for another order.
fn checksum(results: impl Iterator<Item = u64>) -> u64 {
    results.fold(0, |sum, result| sum.wrapping_mul(31).wrapping_add(result))
}

/// Dealt by hand over this workspace's rings, and collected in turn: what a program without any executor reaches.
fn dealt(rounds: u64, items: u64, batch: u64) -> u64 {
    let mut inlets = Vec::new();
    let mut outlets = Vec::new();
    for _ in 0..WORKERS {
        let (inlet, mut receive) = queue::ring::<Vec<u64>>(64);
        let (mut pass, outlet) = queue::ring::<Vec<u64>>(64);
        inlets.push(inlet);
        outlets.push(outlet);
        thread::spawn(move || {
            while let Some((mut values, _)) = receive.recv() {
                values.iter_mut().for_each(|value| *value = task(*value, rounds));
                pass.send(values).expect("the sink is there");
            }
        });
    }
    thread::spawn(move || {
        let batches = (0..items).step_by(batch as usize).map(|first| (first..items.min(first + batch)).collect());
        for (turn, values) in batches.enumerate() {
            inlets[turn % WORKERS].send(values).expect("the worker is there");
        }
    });
    let turns = (0..WORKERS).cycle();
    let mut batches = turns.map_while(|turn| outlets[turn].recv());
    checksum(batches.by_ref().flat_map(|(values, _)| values))
}

/// A future for each item, at most 64 of them at once.
fn tokio_farm(rounds: u64, items: u64) -> u64 {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(WORKERS).build().expect("a runtime");
    runtime.block_on(async {
        let spawned = stream::iter(0..items).map(|item| tokio::spawn(async move { task(item, rounds) }));
        let results = spawned.buffered(64).map(|result| result.expect("a task does not panic"));
        results.fold(0_u64, async |sum, result| sum.wrapping_mul(31).wrapping_add(result)).await
    })
}
