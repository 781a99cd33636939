//! The ring's memory as loom can explore it: what rtrb does to its two indices and to its flag, with the same orderings.
//!
//! The values lie in slots that loom does not see, behind locks that nobody ever waits for. Indices count on for ever.

use std::cell::Cell;
use std::collections::VecDeque;
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

/// Both ends of an empty buffer.
pub(super) fn buffer<T>(capacity: usize) -> (Producer<T>, Consumer<T>) {
    let buffer = Arc::new(Buffer {
        head: AtomicUsize::new(0),
        tail: AtomicUsize::new(0),
        is_abandoned: AtomicBool::new(false),
        slots: (0..capacity).map(|_| Mutex::new(None)).collect(),
    });
    let end = |buffer| End { buffer, head: Cell::new(0), tail: Cell::new(0) };
    (Producer(end(Arc::clone(&buffer))), Consumer(end(buffer)))
}

/// Moves as many values as there is room for, from the front, and says how many.
pub(super) fn fill<T>(producer: &mut Producer<T>, values: &mut VecDeque<T>) -> usize {
    let count = values.len().min(producer.slots());
    producer.write(values.drain(..count));
    count
}

/// Takes at most `most` of the values that are there, and says how many.
pub(super) fn take<T>(consumer: &mut Consumer<T>, values: &mut impl Extend<T>, most: usize) -> usize {
    let count = most.min(consumer.slots());
    values.extend(consumer.read(count));
    count
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
        if self.cached_slots() == 0 && self.slots() == 0 {
            return Err(rtrb::PushError::Full(value));
        }
        self.write([value].into_iter());
        Ok(())
    }

    fn write(&mut self, values: impl Iterator<Item = T>) {
        let mut tail = self.0.tail.get();
        for value in values {
            assert!(self.0.slot(tail).replace(value).is_none(), "a value was overwritten");
            tail += 1;
        }
        self.0.buffer.tail.store(tail, Ordering::Release);
        self.0.tail.set(tail);
    }

    pub(super) fn slots(&self) -> usize {
        self.0.head.set(self.0.buffer.head.load(Ordering::Acquire));
        self.cached_slots()
    }

    fn cached_slots(&self) -> usize {
        self.0.buffer.slots.len() - (self.0.tail.get() - self.0.head.get())
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
        Ok(self.read(1).pop().expect("a value that was written"))
    }

    fn read(&mut self, count: usize) -> Vec<T> {
        let head = self.0.head.get();
        let values = (head..head + count).map(|index| self.0.slot(index).take()).collect::<Option<_>>();
        self.0.buffer.head.store(head + count, Ordering::Release);
        self.0.head.set(head + count);
        values.expect("values that were written")
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
