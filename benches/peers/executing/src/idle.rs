//! What a pipe costs while next to nothing happens: a hundred items in a second.

use std::thread;
use std::time::{Duration, Instant};

use crate::channel::{Channel, Crossbeam, Ring, Std};
use crate::executor;

const PERIOD: Duration = Duration::from_millis(10);

/// Runs for so long, and counts the items that come out.
pub(crate) fn run(peer: &str, milliseconds: u64) -> Option<u64> {
    let items = milliseconds / PERIOD.as_millis() as u64;
    Some(match peer {
        "ring" => pipe::<Ring>(items),
        "crossbeam" => pipe::<Crossbeam>(items),
        "std" => pipe::<Std>(items),
        "run" => executor::idle(paced(items)),
        "tokio" => tokio_pipe(items),
        // The same sleeps, without a pipe.
        "sleep" => paced(items).count() as u64,
        _ => return None,
    })
}

/// Items, each at its time.
fn paced(items: u64) -> impl Iterator<Item = u64> + Send {
    let start = Instant::now();
    (0..items).inspect(move |&item| {
        let due = start + PERIOD * (item as u32 + 1);
        thread::sleep(due.saturating_duration_since(Instant::now()));
    })
}

fn pipe<C: Channel>(items: u64) -> u64 {
    let (mut send, mut receive) = C::ends(64);
    let (mut pass, mut take) = C::ends(64);
    thread::spawn(move || paced(items).for_each(&mut send));
    thread::spawn(move || {
        while let Some(item) = receive() {
            pass(item);
        }
    });
    std::iter::from_fn(|| take()).count() as u64
}

fn tokio_pipe(items: u64) -> u64 {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(3)
        .enable_time()
        .build()
        .expect("a runtime");
    let (send, mut receive) = tokio::sync::mpsc::channel(64);
    let (pass, mut take) = tokio::sync::mpsc::channel(64);
    runtime.spawn(async move {
        let start = tokio::time::Instant::now();
        for item in 0..items {
            tokio::time::sleep_until(start + PERIOD * (item as u32 + 1)).await;
            assert!(send.send(item).await.is_ok(), "the receiver is there");
        }
    });
    runtime.spawn(async move {
        while let Some(item) = receive.recv().await {
            assert!(pass.send(item).await.is_ok(), "the receiver is there");
        }
    });
    let count = runtime.spawn(async move {
        let mut count = 0;
        while take.recv().await.is_some() {
            count += 1;
        }
        count
    });
    runtime.block_on(count).expect("it ends")
}
