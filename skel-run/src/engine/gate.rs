//! A gate before a task that one thread at a time may serve: parcels pass in order.
//!
//! A thread waits until its parcel has its turn. The one with the earliest parcel never waits, so there is no
//! deadlock.

use crate::sync::{AtomicU64, AtomicUsize, Condvar, Mutex, Ordering, lock, spin, wait};

/// Lets parcels through in the order of their numbers.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    next: AtomicU64,
    waiting: AtomicUsize,
    lock: Mutex<()>,
    moved: Condvar,
}

/// The turn of a parcel, until it is dropped.
pub(crate) struct Turn<'a> {
    gate: &'a Gate,
    number: u64,
}

impl Gate {
    /// Waits for the turn of this parcel.
    pub(crate) fn wait(&self, number: u64) -> Turn<'_> {
        let is_next = || self.next.load(Ordering::SeqCst) >= number;
        if !is_next() && !spin(is_next) {
            let mut guard = lock(&self.lock);
            self.waiting.fetch_add(1, Ordering::SeqCst);
            while !is_next() {
                guard = wait(&self.moved, guard);
            }
            self.waiting.fetch_sub(1, Ordering::SeqCst);
        }
        Turn { gate: self, number }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        // A thread that panics with a turn lets all others through: the run has failed.
        let next = if crate::sync::thread::panicking() { u64::MAX } else { self.number + 1 };
        self.gate.next.fetch_max(next, Ordering::SeqCst);
        if self.gate.waiting.load(Ordering::SeqCst) > 0 {
            let _guard = lock(&self.gate.lock);
            self.gate.moved.notify_all();
        }
    }
}
