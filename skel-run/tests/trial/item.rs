//! Items that are counted from their beginning to their end, and of which some panic when they are dropped.

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

/// An item.
#[derive(Debug)]
pub struct Item {
    pub place: u64,
    pub value: u64,
    /// Whether it panics when it is dropped.
    pub is_armed: bool,
    census: Arc<Census>,
}

impl Item {
    pub fn new(place: u64, is_armed: bool, census: &Arc<Census>) -> Self {
        census.0.fetch_add(1, Ordering::SeqCst);
        Item { place, value: scramble(place), is_armed, census: Arc::clone(census) }
    }
}

impl Clone for Item {
    fn clone(&self) -> Self {
        let mut copy = Item::new(self.place, self.is_armed, &self.census);
        copy.value = self.value;
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
