//! The search for the best of all mappings.
//!
//! | method | finds | cost |
//! |---|---|---|
//! | `exhaustive` | the best mapping | a solution for each of `processors^tasks` mappings, and fewer where some are equal by `symmetry` |
//! | `branch` | the best mapping, proved by the bounds of `bound` and `window` | a solution for each mapping whose bound is not below the best |
//! | `local` | a good mapping, and how far from the best it may be | the solutions along a climb |
//!
//! By default branch and bound runs until the best mapping is proved, or until a number of mappings is
//! solved. In the second case the local search goes on from the best mapping found so far.

mod best;
mod bound;
mod branch;
mod exhaustive;
mod link_rates;
mod loads;
mod local;
mod placement;
mod request;
mod result;
mod symmetry;
mod window;

use skel_core::model::BuildErrors;
use skel_solve::Error;
use skel_solve::error::Stopped;
use skel_solve::limits::Limit;

use crate::evaluate::{Job, Planner, Ranked};
use crate::platform::{ProcessorId, no_such_processor};
use crate::program::Mapping;
use best::Best;
use bound::Bounds;
use branch::BranchAndBound;
use link_rates::LinkRates;
use placement::{mapping_of, placement_of};
use symmetry::Symmetry;

pub use request::{Ends, Search, SearchMethod};
pub use result::SearchResult;

impl Planner {
    /// Searches for the best mappings.
    ///
    /// # Errors
    /// The input or the output is at a processor that does not exist, no mapping is possible over the links,
    /// the model of a link says nothing of the size of some item, or a limit is reached. If the time is over
    /// or the search is cancelled, it is not an error as long as something was found: then this is the
    /// answer.
    ///
    /// # Examples
    /// ```
    /// use skel_plan::*;
    /// let processors = [10, 10, 1].map(|power| Processor::new(Power::per_second(power)));
    /// let bandwidth = Bandwidth::bytes_per_second;
    /// let platform = Platform::new(processors, &Links::everywhere(bandwidth(10)).within(bandwidth(10_000)))?;
    /// let stages = [1, 1, 1].map(|work| Stage::new(Work::units(work)));
    /// let planner = Planner::new(Application::pipeline(stages, Data::bytes(1))?, platform);
    /// let found = planner.search(&Search { top: 2, ..Search::default() })?;
    /// assert_eq!(found.ranking.best().mapping.to_string(), "[1, (1,1,2), 2]");
    /// assert!(found.is_proved && found.solved < 27);
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    pub fn search(&self, search: &Search) -> Result<SearchResult, Error> {
        self.search_from(search, &[])
    }

    /// As [`Self::search`], beginning with these mappings. The better they are, the fewer others have to be
    /// solved.
    ///
    /// # Errors
    /// As [`Self::search`], or one of the mappings does not fit.
    pub fn search_from(&self, search: &Search, known: &[Mapping]) -> Result<SearchResult, Error> {
        known.iter().try_for_each(|mapping| self.rates(mapping).map(|_| ()))?;
        let links = LinkRates::new(self.application(), self.platform())?;
        let symmetry = self.symmetry(&links, search.ends)?;
        let mut known: Vec<Vec<usize>> =
            known.iter().map(|mapping| symmetry.canonical(&placement_of(mapping))).collect();
        known.sort_unstable();
        known.dedup();
        let known: Vec<Mapping> = known.iter().map(|placed| mapping_of(placed, search.ends)).collect();
        let job = Job::start(self);
        let solved = job.solve(&known)?;
        self.search_beyond(search, solved, &job)
    }

    /// As [`Self::search`], where some mappings are solved already.
    pub(crate) fn search_beyond(
        &self,
        search: &Search,
        solved: Vec<Ranked>,
        job: &Job<'_>,
    ) -> Result<SearchResult, Error> {
        let links = LinkRates::new(self.application(), self.platform())?;
        let bounds = Bounds::new(self.application(), self.platform(), &links, self.formula(), search.ends);
        let symmetry = self.symmetry(&links, search.ends)?;
        let mut best = Best::new(search.top, bounds.upper_bound(&[], None), self.options().tolerance, job);
        let looked_at = |Ranked { mapping, throughput }| {
            let placed = placement_of(&mapping);
            let has_ends = mapping == mapping_of(&placed, search.ends);
            has_ends.then(|| Ranked {
                mapping: mapping_of(&symmetry.canonical(&placed), search.ends),
                throughput,
            })
        };
        best.insert_all(solved.into_iter().filter_map(looked_at));
        let outcome = match search.method {
            SearchMethod::BranchAndBound => self.branch(search, &bounds, &symmetry, &mut best),
            SearchMethod::Exhaustive => {
                exhaustive::try_all(self, search, &bounds, &symmetry, &mut best).map(|()| true)
            }
            SearchMethod::Local => local::climb(self, search, &bounds, &symmetry, &mut best).map(|()| false),
        };
        let processors = self.platform().processors().len() as u128;
        let mapping_count = processors.checked_pow(self.application().task_count() as u32);
        match outcome {
            Ok(is_proved) => best.into_result(mapping_count, is_proved, None),
            // A search that was stopped returns what it has found.
            Err(Error::Stopped(Stopped { limit: limit @ (Limit::Time(_) | Limit::Cancelled), .. }))
                if best.has_any() =>
            {
                best.into_result(mapping_count, false, Some(limit))
            }
            Err(error) => Err(error),
        }
    }

    /// Runs branch and bound, and the local search if that ends without a proof. Returns whether the best is
    /// proved.
    fn branch(
        &self,
        search: &Search,
        bounds: &Bounds<'_>,
        symmetry: &Symmetry,
        best: &mut Best<'_>,
    ) -> Result<bool, Error> {
        let is_proved = BranchAndBound::new(self, search, bounds, symmetry)?.run(best)?;
        if !is_proved {
            local::climb(self, search, bounds, symmetry, best)?;
        }
        Ok(is_proved)
    }

    /// The symmetry of the program and the machines, where input and output are at these processors.
    fn symmetry(&self, links: &LinkRates, ends: Ends) -> Result<Symmetry, BuildErrors> {
        let fixed: Vec<ProcessorId> = ends.input.into_iter().chain(ends.output).collect();
        match fixed.iter().find(|&&id| !self.platform().contains(id)) {
            Some(&wrong) => {
                Err(BuildErrors(vec![no_such_processor(wrong, self.platform().processors().len())]))
            }
            None => Ok(Symmetry::new(self.application(), self.platform(), links, &fixed)),
        }
    }
}
