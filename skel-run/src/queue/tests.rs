//! What the queues promise. Under `--cfg shuttle` the same tests run in a thousand random schedules.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;

use super::{Closed, Receiver, Sender, Waited, ring, shared};
use crate::sync::thread;

type Ends<T> = (Sender<T>, Receiver<T>);

/// Capacities around those at which a ring behaves differently; 0 is the rendezvous.
const CAPACITIES: [usize; 8] = [0, 1, 2, 3, 15, 16, 17, 1024];

/// How many values a test with threads sends.
const VALUES: usize = if cfg!(shuttle) { 5 } else { 5_000 };

/// Runs a test, in many schedules where they are explored.
fn explore(test: impl Fn() + Send + Sync + 'static) {
    #[cfg(not(shuttle))]
    test();
    #[cfg(shuttle)]
    shuttle::check_random(test, 1_000);
}

/// Runs a test with both kinds of queue in every capacity.
fn with_all<T: Send>(test: impl Fn(usize, Ends<T>) + Copy + Send + Sync + 'static) {
    for capacity in CAPACITIES {
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
fn many_at_once_come_in_order() {
    with_all(|_, (mut sender, mut receiver)| {
        thread::scope(|scope| {
            scope.spawn(move || {
                for first in (0..VALUES).step_by(50) {
                    let mut values: VecDeque<usize> = (first..VALUES.min(first + 50)).collect();
                    assert!(sender.send_all(&mut values).is_ok() && values.is_empty());
                }
            });
            let mut values = Vec::new();
            while receiver.recv_many(&mut values, 7).is_some() {}
            assert_eq!(values, (0..VALUES).collect::<Vec<_>>());
        });
    });
}

#[test]
fn no_more_values_come_at_once_than_asked_for() {
    with_all(|capacity, (mut sender, mut receiver)| {
        if capacity >= 2 {
            assert_eq!(sender.send_all(&mut VecDeque::from([1, 2])), Ok(Waited::No));
            let mut values = Vec::new();
            assert_eq!(receiver.recv_many(&mut values, 1), Some(Waited::No));
            assert_eq!(values, [1]);
            assert_eq!(receiver.recv_many(&mut values, 0), Some(Waited::No));
            assert_eq!(values, [1, 2]);
        }
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
fn who_sends_many_keeps_those_that_nobody_takes() {
    with_all(|capacity, (mut sender, mut receiver)| {
        thread::scope(|scope| {
            let sends = scope.spawn(move || {
                let mut values: VecDeque<usize> = (0..capacity + 5).collect();
                (sender.send_all(&mut values), values)
            });
            assert_eq!(receiver.recv().map(|(value, _)| value), Some(0));
            drop(receiver);
            let (result, rest) = sends.join().unwrap();
            assert_eq!(result, Err(Closed(())));
            // One was taken, and at most as many as the capacity are inside.
            assert!((4..capacity + 5).contains(&rest.len()));
            assert!(rest.iter().copied().eq(capacity + 5 - rest.len()..capacity + 5));
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
        assert_eq!(receiver.try_recv(), None);
    });
}

#[test]
fn what_is_there_can_be_taken_without_waiting() {
    with_all(|capacity, (mut sender, mut receiver)| {
        assert_eq!(receiver.try_recv(), None);
        if capacity > 0 {
            assert_eq!(sender.send(1), Ok(Waited::No));
            assert_eq!(receiver.try_recv(), Some(1));
        }
        assert_eq!(receiver.try_recv(), None);
    });
}

#[test]
fn every_value_is_dropped_once() {
    with_all(|capacity, (mut sender, mut receiver)| {
        let drops = Arc::new(AtomicUsize::new(0));
        let counted = || Counted(Arc::clone(&drops));
        (0..capacity).for_each(|_| assert!(sender.send(counted()).is_ok()));
        assert_eq!(drops.load(Ordering::Relaxed), 0);
        let taken = usize::from(receiver.try_recv().is_some());
        assert_eq!((taken, drops.load(Ordering::Relaxed)), (capacity.min(1), capacity.min(1)));
        drop(receiver);
        assert!(matches!(sender.send(counted()), Err(Closed(_))));
        drop(sender);
        assert_eq!(drops.load(Ordering::Relaxed), capacity + 1);
    });
}

#[test]
fn a_ring_has_two_ends_and_a_shared_queue_as_many_as_wanted() {
    explore(|| {
        for capacity in CAPACITIES {
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

fn all<T: Send>(mut receiver: Receiver<T>) -> Vec<T> {
    std::iter::from_fn(|| receiver.recv()).map(|(value, _)| value).collect()
}

/// Lets another thread come to where it sleeps. No test depends on it: it makes the interesting schedule likely.
fn pause() {
    #[cfg(not(shuttle))]
    thread::sleep(std::time::Duration::from_millis(2));
    #[cfg(shuttle)]
    thread::yield_now();
}

/// What one thread does that has both ends. Nothing of it waits.
#[derive(Clone, Debug)]
enum Operation {
    Send,
    SendMany(usize),
    TryReceive,
    ReceiveMany(usize),
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        3 => Just(Operation::Send),
        1 => (0_usize..20).prop_map(Operation::SendMany),
        3 => Just(Operation::TryReceive),
        1 => (1_usize..20).prop_map(Operation::ReceiveMany),
    ]
}

/// Does the same to a queue and to a deque, and compares what comes out.
fn follows_a_deque(capacity: usize, (mut sender, mut receiver): Ends<usize>, operations: &[Operation]) {
    let mut deque = VecDeque::new();
    let mut next = 0..;
    for operation in operations {
        match *operation {
            Operation::Send if deque.len() < capacity => {
                let value = next.next().unwrap();
                deque.push_back(value);
                assert_eq!(sender.send(value), Ok(Waited::No));
            }
            Operation::SendMany(count) => {
                let mut values: VecDeque<_> = next.by_ref().take(count.min(capacity - deque.len())).collect();
                deque.extend(&values);
                assert_eq!(sender.send_all(&mut values), Ok(Waited::No));
                assert!(values.is_empty());
            }
            Operation::TryReceive => assert_eq!(receiver.try_recv(), deque.pop_front()),
            Operation::ReceiveMany(most) if !deque.is_empty() => {
                let mut values = Vec::new();
                assert_eq!(receiver.recv_many(&mut values, most), Some(Waited::No));
                assert!(values.into_iter().eq(deque.drain(..most.min(deque.len()))));
            }
            Operation::Send | Operation::ReceiveMany(_) => {}
        }
    }
    drop(sender);
    assert!(all(receiver).into_iter().eq(deque));
}

proptest! {
    #[test]
    fn a_queue_does_what_a_deque_does(
        capacity in 1_usize..40,
        operations in prop::collection::vec(operation(), 0..200),
    ) {
        let operations = Arc::new(operations);
        for queue in [ring, shared] {
            let operations = Arc::clone(&operations);
            explore(move || follows_a_deque(capacity, queue(capacity), &operations));
        }
    }
}
