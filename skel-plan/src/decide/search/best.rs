//! The best mappings that a search has found so far, and an upper bound on all others.

use std::collections::HashSet;

use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};
use skel_solve::Error;
use skel_solve::limits::Limit;

use super::placement::placement_of;
use super::result::SearchResult;
use crate::evaluate::{Job, Ranked, Ranking, to_nine_digits};
use crate::program::Mapping;
use crate::quantity::Throughput;

/// How many mappings are solved before the next ones are chosen. The number does not depend on the threads,
/// so no answer does.
pub(super) const AT_ONCE: usize = 4;

/// The best mappings so far.
pub(super) struct Best<'r> {
    ranked: Vec<Ranked>,
    /// All mappings that were solved.
    solved: HashSet<Mapping>,
    top: usize,
    /// An upper bound on the throughputs of the mappings that are not solved.
    bound: f64,
    /// How large the relative error of a solution may be.
    tolerance: f64,
    pub(super) job: &'r Job<'r>,
}

impl<'r> Best<'r> {
    /// No mapping yet, and an upper bound on all of them.
    pub(super) fn new(top: usize, bound: f64, tolerance: f64, job: &'r Job<'r>) -> Best<'r> {
        Best { ranked: Vec::new(), solved: HashSet::new(), top: top.max(1), bound, tolerance, job }
    }

    /// Whether there is a mapping.
    pub(super) fn has_any(&self) -> bool {
        !self.ranked.is_empty()
    }

    /// Whether a mapping whose throughput is at most `bound` may be among the best. It may if it can be as
    /// good as the last of them.
    pub(super) fn may_contain(&self, bound: f64) -> bool {
        const EQUAL: f64 = 1e-8;
        // The throughput of a solution may be too large by the tolerance.
        let margin = EQUAL + self.tolerance;
        let last = self.ranked.get(self.top - 1);
        last.is_none_or(|last| bound >= last.throughput.value() * (1.0 - margin))
    }

    /// Solves those of the mappings that are not solved yet, and keeps the best.
    pub(super) fn solve(&mut self, mappings: &[Mapping]) -> Result<(), Error> {
        let is_new = |mapping: &&Mapping| !self.solved.contains(*mapping);
        let new: Vec<Mapping> = mappings.iter().filter(is_new).cloned().collect();
        let solved = self.job.solve(&new)?;
        self.insert_all(solved);
        self.report();
        Ok(())
    }

    /// Lowers the bound on the mappings that are not solved, if this one is lower.
    pub(super) fn lower_bound_to(&mut self, bound: f64) {
        if bound < self.bound {
            self.bound = bound;
            self.report();
        }
    }

    fn report(&self) {
        let best = self.ranked.first().map(|best| best.throughput);
        let reached = best.map_or(0.0, Throughput::value);
        self.job.report_bounds(best, Some(self.bound.max(reached)));
    }

    /// Adds solved mappings, each of them once, and keeps the best.
    pub(super) fn insert_all(&mut self, others: impl IntoIterator<Item = Ranked>) {
        for other in others {
            if self.solved.insert(other.mapping.clone()) {
                let place = self.ranked.partition_point(|ranked| ranked.compare(&other).is_lt());
                self.ranked.insert(place, other);
            }
        }
        self.ranked.truncate(self.top);
    }

    /// The placement of the best mapping.
    pub(super) fn first_placement(&self) -> Option<Vec<usize>> {
        self.placements().next()
    }

    pub(super) fn placements(&self) -> impl Iterator<Item = Vec<usize>> + '_ {
        self.ranked.iter().map(|ranked| placement_of(&ranked.mapping))
    }

    pub(super) fn into_result(
        self,
        mapping_count: Option<u128>,
        is_proved: bool,
        stopped: Option<Limit>,
    ) -> Result<SearchResult, Error> {
        let Some(best) = self.ranked.first() else {
            let message = match is_proved {
                true => "the links allow no mapping",
                false => "no mapping was found whose links are all there",
            };
            return Err(BuildErrors(vec![BuildError {
                code: Code::MissingLink,
                message: message.into(),
                help: "give each processor a link to itself, or links between processors".into(),
            }])
            .into());
        };
        let reached = best.throughput.value();
        let last = self.ranked.get(self.top - 1);
        let is_proved = is_proved
            || last.is_some_and(|last| self.bound < to_nine_digits(last.throughput) * (1.0 - self.tolerance));
        let bound = if is_proved { reached } else { self.bound.max(reached) };
        Ok(SearchResult {
            solved: self.job.solved_count(),
            mapping_count,
            bound: Throughput::items_per_second(bound),
            is_proved,
            stopped,
            ranking: Ranking::from_unsorted(self.ranked),
        })
    }
}
