//! What a search found.

use skel_solve::limits::Limit;

use crate::evaluate::Ranking;
use crate::quantity::Throughput;

/// The result of a search.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SearchResult {
    /// The best mappings: as many as were wanted, or all if there are fewer.
    pub ranking: Ranking,
    /// How many mappings were solved.
    pub solved: usize,
    /// How many mappings there are, if the number has at most 128 bits.
    pub mapping_count: Option<u128>,
    /// An upper bound on the throughputs of all mappings. It is the throughput of the best one where that is
    /// proved to be the best.
    pub bound: Throughput,
    /// Whether it is proved that no other mapping is better than those of the ranking.
    pub is_proved: bool,
    /// Why the search was stopped early, if it was: it reached the time limit, or it was cancelled.
    pub stopped: Option<Limit>,
}

impl SearchResult {
    /// By which part of its throughput another mapping may be better than the best found: 0.25 stands for a
    /// quarter.
    #[must_use]
    pub fn gap(&self) -> f64 {
        (self.bound.value() / self.ranking.best().throughput.value() - 1.0).max(0.0)
    }
}
