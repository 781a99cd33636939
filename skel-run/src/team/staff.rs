//! Who should serve an item together, as other threads may change it while a run goes on.

use crate::sync::{AtomicUsize, Mutex, Ordering, lock};
use crate::team::shares::Shares;

/// The workers that there should be, each with the weight of its part.
#[derive(Debug)]
pub(crate) struct Staff {
    /// How often the weights were set.
    changes: AtomicUsize,
    weights: Mutex<Vec<u32>>,
}

impl Staff {
    /// One worker for each of these weights, of which some are above 0.
    pub(crate) fn new(weights: Vec<u32>) -> Self {
        Staff { changes: AtomicUsize::new(1), weights: Mutex::new(weights) }
    }

    /// Other workers, from the next item on.
    pub(crate) fn set(&self, weights: Vec<u32>) {
        *lock(&self.weights) = weights;
        self.changes.fetch_add(1, Ordering::Release);
    }

    /// How many workers there should be.
    pub(crate) fn workers(&self) -> usize {
        lock(&self.weights).len()
    }

    /// The shares, if they were set since they were last seen. At first nothing was seen: 0.
    pub(super) fn since(&self, seen: &mut usize) -> Option<Shares> {
        let changes = self.changes.load(Ordering::Acquire);
        if changes == *seen {
            return None;
        }
        *seen = changes;
        Some(Shares::weighted(lock(&self.weights).clone()))
    }
}
