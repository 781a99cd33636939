//! The ring's memory as loom can explore it: what rtrb does to its two indices and to its flag, with the same
//! orderings.
//!
//! The values lie in slots that loom does not see, behind locks that nobody ever waits for. Indices count on
//! for ever.

use std::cell::Cell;
use std::sync::{Arc, Mutex};

use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

#[derive(Debug)]
struct Buffer<T> {
    head: AtomicUsize,
    tail: AtomicUsize,
    is_abandoned: AtomicBool,
    slots: Vec<Mutex<Option<T>>>,
}

/// One end, with the indices as it knows them.
#[derive(Debug)]
struct End<T> {
    buffer: Arc<Buffer<T>>,
    head: Cell<usize>,
    tail: Cell<usize>,
}

#[derive(Debug)]
pub(super) struct Producer<T>(End<T>);

#[derive(Debug)]
pub(super) struct Consumer<T>(End<T>);

/// What makes both ends.
pub(super) struct RingBuffer;

impl RingBuffer {
    /// Both ends of an empty buffer.
    #[expect(clippy::new_ret_no_self, reason = "as in rtrb")]
    pub(super) fn new<T>(capacity: usize) -> (Producer<T>, Consumer<T>) {
        let buffer = Arc::new(Buffer {
            head: AtomicUsize::new(0),
            tail: AtomicUsize::new(0),
            is_abandoned: AtomicBool::new(false),
            slots: (0..capacity).map(|_| Mutex::new(None)).collect(),
        });
        let end = |buffer| End { buffer, head: Cell::new(0), tail: Cell::new(0) };
        (Producer(end(Arc::clone(&buffer))), Consumer(end(buffer)))
    }
}

impl<T> End<T> {
    fn slot(&self, index: usize) -> std::sync::MutexGuard<'_, Option<T>> {
        let slots = &self.buffer.slots;
        slots[index % slots.len()].try_lock().expect("only one end is at a slot")
    }

    fn is_abandoned(&self) -> bool {
        self.buffer.is_abandoned.load(Ordering::Acquire)
    }
}

impl<T> Drop for End<T> {
    fn drop(&mut self) {
        self.buffer.is_abandoned.fetch_or(true, Ordering::Release);
    }
}

impl<T> Producer<T> {
    pub(super) fn push(&mut self, value: T) -> Result<(), rtrb::PushError<T>> {
        if self.is_full() {
            return Err(rtrb::PushError::Full(value));
        }
        let tail = self.0.tail.get();
        assert!(self.0.slot(tail).replace(value).is_none(), "a value was overwritten");
        self.0.buffer.tail.store(tail + 1, Ordering::Release);
        self.0.tail.set(tail + 1);
        Ok(())
    }

    pub(super) fn slots(&self) -> usize {
        self.0.head.set(self.0.buffer.head.load(Ordering::Acquire));
        self.cached_slots()
    }

    fn cached_slots(&self) -> usize {
        self.0.buffer.slots.len() - (self.0.tail.get() - self.0.head.get())
    }

    pub(super) fn is_full(&self) -> bool {
        self.cached_slots() == 0 && self.slots() == 0
    }

    pub(super) fn is_abandoned(&self) -> bool {
        self.0.is_abandoned()
    }
}

impl<T> Consumer<T> {
    pub(super) fn pop(&mut self) -> Result<T, rtrb::PopError> {
        if self.is_empty() {
            return Err(rtrb::PopError::Empty);
        }
        let head = self.0.head.get();
        let value = self.0.slot(head).take();
        self.0.buffer.head.store(head + 1, Ordering::Release);
        self.0.head.set(head + 1);
        Ok(value.expect("a value that was written"))
    }

    pub(super) fn slots(&self) -> usize {
        self.0.tail.set(self.0.buffer.tail.load(Ordering::Acquire));
        self.cached_slots()
    }

    pub(super) fn cached_slots(&self) -> usize {
        self.0.tail.get() - self.0.head.get()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.cached_slots() == 0 && self.slots() == 0
    }

    pub(super) fn is_abandoned(&self) -> bool {
        self.0.is_abandoned()
    }
}
