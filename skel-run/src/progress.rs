//! How a run goes on: whether it was told to end, and where it failed.

use crossbeam_utils::CachePadded;

use crate::functions::Cause;
use crate::parcel::drop_safely;
use crate::sync::{AtomicBool, AtomicU64, Mutex, Ordering, lock};

/// Who failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// The source.
    Source,
    /// The system, which refused to start threads.
    System,
    /// A task, by its number.
    Task(usize),
}

/// An item that ended the run.
#[derive(Debug)]
pub(crate) struct FailedItem {
    pub(crate) who: Who,
    /// The item's place in the source.
    pub(crate) place: u64,
    pub(crate) cause: Cause,
}

/// The state that all threads of a run share.
#[derive(Debug)]
pub(crate) struct Progress {
    /// Items from this place on are discarded. `u64::MAX` while there is no reason to discard any.
    stop_at: AtomicU64,
    /// Whether the source should end, for whatever reason.
    is_ending: AtomicBool,
    is_cancelled: AtomicBool,
    is_draining: AtomicBool,
    /// Whether the run goes on with another engine.
    is_switching: AtomicBool,
    /// Whether a thread waits for the source. It is written for each item, so it has a cache line of its own:
    /// the others are read for each item.
    is_asking: CachePadded<AtomicBool>,
    discarded: AtomicU64,
    failed: Mutex<Option<FailedItem>>,
}

impl Progress {
    /// A run that has not begun.
    pub(crate) fn new() -> Self {
        Progress {
            stop_at: AtomicU64::new(u64::MAX),
            is_ending: AtomicBool::new(false),
            is_cancelled: AtomicBool::new(false),
            is_draining: AtomicBool::new(false),
            is_switching: AtomicBool::new(false),
            is_asking: CachePadded::new(AtomicBool::new(false)),
            discarded: AtomicU64::new(0),
            failed: Mutex::new(None),
        }
    }

    /// Ends the run: items that are inside are discarded.
    pub(crate) fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
        self.stop_at(0);
    }

    /// Ends the source: items that are inside are served.
    pub(crate) fn drain(&self) {
        self.is_draining.store(true, Ordering::SeqCst);
        self.is_ending.store(true, Ordering::SeqCst);
    }

    /// Ends the engine: the run goes on with another.
    pub(crate) fn switch(&self) {
        self.is_switching.store(true, Ordering::SeqCst);
        self.is_ending.store(true, Ordering::SeqCst);
    }

    /// Whether the engine ends so that the run goes on with another.
    pub(crate) fn is_switching(&self) -> bool {
        self.is_switching.load(Ordering::Relaxed)
    }

    /// Whether the run goes on with another engine. From here on it does.
    pub(crate) fn has_switched(&self) -> bool {
        if !self.is_switching.swap(false, Ordering::SeqCst) {
            return false;
        }
        self.is_ending.store(false, Ordering::SeqCst);
        // Whoever ends the run says so first and then sets `is_ending`: if that was before it was unset here,
        // it is seen now.
        let is_over =
            self.is_draining.load(Ordering::SeqCst) || self.stop_at.load(Ordering::SeqCst) != u64::MAX;
        if is_over {
            self.is_ending.store(true, Ordering::SeqCst);
        }
        !is_over
    }

    fn stop_at(&self, place: u64) {
        self.stop_at.fetch_min(place, Ordering::SeqCst);
        self.is_ending.store(true, Ordering::SeqCst);
    }

    /// An item ended the run. Items before it are still served, so that the first of all is found.
    pub(crate) fn fail(&self, item: FailedItem) {
        self.stop_at(item.place);
        let mut failed = lock(&self.failed);
        let is_first = failed.as_ref().is_none_or(|known| item.place < known.place);
        let other = if is_first { failed.replace(item) } else { Some(item) };
        drop(failed);
        // Another that failed counts among those that are not wanted any more. The source and the system are
        // no items.
        let is_item = other.as_ref().is_some_and(|other| matches!(other.who, Who::Task(_)));
        self.discarded.fetch_add(u64::from(is_item), Ordering::Relaxed);
        drop_safely(other);
    }

    /// What ended the run.
    pub(crate) fn take_failed(&self) -> Option<FailedItem> {
        lock(&self.failed).take()
    }

    /// Whether the source should end.
    #[inline]
    pub(crate) fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Acquire)
    }

    /// A thread asks the source for its next item, or has it.
    #[inline]
    pub(crate) fn asks_source(&self, asks: bool) {
        self.is_asking.store(asks, Ordering::Relaxed);
    }

    /// Whether a thread waits for the source.
    pub(crate) fn is_asking_source(&self) -> bool {
        self.is_asking.load(Ordering::Relaxed)
    }

    /// Whether the run was cancelled.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    /// Whether the source was ended.
    pub(crate) fn is_draining(&self) -> bool {
        self.is_draining.load(Ordering::Relaxed)
    }

    /// Whether the item of this place is not wanted any more; if so, it is counted.
    #[inline]
    pub(crate) fn discards(&self, place: u64) -> bool {
        let is_discarded = place >= self.stop_at.load(Ordering::Relaxed);
        if is_discarded {
            self.discarded.fetch_add(1, Ordering::Relaxed);
        }
        is_discarded
    }

    /// How many items were discarded.
    pub(crate) fn discarded(&self) -> u64 {
        self.discarded.load(Ordering::Relaxed)
    }
}
