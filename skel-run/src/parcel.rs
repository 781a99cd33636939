//! What moves from thread to thread: items with their places, several at a time.

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
pub(crate) struct Parcel<T> {
    /// Its number among the parcels of the region in which order is kept, from 0, without gaps.
    pub(crate) number: u64,
    /// What is in it.
    pub(crate) items: Items<T>,
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
