//! The schedules of a sender and a receiver at a small ring, with every order in which one can see what the
//! other wrote. Loom fails a test in which a thread sleeps for ever.
//!
//! Two values through one place are about as much as can be explored exhaustively. With more values there are
//! at most so many switches in a schedule that no thread asks for: three, as loom recommends.

use loom::thread;

use super::Closed;
use super::ring::{Receiver, Sender, ring, ring_with_mark};

/// The number of such switches is not bounded.
const EVERY: Option<usize> = None;

/// Runs both ends in threads of their own, in every schedule; or in those with so many switches at most that
/// no thread asks for.
fn explore(
    switches: Option<usize>,
    ends: impl Fn() -> (Sender<usize>, Receiver<usize>) + Sync + Send + 'static,
    sends: impl Fn(Sender<usize>) + Copy + Send + Sync + 'static,
    receives: impl Fn(Receiver<usize>) + Copy + Send + Sync + 'static,
) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = switches;
    builder.check(move || {
        let (sender, receiver) = ends();
        // Nobody joins this thread: to loom, a thread that joins must not be woken by others. The schedule
        // ends with both.
        thread::spawn(move || sends(sender));
        receives(receiver);
    });
}

fn send(mut sender: Sender<usize>, count: usize) {
    for value in 0..count {
        assert!(sender.send(value).is_ok());
    }
}

fn receive_all(mut receiver: Receiver<usize>, count: usize) {
    for value in 0..count {
        assert_eq!(receiver.recv().map(|(value, _)| value), Some(value));
    }
    assert_eq!(receiver.recv(), None);
}

/// All values come in their order, and then the end.
fn all_come(switches: Option<usize>, capacity: usize, count: usize) {
    explore(
        switches,
        move || ring(capacity),
        move |ends| send(ends, count),
        move |ends| receive_all(ends, count),
    );
}

/// The receiver goes after some values; a sender that waits learns of it and gets its value back.
fn receiver_goes(switches: Option<usize>, capacity: usize, count: usize, received: usize) {
    let sends = move |mut sender: Sender<usize>| {
        for value in 0..count {
            if let Err(Closed(back)) = sender.send(value) {
                assert_eq!(back, value);
                return;
            }
        }
        assert!(count <= capacity + received);
    };
    let receives = move |mut receiver: Receiver<usize>| {
        for value in 0..received {
            assert_eq!(receiver.recv().map(|(value, _)| value), Some(value));
        }
    };
    explore(switches, move || ring(capacity), sends, receives);
}

#[test]
fn one_value_in_every_schedule() {
    all_come(EVERY, 1, 1);
}

#[test]
fn two_values_for_one_place() {
    all_come(Some(4), 1, 2);
}

#[test]
fn three_values_for_one_place() {
    all_come(Some(3), 1, 3);
}

#[test]
fn four_values_for_two_places() {
    all_come(Some(3), 2, 4);
}

#[test]
fn a_receiver_goes_at_once_in_every_schedule() {
    receiver_goes(EVERY, 1, 2, 0);
    receiver_goes(EVERY, 2, 3, 0);
}

#[test]
fn a_receiver_goes_after_a_value() {
    receiver_goes(Some(4), 1, 2, 1);
    receiver_goes(Some(3), 1, 3, 1);
    receiver_goes(Some(3), 2, 4, 1);
}

/// As a large ring does it: the sender is woken when half of the ring is empty, and the receiver rarely
/// looks.
#[test]
fn a_sender_wakes_at_the_mark() {
    for (capacity, mark, count) in [(2, 0, 4), (3, 1, 5)] {
        let ends = move || ring_with_mark(capacity, mark, false);
        explore(Some(3), ends, move |ends| send(ends, count), move |ends| receive_all(ends, count));
    }
}
