//! The source as an engine reads it: whichever thread needs the next parcel fills it.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::functions::Cause;
use crate::network::Supply;
use crate::parcel::{Item, Items, Parcel};
use crate::progress::{FailedItem, Progress, Who};
use crate::queue::Waited;
use crate::source::items::Source;
use crate::sync::{Arc, Mutex, lock};
use crate::tuning::Tuning;

/// A source, and what was taken from it. It outlives the engines that read it one after the other.
pub(crate) struct Taken<I> {
    items: I,
    /// The place of the next item.
    place: u64,
    has_ended: bool,
}

impl<I: Source> Taken<I> {
    /// From this source.
    pub(crate) fn new(items: I) -> Self {
        Taken { items, place: 0, has_ended: false }
    }

    /// How many items were taken.
    pub(crate) fn taken(&self) -> u64 {
        self.place
    }

    /// Whether the iterator has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended
    }

    fn next(&mut self, progress: &Progress) -> Option<Item<I::Item>> {
        let mut item = None;
        self.read(progress, |next| {
            item = Some(next);
            false
        });
        item
    }

    /// Reads one item after the other, as long as `wants_more` says so of each. Panics are caught around all
    /// of them rather than around each, which makes a parcel cheaper.
    #[inline]
    fn read(&mut self, progress: &Progress, mut wants_more: impl FnMut(Item<I::Item>) -> bool) {
        progress.asks_source(true);
        let is_told_to_end = Cell::new(false);
        let is_ending = || {
            is_told_to_end.set(progress.is_ending());
            is_told_to_end.get()
        };
        let read = catch_unwind(AssertUnwindSafe(|| {
            while let Some(value) = self.items.next(&is_ending) {
                self.place += 1;
                if !wants_more(Item { place: self.place - 1, value }) {
                    return;
                }
            }
            // A source that was told to end may have more for the next engine.
            self.has_ended = !is_told_to_end.get();
        }));
        progress.asks_source(false);
        if let Err(thrown) = read {
            let cause = Cause::of_panic(&*thrown);
            progress.fail(FailedItem { who: Who::Source, place: self.place, cause });
            self.has_ended = true;
        }
    }
}

/// Where the source is while no engine reads it.
pub(crate) type Shelf<I> = Arc<Mutex<Option<Taken<I>>>>;

/// The source as one engine reads it. At the end it puts the source back.
pub(crate) struct Reader<I> {
    source: Option<Taken<I>>,
    shelf: Shelf<I>,
    progress: Arc<Progress>,
    tuning: Arc<Tuning>,
    /// The number of the next parcel.
    number: u64,
    /// The most items of a parcel, as fast as the source is.
    most: usize,
}

/// A source that takes longer than this to fill a parcel gets smaller ones, so that items do not wait for
/// those behind them.
const LONG: Duration = Duration::from_micros(100);

impl<I: Source> Reader<I> {
    /// Reads the source from where it is.
    pub(crate) fn new(shelf: Shelf<I>, progress: Arc<Progress>, tuning: Arc<Tuning>) -> Self {
        let source = lock(&shelf).take();
        Reader { source, shelf, progress, tuning, number: 0, most: 1 }
    }

    /// The items of the next parcel; none at the end.
    fn items(&mut self) -> Option<Items<I::Item>> {
        let source = self.source.as_mut()?;
        if source.has_ended || self.progress.is_ending() {
            return None;
        }
        match self.tuning.batch() {
            1 => source.next(&self.progress).map(Items::One),
            batch => Some(self.many(batch)).filter(|items| items.len() > 0),
        }
    }

    fn many(&mut self, batch: usize) -> Items<I::Item> {
        let began = Instant::now();
        let size = batch.min(self.most);
        let mut items = Vec::with_capacity(size);
        if let Some(source) = &mut self.source {
            source.read(&self.progress, |item| {
                items.push(item);
                items.len() < size && !self.progress.is_ending()
            });
        }
        self.most = if began.elapsed() > LONG { (size / 2).max(1) } else { (size * 2).min(batch) };
        Items::Many(items)
    }
}

impl<I> Reader<I> {
    fn put_back(&mut self) {
        if let Some(source) = self.source.take() {
            *lock(&self.shelf) = Some(source);
        }
    }
}

/// However the engine ends, what was taken from the source is known.
impl<I> Drop for Reader<I> {
    fn drop(&mut self) {
        self.put_back();
    }
}

impl<I: Source> Supply<I::Item> for Reader<I> {
    fn next(&mut self) -> Option<(Parcel<I::Item>, Waited)> {
        let Some(items) = self.items() else {
            self.put_back();
            return None;
        };
        self.number += 1;
        self.tuning.look(self.number, &self.progress);
        // The thread that takes from the source waits for the source.
        Some((Parcel { number: self.number - 1, items }, Waited::Yes))
    }
}
