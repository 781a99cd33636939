//! One chunk of a loop as it was measured.

use std::ops::Range;

/// A chunk from the request for it to its end: a bar of a Gantt chart. Times are in seconds since the loop began.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LoopPiece {
    /// The worker, from 0.
    pub worker: usize,
    /// The items, counted from 0 at the first index of the loop: one range, or several if some had been given to a worker that was
    /// lost.
    pub items: Vec<Range<u64>>,
    /// When the worker asked for them.
    pub asked: f64,
    /// When it began to work on them.
    pub started: f64,
    /// When it finished them, or failed.
    pub ended: f64,
    /// Whether its results count. Those of a worker that was lost do not, unless they came before those of others.
    pub counts: bool,
}

impl LoopPiece {
    /// How many items there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.items.iter().map(|range| range.end - range.start).sum()
    }

    /// Whether there are none, which is not so in the timeline of a loop.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How long the worker worked on them, in seconds.
    #[must_use]
    pub fn work(&self) -> f64 {
        self.ended - self.started
    }
}
