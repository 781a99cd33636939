//! What a loop ends with: its pieces in the order of the indices.

use std::ops::Range;

use super::report::LoopReport;

/// What the function of a loop returned for each range that it was called with: pieces in the order of the
/// indices, which have every index exactly once. And what was measured.
///
/// # Examples
/// ```
/// use skel::distribute::Schedule;
/// use skel::run::distribute;
///
/// let lengths = distribute(0..10_usize).by(Schedule::Chunked { items: 4 }).over(2).run(|range| range.len())?;
/// assert_eq!(lengths.pieces(), [(0..4, 4), (4..8, 4), (8..10, 2)]);
/// assert_eq!(lengths.report().chunks(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Distributed<I, R> {
    pub(super) pieces: Vec<(Range<I>, R)>,
    pub(super) report: LoopReport,
}

impl<I, R> Distributed<I, R> {
    /// The ranges, in the order of the indices, each with what the function returned for it.
    #[must_use]
    pub fn pieces(&self) -> &[(Range<I>, R)] {
        &self.pieces
    }

    /// The same, to be taken apart.
    #[must_use]
    pub fn into_pieces(self) -> Vec<(Range<I>, R)> {
        self.pieces
    }

    /// What the function returned, in the order of the indices.
    pub fn into_values(self) -> impl Iterator<Item = R> {
        self.pieces.into_iter().map(|(_, value)| value)
    }

    /// What was measured.
    #[must_use]
    pub fn report(&self) -> &LoopReport {
        &self.report
    }

    /// The pieces and what was measured.
    #[must_use]
    pub fn into_parts(self) -> (Vec<(Range<I>, R)>, LoopReport) {
        (self.pieces, self.report)
    }
}
