//! The hop: how long it takes to hand an item from one thread to another.
//!
//! It is the rate of a move in the model of a program that has run, and depends on the machine alone. So it
//! is measured once in each process, when it is first asked for: items go through a queue of the kind that
//! connects two tasks, between two threads that do nothing else. The median of some rounds is taken, as one
//! round may meet another program on the machine. That takes a few milliseconds.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::queue::ring;
use crate::sync::thread;

/// The rounds. Their median is taken.
const ROUNDS: usize = 9;

/// The items of a round.
const ITEMS: u32 = 2_000;

/// The capacity of the queue: large enough that neither thread sleeps at each item, as in a pipe of balanced
/// stages.
const CAPACITY: usize = 64;

/// The mean time of a hop on this machine. Measured once in each process; see the module.
pub(in crate::report) fn hop() -> Duration {
    static HOP: OnceLock<Duration> = OnceLock::new();
    *HOP.get_or_init(|| {
        let mut rounds: Vec<Duration> = (0..ROUNDS).map(|_| round()).collect();
        rounds.sort_unstable();
        rounds[ROUNDS / 2].max(Duration::from_nanos(1))
    })
}

/// The mean time of an item on its way from one thread to another.
fn round() -> Duration {
    let (mut sender, mut receiver) = ring::<u32>(CAPACITY);
    thread::scope(|scope| {
        scope.spawn(move || (0..ITEMS).all(|item| sender.send(item).is_ok()));
        // The first item has arrived, so both threads run.
        let _first = receiver.recv();
        let begin = Instant::now();
        while receiver.recv().is_some() {}
        begin.elapsed() / (ITEMS - 1)
    })
}

#[cfg(test)]
mod tests {
    use super::{Duration, hop};

    #[test]
    fn a_hop_is_measured_once() {
        let first = hop();
        assert!(first >= Duration::from_nanos(1) && first < Duration::from_secs(1), "{first:?}");
        assert_eq!(hop(), first);
    }
}
