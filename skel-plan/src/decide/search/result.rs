//! What a search found.

use skel_solve::limits::Limit;

use crate::evaluate::Ranking;
use crate::quantity::Throughput;

/// The best mappings.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SearchResult {
    /// The best mappings, as many as were wanted and there are.
    pub ranking: Ranking,
    /// How many mappings were solved.
    pub solved: usize,
    /// How many there are; nothing beyond 128 bits.
    pub mappings: Option<u128>,
    /// What no mapping can exceed; the throughput of the best itself where it is proved.
    pub bound: Throughput,
    /// Whether the best mappings are proved to be the best.
    pub is_proved: bool,
    /// What ended the search before its time, if anything did: the limit of time, or somebody who cancelled it.
    pub stopped: Option<Limit>,
}

impl SearchResult {
    /// How much better than the best found a mapping may be, as a part of it: 0.25 for a quarter.
    #[must_use]
    pub fn gap(&self) -> f64 {
        (self.bound.value() / self.ranking.best().throughput.value() - 1.0).max(0.0)
    }
}
