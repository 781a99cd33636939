//! What leaves a run, item by item.

use std::time::Instant;
use std::vec;

use crate::parcel::{Item, Items, Parcel, drop_safely};
use crate::progress::Progress;
use crate::report::Departures;

/// Gives one parcel of results after the other.
pub(crate) type Feed<'a, T> = Box<dyn FnMut() -> Option<Parcel<T>> + 'a>;

/// The results of a run while it goes on, in the order of their items unless that was given up.
///
/// When it is dropped before its end, the run is cancelled.
pub struct Results<'a, T: Send> {
    /// The next parcel; none at the end of the run.
    feed: Option<Feed<'a, T>>,
    parcel: vec::IntoIter<Item<T>>,
    progress: &'a Progress,
    departures: &'a mut Departures,
    began: Instant,
}

impl<'a, T: Send> Results<'a, T> {
    pub(crate) fn new(
        feed: Feed<'a, T>,
        progress: &'a Progress,
        departures: &'a mut Departures,
        began: Instant,
    ) -> Self {
        Results { feed: Some(feed), parcel: Vec::new().into_iter(), progress, departures, began }
    }

    fn deliver(&mut self, item: Item<T>) -> Option<T> {
        if self.progress.discards(item.place) {
            drop_safely(item.value);
            return None;
        }
        let began = self.began;
        self.departures.left(1, || began.elapsed());
        Some(item.value)
    }
}

impl<T: Send> Iterator for Results<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        loop {
            while let Some(item) = self.parcel.next() {
                if let Some(value) = self.deliver(item) {
                    return Some(value);
                }
            }
            let Some(parcel) = self.feed.as_mut()?() else {
                self.feed = None;
                return None;
            };
            match parcel.items {
                Items::One(item) => {
                    if let Some(value) = self.deliver(item) {
                        return Some(value);
                    }
                }
                Items::Many(items) => self.parcel = items.into_iter(),
            }
        }
    }
}

/// What nobody takes is discarded.
impl<T: Send> Drop for Results<'_, T> {
    fn drop(&mut self) {
        if self.feed.is_some() {
            self.progress.cancel();
            while self.next().is_some() {}
        }
    }
}
