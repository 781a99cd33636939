//! Items that are counted from their beginning to their end, and of which some panic when they are dropped.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use super::scramble;

/// How many items are there.
#[derive(Debug, Default)]
pub struct Census(AtomicI64);

impl Census {
    pub fn alive(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// How many units an item has, which can be scattered.
pub const UNITS: u64 = 12;

/// An item.
#[derive(Debug)]
pub struct Item {
    pub place: u64,
    pub value: u64,
    /// Whether it panics when it is dropped.
    pub is_armed: bool,
    /// Which of its units this is, if it was scattered.
    pub share: Range<u64>,
    /// How often the task that has it tried it before: each attempt has a copy of the one before.
    pub attempt: u32,
    census: Arc<Census>,
}

impl Item {
    pub fn new(place: u64, is_armed: bool, census: &Arc<Census>) -> Self {
        census.0.fetch_add(1, Ordering::SeqCst);
        Item {
            place,
            value: scramble(place),
            is_armed,
            share: 0..UNITS,
            attempt: 0,
            census: Arc::clone(census),
        }
    }

    /// A part of it, or the whole once more.
    pub fn part(&self, share: Range<u64>, is_armed: bool) -> Item {
        let mut part = Item::new(self.place, is_armed, &self.census);
        (part.value, part.share, part.attempt) = (self.value, share, self.attempt);
        part
    }
}

/// Replies of workers are equal if their values are.
impl PartialEq for Item {
    fn eq(&self, other: &Item) -> bool {
        self.value == other.value
    }
}

impl Eq for Item {}

impl Clone for Item {
    fn clone(&self) -> Self {
        let mut copy = self.part(self.share.clone(), self.is_armed);
        copy.attempt += 1;
        copy
    }
}

impl Drop for Item {
    fn drop(&mut self) {
        self.census.0.fetch_sub(1, Ordering::SeqCst);
        // A panic during a panic would end the process.
        if self.is_armed && !std::thread::panicking() {
            panic!("item {} is dropped", self.place);
        }
    }
}

/// What a task makes of a value, after so many that it has served if it counts them.
pub fn served(value: u64, task: usize, count: u64) -> u64 {
    scramble(value ^ (task as u64 + 1).wrapping_mul(0x2545_F491_4F6C_DD1D)).wrapping_add(count)
}
