//! A range of a loop as it was measured.

use std::ops::Range;

/// A call of the function of a loop: a bar of a Gantt chart. Times are in seconds since the loop began.
///
/// A chunk is one call, or several one behind the other if its items had been given to a worker that was
/// lost.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LoopPiece {
    /// The worker, from 0.
    pub worker: usize,
    /// The items, counted from 0 at the first index of the loop.
    pub items: Range<u64>,
    /// When the worker asked for them.
    pub asked: f64,
    /// When it began to work on them.
    pub started: f64,
    /// When it finished them, or failed.
    pub ended: f64,
    /// Whether its result counts. That of a worker that was lost does not, unless it came before those of
    /// others.
    pub counts: bool,
}

impl LoopPiece {
    /// How long the worker worked on them, in seconds.
    #[must_use]
    pub fn work(&self) -> f64 {
        self.ended - self.started
    }
}
