//! Reports of how many mappings are solved, and what a search has found.

use crate::quantity::Throughput;

/// The progress of a ranking or of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// How many mappings are solved.
    pub solved: usize,
    /// How many are to be solved, where that is known.
    pub total: Option<usize>,
    /// In a search, the highest throughput found so far.
    pub best: Option<Throughput>,
    /// In a search, an upper bound on the throughputs of all mappings.
    pub bound: Option<Throughput>,
}
