//! Why a loop has no result for some of its indices.

use std::fmt;
use std::ops::Range;

use skel_core::model::BuildErrors;

use super::index::Index;
use super::report::{LoopReport, Loss};
use crate::report::numbers::time;

/// How many ranges and workers are named at most.
const MOST_NAMED: usize = 8;

/// Why a loop has no result for some of its indices. It has those pieces that were finished.
///
/// A `main` that returns it prints it in words.
#[non_exhaustive]
pub enum LoopError<I, R> {
    /// There is no worker, or a parameter of the schedule cannot be. Nothing was done.
    Settings(BuildErrors),
    /// The function panicked on the same indices in several workers, so that its error is in the program and
    /// not in a worker.
    Failed {
        /// The indices. They have no result, unless a worker was slow in the sense of
        /// [`Loop::lost_after`](super::Loop::lost_after): another one may have had them in its hands as well.
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
    /// What is missing of a range where there are these pieces, which are in order.
    pub(super) fn new(indices: &Range<I>, pieces: Vec<(Range<I>, R)>, report: LoopReport) -> Self {
        let ends = pieces.iter().map(|(range, _)| range.end);
        let starts = pieces.iter().map(|(range, _)| range.start);
        let gaps = std::iter::once(indices.start).chain(ends).zip(starts.chain([indices.end]));
        let missing = gaps.map(|(from, to)| from..to).filter(|gap| !gap.is_empty()).collect();
        Partial { missing, pieces, report }
    }

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
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoopError::Settings(errors) => errors.fmt(f),
            LoopError::Failed { range, workers, message, partial } => {
                let indices = in_words(range);
                match workers {
                    1 => write!(f, "the function panicked on {indices}")?,
                    _ => write!(f, "the function panicked on {indices} in {workers} workers")?,
                }
                write!(f, ": {message}; {partial}")
            }
            LoopError::AllLost(partial) => {
                write!(f, "every worker was lost; {partial}")?;
                let losses = partial.report.losses();
                losses.take(MOST_NAMED).try_for_each(|(worker, Loss { at, cause })| {
                    write!(f, "\nworker {worker} was lost after {}: {cause}", time(*at))
                })
            }
            LoopError::Cancelled(partial) => write!(f, "the loop was cancelled; {partial}"),
        }
    }
}

impl<I: Index, R> fmt::Display for Partial<I, R> {
    /// Which indices have no result.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: Vec<String> = self.missing.iter().take(MOST_NAMED).map(in_words).collect();
        let missing: u64 = self.missing.iter().map(Index::count).sum();
        write!(f, "{missing} of {} indices have no result: {}", self.report.items(), shown.join(", "))?;
        match self.missing.len().saturating_sub(MOST_NAMED) {
            0 => Ok(()),
            1 => f.write_str(" and one more range"),
            more => write!(f, " and {more} more ranges"),
        }
    }
}

impl<I: Index, R> fmt::Debug for LoopError<I, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<I: Index, R> std::error::Error for LoopError<I, R> {}

/// The first index and the last one.
fn in_words<I: Index>(range: &Range<I>) -> String {
    match Index::count(range) {
        1 => format!("index {}", range.start),
        _ => format!("{}..{}", range.start, range.end),
    }
}
