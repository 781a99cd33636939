//! What leaves a run, item by item.

use std::time::Instant;
use std::vec;

use crate::network::Inlet;
use crate::parcel::{Item, Items, drop_safely};
use crate::progress::Progress;
use crate::report::Departures;

/// What starts the next engine when one has ended: where its results come; none at the end of the run.
pub(crate) type GoOn<'a, T> = Box<dyn FnMut() -> Option<Inlet<'a, T>> + 'a>;

/// The results of a run while it goes on, in the order of their items unless that was given up.
///
/// When it is dropped before its end, the run is cancelled.
pub struct Results<'a, T: Send> {
    /// Where the results of the present engine come; none at the end of the run.
    inlet: Option<Inlet<'a, T>>,
    go_on: GoOn<'a, T>,
    parcel: vec::IntoIter<Item<T>>,
    progress: &'a Progress,
    departures: &'a mut Departures,
    began: Instant,
}

impl<'a, T: Send> Results<'a, T> {
    pub(crate) fn new(
        inlet: Option<Inlet<'a, T>>,
        go_on: GoOn<'a, T>,
        progress: &'a Progress,
        departures: &'a mut Departures,
        began: Instant,
    ) -> Self {
        Results { inlet, go_on, parcel: Vec::new().into_iter(), progress, departures, began }
    }

    #[inline(always)]
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

impl<T: Send> Results<'_, T> {
    /// Calls a function with each result, in a loop for each parcel: for a result of many that travel
    /// together it takes half as long as [`next`](Self::next).
    pub(crate) fn give_each(&mut self, mut function: impl FnMut(T)) {
        while let Some(items) = self.next_items() {
            match items {
                Items::One(item) => self.deliver(item).into_iter().for_each(&mut function),
                Items::Many(items) => {
                    self.parcel = items.into_iter();
                    while let Some(item) = self.parcel.next() {
                        self.deliver(item).into_iter().for_each(&mut function);
                    }
                }
            }
        }
    }

    /// The items of the next parcel; none at the end of the run.
    #[inline(always)]
    fn next_items(&mut self) -> Option<Items<T>> {
        loop {
            match self.inlet.as_mut()?.take() {
                Some((parcel, _)) => return Some(parcel.items),
                None => self.inlet = (self.go_on)(),
            }
        }
    }
}

impl<T: Send> Iterator for Results<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        loop {
            while let Some(item) = self.parcel.next() {
                if let Some(value) = self.deliver(item) {
                    return Some(value);
                }
            }
            match self.next_items()? {
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
        if self.inlet.is_some() {
            self.progress.cancel();
            while self.next().is_some() {}
        }
    }
}
