//! How far work is that solves many mappings.

use crate::quantity::Throughput;

/// How far work is that consists of many solutions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// Mappings solved.
    pub solved: usize,
    /// All that are to be solved, where that is known.
    pub total: Option<usize>,
    /// In a search, the best found so far.
    pub best: Option<Throughput>,
    /// In a search, what no mapping can exceed.
    pub bound: Option<Throughput>,
}
