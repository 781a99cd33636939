//! What moves from thread to thread: items with their places, several at a time.

use skel_core::skeleton::StageId;

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

/// A parcel with this number or a higher one is a *marker*: it has no items and no turn. The rest of its number is the node of a deal
/// whose members change at that point of the stream.
const MARKERS: u64 = u64::MAX - u32::MAX as u64;

impl<T> Parcel<T> {
    /// The marker of a deal.
    pub(crate) fn marker(deal: StageId) -> Self {
        Parcel { number: MARKERS + u64::from(deal.0), items: Items::none() }
    }

    /// Whether it is a marker.
    pub(crate) fn is_marker(&self) -> bool {
        self.number >= MARKERS
    }

    /// Whether it is the marker of this deal.
    pub(crate) fn marks(&self, deal: StageId) -> bool {
        self.number == MARKERS + u64::from(deal.0)
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
