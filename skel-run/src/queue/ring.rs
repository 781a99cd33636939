//! A queue from one thread to one other: the ring of rtrb, with ends that wait.
//!
//! A sender that found the ring full is woken when half of the ring is empty. If it were woken for the first
//! free place, it would be woken for every item, which costs a hundred times more than to send one. Until it
//! wakes, the ring is like one of half the capacity; so a network of threads that would never stop with half
//! the capacities does not stop here either. A ring of fewer than 16 places wakes its sender for the first
//! free place, as the model of the program has it. There the items are large and a wake-up is cheap.

use crossbeam_utils::CachePadded;
#[cfg(not(all(test, loom)))]
use rtrb::{Consumer, Producer, RingBuffer};

#[cfg(all(test, loom))]
use super::model::{Consumer, Producer, RingBuffer};
use super::sleep::Sleeper;
use super::{Closed, Waited};
use crate::sync::Arc;

/// A ring of fewer places wakes its sender for the first free one.
const LARGE: usize = 16;

/// Where one of the two threads sleeps, on cache lines of its own.
type Bed = Arc<CachePadded<Sleeper>>;

/// The sending end. Its fields are dropped in their order: the buffer first, and only then the receiver is
/// woken.
#[derive(Debug)]
pub(crate) struct Sender<T> {
    producer: Producer<T>,
    own: Bed,
    receiver: Peer,
    capacity: usize,
    mark: usize,
}

/// The receiving end. Its fields are dropped in their order: the buffer first, and only then the sender is
/// woken.
#[derive(Debug)]
pub(crate) struct Receiver<T> {
    consumer: Consumer<T>,
    own: Bed,
    sender: Peer,
    /// The sender is woken when no more values than this are left.
    mark: usize,
    /// Whether to look after every value if the sender sleeps.
    small: bool,
}

/// The thread at the other end, which wakes when this end is dropped.
#[derive(Debug)]
struct Peer(Bed);

impl Drop for Peer {
    fn drop(&mut self) {
        self.0.wake_if(|| true);
    }
}

/// Both ends of a ring of at least one place.
pub(super) fn ring<T>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let small = capacity < LARGE;
    ring_with_mark(capacity, if small { capacity - 1 } else { capacity / 2 }, small)
}

/// Both ends of a ring whose sender wakes when no more values than `mark` are left. The tests take small
/// marks.
pub(super) fn ring_with_mark<T>(capacity: usize, mark: usize, small: bool) -> (Sender<T>, Receiver<T>) {
    let (producer, consumer) = RingBuffer::new(capacity);
    let bed = || Arc::new(CachePadded::new(Sleeper::new()));
    let (sends, receives) = (bed(), bed());
    let sender =
        Sender { producer, own: Arc::clone(&sends), receiver: Peer(Arc::clone(&receives)), capacity, mark };
    (sender, Receiver { consumer, own: receives, sender: Peer(sends), mark, small })
}

impl<T> Sender<T> {
    #[inline(always)]
    pub(crate) fn send(&mut self, value: T) -> Result<Waited, Closed<T>> {
        let mut waited = Waited::No;
        if self.producer.is_full() {
            self.wait_for_room();
            waited = Waited::Yes;
        }
        if self.producer.is_abandoned() {
            return Err(Closed(value));
        }
        match self.producer.push(value) {
            Ok(()) => {
                self.receiver.0.wake_if(|| true);
                Ok(waited)
            }
            Err(rtrb::PushError::Full(value)) => Err(Closed(value)),
        }
    }

    /// Waits until no more values than `mark` are in the ring, or the receiver is gone.
    #[cold]
    fn wait_for_room(&self) {
        let room = self.capacity - self.mark;
        self.own.wait_until(|| self.producer.slots() >= room || self.producer.is_abandoned());
    }
}

impl<T> Receiver<T> {
    #[inline(always)]
    pub(crate) fn recv(&mut self) -> Option<(T, Waited)> {
        let mut waited = Waited::No;
        if self.consumer.is_empty() {
            self.wait_for_value();
            waited = Waited::Yes;
        }
        let value = self.consumer.pop().ok()?;
        self.wake_sender();
        Some((value, waited))
    }

    /// Waits until there is a value, or the sender is gone.
    #[cold]
    fn wait_for_value(&self) {
        self.own.wait_until(|| !self.consumer.is_empty() || self.consumer.is_abandoned());
    }

    /// Wakes the sender if it sleeps and should wake, after a value was taken. To look whether it sleeps
    /// needs a fence. In a large ring this is done only when as many values as the mark are left, or none, of
    /// those that this end knows of. What it knows is exact once it has looked while the sender sleeps.
    #[inline]
    fn wake_sender(&self) {
        let left = self.consumer.cached_slots();
        if left == self.mark || left == 0 || self.small {
            self.sender.0.wake_if(|| self.consumer.slots() <= self.mark);
        }
    }
}
