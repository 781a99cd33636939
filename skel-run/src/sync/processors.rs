//! Processors that threads stay on.
//!
//! Only a thread itself can move to another processor. So a wish is left in its [`Berth`], where it looks
//! between two parcels.

use core_affinity::{CoreId, get_core_ids, set_for_current};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The processors that the threads of a run may use. They are numbered from 0.
#[derive(Debug)]
pub(crate) struct Processors {
    cores: Arc<[CoreId]>,
    /// The number of threads that were given one, or none if threads move as the system likes.
    given: AtomicUsize,
}

/// No processor.
const NONE: usize = usize::MAX;

impl Processors {
    /// Those that this thread may use. Threads move as the system likes.
    pub(crate) fn new() -> Self {
        Processors { cores: get_core_ids().unwrap_or_default().into(), given: AtomicUsize::new(NONE) }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.cores.len()
    }

    /// From now on each thread stays on a processor: the first on the first, and so on around.
    pub(crate) fn give_out(&self) {
        self.given.store(0, Ordering::Relaxed);
    }

    /// Where the next thread is to be.
    pub(crate) fn berth(&self) -> Arc<Berth> {
        let next = |given| (given != NONE && self.count() > 0).then(|| given + 1);
        let given = self.given.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
        let wanted = given.map_or(NONE, |given| given % self.count());
        let cores = Arc::clone(&self.cores);
        Arc::new(Berth { cores, wanted: AtomicUsize::new(wanted), at: AtomicUsize::new(NONE) })
    }
}

/// The processor that a thread stays on, and the one that it should move to.
#[derive(Debug)]
pub(crate) struct Berth {
    cores: Arc<[CoreId]>,
    wanted: AtomicUsize,
    at: AtomicUsize,
}

impl Berth {
    /// The thread should move to this processor, which there is.
    pub(crate) fn want(&self, processor: usize) {
        self.wanted.store(processor, Ordering::Relaxed);
    }

    /// Moves this thread, whose berth it is, if it should be elsewhere.
    #[inline]
    pub(crate) fn settle(&self) {
        if self.wanted.load(Ordering::Relaxed) != NONE {
            self.move_here();
        }
    }

    /// Where the system does not allow it, the thread stays where it is.
    #[cold]
    fn move_here(&self) {
        let wanted = self.wanted.swap(NONE, Ordering::Relaxed);
        if self.cores.get(wanted).is_some_and(|core| set_for_current(*core)) {
            self.at.store(wanted, Ordering::Relaxed);
        }
    }

    /// The processor that its thread stays on; none if it moves as the system likes.
    pub(crate) fn at(&self) -> Option<usize> {
        Some(self.at.load(Ordering::Relaxed)).filter(|&at| at != NONE)
    }
}
