//! Why a loop has no result for some of its indices.

use std::fmt;
use std::ops::Range;

use skel_core::model::BuildErrors;

use super::index::Index;
use super::report::LoopReport;

/// Why a loop has no result for some of its indices. It has those pieces that were finished.
///
/// A `main` that returns it prints it in words.
#[non_exhaustive]
pub enum LoopError<I, R> {
    /// There is no worker, or a parameter of the schedule cannot be. Nothing was done.
    Settings(BuildErrors),
    /// The function panicked on the same indices in several workers, so that its error is in the program and not in a worker.
    Failed {
        /// The indices.
        range: Range<I>,
        /// How many workers panicked on them.
        workers: u32,
        /// The message of the last panic.
        message: String,
        /// What was done.
        partial: Box<Partial<I, R>>,
    },
    /// Every worker was lost.
    AllLost(Box<Partial<I, R>>),
    /// The loop was cancelled.
    Cancelled(Box<Partial<I, R>>),
}

/// What a loop has done that did not come to its end.
#[derive(Clone, Debug)]
pub struct Partial<I, R> {
    pub(super) missing: Vec<Range<I>>,
    pub(super) pieces: Vec<(Range<I>, R)>,
    pub(super) report: LoopReport,
}

impl<I: Index, R> Partial<I, R> {
    /// The indices that have no result, in order.
    #[must_use]
    pub fn missing(&self) -> &[Range<I>] {
        &self.missing
    }

    /// The pieces that were finished, in the order of the indices.
    #[must_use]
    pub fn pieces(&self) -> &[(Range<I>, R)] {
        &self.pieces
    }

    /// The same, to be taken apart.
    #[must_use]
    pub fn into_pieces(self) -> Vec<(Range<I>, R)> {
        self.pieces
    }

    /// What was measured.
    #[must_use]
    pub fn report(&self) -> &LoopReport {
        &self.report
    }
}

impl<I: Index, R> LoopError<I, R> {
    /// What was done. None if the loop did not begin.
    #[must_use]
    pub fn partial(&self) -> Option<&Partial<I, R>> {
        match self {
            LoopError::Settings(_) => None,
            LoopError::Failed { partial, .. }
            | LoopError::AllLost(partial)
            | LoopError::Cancelled(partial) => Some(partial),
        }
    }

    /// The same, to be taken apart.
    #[must_use]
    pub fn into_partial(self) -> Option<Partial<I, R>> {
        match self {
            LoopError::Settings(_) => None,
            LoopError::Failed { partial, .. }
            | LoopError::AllLost(partial)
            | LoopError::Cancelled(partial) => Some(*partial),
        }
    }
}

impl<I: Index, R> fmt::Display for LoopError<I, R> {
    fn fmt(&self, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        todo!()
    }
}

impl<I: Index, R> fmt::Debug for LoopError<I, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<I: Index, R> std::error::Error for LoopError<I, R> {}
