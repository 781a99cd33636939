//! What moves from thread to thread: items with their places, several at a time.

use std::mem::needs_drop;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// An item with its place among all items of the source, from 0.
#[derive(Debug)]
pub(crate) struct Item<T> {
    /// Its place in the source.
    pub(crate) place: u64,
    /// The item itself.
    pub(crate) value: T,
}

/// The items of a parcel. A parcel can be empty: its items ended on their way, and it still takes its turn.
#[derive(Debug)]
pub(crate) enum Items<T> {
    /// One, without an allocation.
    One(Item<T>),
    /// Any number, in the order of their places.
    Many(Vec<Item<T>>),
}

/// Items that move together, and the turn of the parcel where order is restored.
#[derive(Debug)]
pub struct Parcel<T> {
    /// Its number among the parcels of the region in which order is kept, from 0, without gaps.
    pub(crate) number: u64,
    /// What is in it.
    pub(crate) items: Items<T>,
}

impl<T> Parcel<T> {
    /// The same parcel, moved part by part, which leaves its parts in registers.
    ///
    /// A parcel that is moved as a whole is copied in memory, 16 bytes at a time. If its parts were written
    /// there one by one a moment ago, the processor waits until these writes have reached the cache, and so
    /// has every write before them: that took a third of the time of an item from thread to thread.
    #[inline(always)]
    pub(crate) fn by_parts(self) -> Self {
        let items = match self.items {
            Items::One(Item { place, value }) => Items::One(Item { place, value }),
            Items::Many(items) => Items::Many(items),
        };
        Parcel { number: self.number, items }
    }
}

impl<T> Items<T> {
    /// No items.
    pub(crate) fn none() -> Self {
        Items::Many(Vec::new())
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        match self {
            Items::One(_) => 1,
            Items::Many(items) => items.len(),
        }
    }
}

/// Drops what nobody wants any more. If its destructor panics, the panic's hook has said so, and what becomes
/// of the run is decided already: the item is counted, or its result is there.
pub(crate) fn drop_safely<T>(unwanted: T) {
    if needs_drop::<T>() {
        // What was thrown may panic in turn when it is dropped, so it is not.
        catch_unwind(AssertUnwindSafe(|| drop(unwanted))).unwrap_or_else(std::mem::forget);
    }
}
