//! What the queues promise. Under `--cfg shuttle` the same tests run in some hundred random schedules.

#[cfg(not(shuttle))]
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[cfg(not(shuttle))]
use proptest::prelude::*;

use super::{Closed, Leave, Receiver, Sender, Waited, ring, shared};
use crate::sync::thread;

type Ends<T> = (Sender<T>, Receiver<T>);

/// Capacities around those at which a ring behaves differently; 0 is the rendezvous.
const CAPACITIES: &[usize] = if cfg!(shuttle) { &[0, 1, 3] } else { &[0, 1, 2, 3, 15, 16, 17, 1024] };

/// How many values a test with threads sends.
const VALUES: usize = if cfg!(shuttle) { 3 } else { 5_000 };

/// Runs a test, in many schedules where they are explored.
fn explore(test: impl Fn() + Send + Sync + 'static) {
    #[cfg(not(shuttle))]
    test();
    #[cfg(shuttle)]
    shuttle::check_random(test, 300);
}

/// Runs a test with both kinds of queue in every capacity.
fn with_all<T: Send>(test: impl Fn(usize, Ends<T>) + Copy + Send + Sync + 'static) {
    for &capacity in CAPACITIES {
        explore(move || test(capacity, ring(capacity)));
        explore(move || test(capacity, shared(capacity)));
    }
}

/// A value that counts how often it is dropped.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn values_come_in_order_and_then_the_end() {
    with_all(|_, (mut sender, mut receiver)| {
        thread::scope(|scope| {
            scope.spawn(move || (0..VALUES).for_each(|value| assert!(sender.send(value).is_ok())));
            for value in 0..VALUES {
                assert_eq!(receiver.recv().map(|(value, _)| value), Some(value));
            }
            assert_eq!(receiver.recv(), None);
            assert_eq!(receiver.recv(), None);
        });
    });
}

#[test]
fn no_more_values_are_inside_than_the_capacity() {
    with_all(|capacity, (mut sender, mut receiver)| {
        let sent = &AtomicUsize::new(0);
        thread::scope(|scope| {
            scope.spawn(move || {
                for value in 0..VALUES {
                    assert!(sender.send(value).is_ok());
                    sent.fetch_add(1, Ordering::SeqCst);
                }
            });
            for taken in 0..VALUES {
                // The sender has counted no value that is neither taken nor inside.
                assert!(sent.load(Ordering::SeqCst) <= taken + capacity);
                assert!(receiver.recv().is_some());
            }
        });
    });
}

#[test]
fn a_sender_does_not_wait_while_there_is_room() {
    with_all(|capacity, (mut sender, receiver)| {
        (0..capacity).for_each(|value| assert_eq!(sender.send(value), Ok(Waited::No)));
        thread::scope(|scope| {
            let waits = scope.spawn(move || sender.send(capacity));
            pause();
            assert!(all(receiver).into_iter().eq(0..=capacity));
            assert!(waits.join().unwrap().is_ok());
        });
    });
}

#[test]
fn a_waiting_receiver_is_woken_by_a_value_and_by_the_end() {
    with_all(|_, (mut sender, mut receiver)| {
        thread::scope(|scope| {
            let receives = scope.spawn(move || (receiver.recv(), receiver.recv()));
            pause();
            assert!(sender.send("value").is_ok());
            pause();
            drop(sender);
            let (first, second) = receives.join().unwrap();
            assert_eq!((first.map(|(value, _)| value), second), (Some("value"), None));
        });
    });
}

#[test]
fn a_waiting_sender_is_woken_by_the_end_and_keeps_its_value() {
    with_all(|capacity, (mut sender, receiver)| {
        (0..capacity).for_each(|value| assert!(sender.send(value).is_ok()));
        thread::scope(|scope| {
            let sends = scope.spawn(move || sender.send(capacity));
            pause();
            drop(receiver);
            assert_eq!(sends.join().unwrap(), Err(Closed(capacity)));
        });
    });
}

#[test]
fn after_the_receivers_end_nothing_is_sent() {
    with_all(|_, (mut sender, receiver)| {
        drop(receiver);
        assert_eq!(sender.send(1), Err(Closed(1)));
        assert_eq!(sender.send(2), Err(Closed(2)));
    });
}

#[test]
fn values_that_are_inside_outlive_their_sender() {
    with_all(|capacity, (mut sender, mut receiver)| {
        (0..capacity).for_each(|value| assert!(sender.send(value).is_ok()));
        drop(sender);
        (0..capacity).for_each(|value| assert_eq!(receiver.recv(), Some((value, Waited::No))));
        assert_eq!(receiver.recv(), None);
    });
}

#[test]
fn every_value_is_dropped_once() {
    with_all(|capacity, (mut sender, mut receiver)| {
        let drops = Arc::new(AtomicUsize::new(0));
        let counted = || Counted(Arc::clone(&drops));
        (0..capacity).for_each(|_| assert!(sender.send(counted()).is_ok()));
        assert_eq!(drops.load(Ordering::Relaxed), 0);
        if capacity > 0 {
            drop(receiver.recv());
            assert_eq!(drops.load(Ordering::Relaxed), 1);
        }
        drop(receiver);
        assert!(matches!(sender.send(counted()), Err(Closed(_))));
        drop(sender);
        assert_eq!(drops.load(Ordering::Relaxed), capacity + 1);
    });
}

#[test]
fn a_ring_has_two_ends_and_a_shared_queue_as_many_as_wanted() {
    explore(|| {
        for &capacity in CAPACITIES {
            let (sender, receiver) = ring::<u8>(capacity);
            assert!(sender.another().is_none() && receiver.another().is_none());
            let (sender, receiver) = shared::<u8>(capacity);
            assert!(sender.another().is_some() && receiver.another().is_some());
        }
    });
}

#[test]
fn a_shared_queue_is_open_as_long_as_each_side_has_an_end() {
    explore(|| {
        let (sender, mut receiver) = shared(2);
        let mut other = sender.another().unwrap();
        drop(sender);
        assert_eq!(other.send(1), Ok(Waited::No));
        let mut another = receiver.another().unwrap();
        assert_eq!(receiver.recv(), Some((1, Waited::No)));
        drop(receiver);
        assert_eq!(other.send(2), Ok(Waited::No));
        drop(other);
        assert_eq!((another.recv(), another.recv()), (Some((2, Waited::No)), None));
    });
}

#[test]
fn threads_that_share_a_queue_take_every_value_once() {
    for capacity in [0, 1, 4] {
        explore(move || {
            let (sender, receiver) = shared(capacity);
            let taken = thread::scope(|scope| {
                for first in 0..2 {
                    let mut sender = sender.another().unwrap();
                    scope.spawn(move || {
                        (0..VALUES).for_each(|value| assert!(sender.send(2 * value + first).is_ok()));
                    });
                }
                drop(sender);
                let receivers: Vec<_> = (0..2).map(|_| receiver.another().unwrap()).collect();
                drop(receiver);
                let threads: Vec<_> =
                    receivers.into_iter().map(|receiver| scope.spawn(|| all(receiver))).collect();
                threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
            });
            let mut sorted = taken;
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..2 * VALUES));
        });
    }
}

#[test]
fn who_is_asked_to_leave_takes_no_other_value() {
    with_all(|capacity, (mut sender, mut receiver)| {
        let leave = Leave::new();
        if capacity > 1 {
            assert!(sender.send(1).is_ok() && sender.send(2).is_ok());
            assert_eq!(receiver.recv_unless(&leave), Some((1, Waited::No)));
        }
        leave.ask();
        leave.ask();
        assert!(leave.is_asked());
        assert_eq!(receiver.recv_unless(&leave), None);
        drop(sender);
        assert_eq!(receiver.recv().is_some(), capacity > 1);
    });
}

#[test]
fn who_waits_at_a_shared_queue_hears_that_it_should_leave() {
    for &capacity in CAPACITIES {
        explore(move || {
            let (sender, mut receiver) = shared::<u8>(capacity);
            let leave = Leave::new();
            thread::scope(|scope| {
                let waits = scope.spawn(|| receiver.recv_unless(&leave));
                pause();
                leave.ask();
                assert_eq!(waits.join().unwrap(), None);
            });
            drop(sender);
        });
    }
}

#[test]
fn who_is_not_asked_to_leave_learns_of_the_end() {
    with_all(|_, (mut sender, mut receiver)| {
        let leave = Leave::new();
        thread::scope(|scope| {
            let waits = scope.spawn(|| (receiver.recv_unless(&leave), receiver.recv_unless(&leave)));
            pause();
            assert!(sender.send(1).is_ok());
            pause();
            drop(sender);
            let (first, second) = waits.join().unwrap();
            assert_eq!((first.map(|(value, _)| value), second), (Some(1), None));
        });
    });
}

fn all<T: Send>(mut receiver: Receiver<T>) -> Vec<T> {
    std::iter::from_fn(|| receiver.recv()).map(|(value, _)| value).collect()
}

/// Lets another thread come to where it sleeps. No test depends on it: it makes the interesting schedule
/// likely.
fn pause() {
    #[cfg(not(shuttle))]
    thread::sleep(std::time::Duration::from_millis(2));
    #[cfg(shuttle)]
    thread::yield_now();
}

#[cfg(not(shuttle))]
/// Sends (`true`) and receives (`false`) in one thread that has both ends, where nothing of it waits; and
/// compares what comes with what comes out of a deque.
fn follows_a_deque(capacity: usize, (mut sender, mut receiver): Ends<usize>, operations: &[bool]) {
    let mut deque = VecDeque::new();
    for (value, sends) in operations.iter().enumerate() {
        if *sends && deque.len() < capacity {
            deque.push_back(value);
            assert_eq!(sender.send(value), Ok(Waited::No));
        } else if let Some(first) = deque.pop_front() {
            assert_eq!(receiver.recv(), Some((first, Waited::No)));
        }
    }
    drop(sender);
    assert!(all(receiver).into_iter().eq(deque));
}

#[cfg(not(shuttle))]
proptest! {
    #[test]
    fn a_queue_does_what_a_deque_does(
        capacity in 1_usize..40,
        operations in prop::collection::vec(prop::bool::weighted(0.6), 0..300),
    ) {
        let operations = Arc::new(operations);
        for queue in [ring, shared] {
            let operations = Arc::clone(&operations);
            explore(move || follows_a_deque(capacity, queue(capacity), &operations));
        }
    }
}
