//! The best of all mappings.
//!
//! | method | finds | cost |
//! |---|---|---|
//! | `exhaustive` | the best | a solution for each of `processors^tasks` mappings, fewer where processors are equal (`symmetry`) or workers (`replicas`) |
//! | `branch` | the best, proved by the bounds of `bound` and `window` | a solution for each mapping whose bound is above the best |
//! | `local` | a good one, and how far from the best it may be | solutions along a climb |
//!
//! Unless another is chosen, branch and bound runs until the best is proved or a number of mappings is solved; the climb then
//! begins at the best found so far.

mod bound;
mod branch;
mod equals;
mod exhaustive;
mod loads;
mod local;
mod replicas;
mod symmetry;
mod window;

use std::collections::HashSet;

use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};
use skel_solve::Error;
use skel_solve::error::Stopped;
use skel_solve::limits::Limit;

use crate::mapping::Mapping;
use crate::planner::Planner;
use crate::platform::{ProcessorId, no_such_processor};
use crate::quantity::Throughput;
use crate::ranking::{Ranked, Ranking, comparable};
use crate::run::Run;
use bound::Bounds;
use branch::Branching;
use equals::Equals;

/// Mappings that are solved before the next are chosen: as many with any number of threads, so that no answer depends on it.
const AT_ONCE: usize = 4;

/// How to search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Branch and bound, and a local search where that comes to no end.
    #[default]
    BranchAndBound,
    /// Every mapping; of those that differ only in which of several equal processors is used, or in which of a farm's equal
    /// workers is where, one, now and then a few.
    Exhaustive,
    /// Local search alone, without a proof.
    Local,
}

/// Where the input comes from and where the output is wanted, in every mapping of a pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// Where the input comes from; where the first stage is, if nothing is said.
    pub input: Option<ProcessorId>,
    /// Where the output is wanted; where the last stage is, if nothing is said.
    pub output: Option<ProcessorId>,
}

/// What to search for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// How many of the best mappings are wanted; of equal ones under an exchange of equal processors or of a farm's equal
    /// workers one, now and then a few.
    pub top: usize,
    /// The method.
    pub method: Method,
    /// The places of input and output.
    pub ends: Ends,
    /// After so many solutions branch and bound ends without a proof, and after as many more the climb; 10,000 unless set.
    pub most_solved: usize,
}

impl Default for Search {
    fn default() -> Self {
        Search { top: 1, method: Method::default(), ends: Ends::default(), most_solved: 10_000 }
    }
}

/// The best mappings.
#[derive(Clone, Debug)]
pub struct Found {
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

impl Found {
    /// How much better than the best found a mapping may be, as a part of it: 0.25 for a quarter.
    #[must_use]
    pub fn gap(&self) -> f64 {
        (self.bound.value() / self.ranking.best().throughput.value() - 1.0).max(0.0)
    }
}

impl Planner {
    /// Searches for the best mappings.
    ///
    /// # Errors
    /// A place of the input or output that there is not; links over which no mapping can be made; a limit. Where time is over,
    /// or the work is cancelled, what is found by then is the answer, if anything is.
    ///
    /// # Examples
    /// ```
    /// use skel_plan::*;
    /// let processors = [10, 10, 1].map(|power| Processor::new(Power::per_second(power)));
    /// let bandwidth = Bandwidth::bytes_per_second;
    /// let platform = Platform::new(processors, &Links::everywhere(bandwidth(10)).within(bandwidth(10_000)))?;
    /// let stages = [1, 1, 1].map(|work| Stage::new(Work::units(work)));
    /// let planner = Planner::new(Application::pipeline(stages, Data::bytes(1))?, platform)?;
    /// let found = planner.search(&Search { top: 2, ..Search::default() })?;
    /// assert_eq!(found.ranking.best().mapping.to_string(), "[1, (1,1,2), 2]");
    /// assert!(found.is_proved && found.solved < 27);
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    pub fn search(&self, search: &Search) -> Result<Found, Error> {
        self.search_from(search, &[])
    }

    /// As [`Self::search`], beginning with these mappings: the better they are, the less is left to solve.
    ///
    /// # Errors
    /// As [`Self::search`], or one of the mappings does not fit.
    pub fn search_from(&self, search: &Search, known: &[Mapping]) -> Result<Found, Error> {
        known.iter().try_for_each(|mapping| self.rates(mapping).map(|_| ()))?;
        let equals = self.equals(search.ends)?;
        let mut known: Vec<Vec<usize>> =
            known.iter().map(|mapping| equals.canonical(&placed_by(mapping))).collect();
        known.sort_unstable();
        known.dedup();
        let known: Vec<Mapping> = known.iter().map(|placed| mapping_of(placed, search.ends)).collect();
        let run = Run::start(self);
        let solved = run.solve(&known)?;
        self.search_beyond(search, solved, &run)
    }

    /// As [`Self::search`], where some mappings are solved.
    pub(crate) fn search_beyond(
        &self,
        search: &Search,
        solved: Vec<Ranked>,
        run: &Run<'_>,
    ) -> Result<Found, Error> {
        let bounds = Bounds::of(self.application(), self.platform(), self.formula(), search.ends);
        let equals = self.equals(search.ends)?;
        let mut best = Best {
            ranked: Vec::new(),
            solved: HashSet::new(),
            top: search.top.max(1),
            bound: bounds.of_part(&[], None),
            tolerance: self.options().tolerance,
            run,
        };
        let looked_at = |Ranked { mapping, throughput }| {
            let placed = placed_by(&mapping);
            let has_ends = mapping == mapping_of(&placed, search.ends);
            has_ends
                .then(|| Ranked { mapping: mapping_of(&equals.canonical(&placed), search.ends), throughput })
        };
        best.keep(solved.into_iter().filter_map(looked_at));
        let outcome = match search.method {
            Method::BranchAndBound => self.branch(search, &bounds, &equals, &mut best),
            Method::Exhaustive => {
                exhaustive::try_all(self, search, &bounds, &equals, &mut best).map(|()| true)
            }
            Method::Local => local::climb(self, search, &bounds, &equals, &mut best).map(|()| false),
        };
        let processors = self.platform().processors().len() as u128;
        let mappings = processors.checked_pow(self.application().tasks() as u32);
        match outcome {
            Ok(is_proved) => best.found(mappings, is_proved, None),
            // What is found is not lost.
            Err(Error::Stopped(Stopped { limit: limit @ (Limit::Time(_) | Limit::Cancelled), .. }))
                if !best.ranked.is_empty() =>
            {
                best.found(mappings, false, Some(limit))
            }
            Err(error) => Err(error),
        }
    }

    /// Branch and bound, and the climb where that comes to no end. Whether the best is proved.
    fn branch(
        &self,
        search: &Search,
        bounds: &Bounds<'_>,
        equals: &Equals,
        best: &mut Best<'_>,
    ) -> Result<bool, Error> {
        let is_proved = Branching::new(self, search, bounds, equals)?.run(best)?;
        if !is_proved {
            local::climb(self, search, bounds, equals, best)?;
        }
        Ok(is_proved)
    }

    /// What may be exchanged, where input and output are there.
    fn equals(&self, ends: Ends) -> Result<Equals, BuildErrors> {
        let fixed: Vec<ProcessorId> = ends.input.into_iter().chain(ends.output).collect();
        match fixed.iter().find(|&&id| !self.platform().has(id)) {
            Some(&wrong) => {
                Err(BuildErrors(vec![no_such_processor(wrong, self.platform().processors().len())]))
            }
            None => Ok(Equals::of(self.application(), self.platform(), &fixed)),
        }
    }
}

/// The best mappings so far.
struct Best<'r> {
    ranked: Vec<Ranked>,
    /// All that were solved, among the best or not.
    solved: HashSet<Mapping>,
    top: usize,
    /// What none of the others can exceed.
    bound: f64,
    /// How large the relative error of a solution may be.
    tolerance: f64,
    run: &'r Run<'r>,
}

impl Best<'_> {
    /// Whether a mapping with this bound may be among the best. Those that are equal to the last of them may.
    fn may_contain(&self, bound: f64) -> bool {
        const EQUAL: f64 = 1e-8;
        // Solutions may be too large by the tolerance.
        let margin = EQUAL + self.tolerance;
        let last = self.ranked.get(self.top - 1);
        last.is_none_or(|last| bound >= last.throughput.value() * (1.0 - margin))
    }

    /// Solves mappings, but for those that are solved already, and keeps the best.
    fn solve(&mut self, mappings: &[Mapping]) -> Result<(), Error> {
        let is_new = |mapping: &&Mapping| !self.solved.contains(*mapping);
        let new: Vec<Mapping> = mappings.iter().filter(is_new).cloned().collect();
        let solved = self.run.solve(&new)?;
        self.keep(solved);
        self.tell();
        Ok(())
    }

    /// Nothing that is left can exceed this.
    fn lower(&mut self, bound: f64) {
        if bound < self.bound {
            self.bound = bound;
            self.tell();
        }
    }

    fn tell(&self) {
        let best = self.ranked.first().map(|best| best.throughput);
        let reached = best.map_or(0.0, Throughput::value);
        self.run.knows(best, Some(self.bound.max(reached)));
    }

    /// Keeps the best of those that there are and of others, each once.
    fn keep(&mut self, others: impl IntoIterator<Item = Ranked>) {
        for other in others {
            if self.solved.insert(other.mapping.clone()) {
                let place = self.ranked.partition_point(|ranked| ranked.order(&other).is_lt());
                self.ranked.insert(place, other);
            }
        }
        self.ranked.truncate(self.top);
    }

    /// The processors of the best mapping.
    fn first(&self) -> Option<Vec<usize>> {
        self.placed().next()
    }

    fn placed(&self) -> impl Iterator<Item = Vec<usize>> + '_ {
        self.ranked.iter().map(|ranked| placed_by(&ranked.mapping))
    }

    fn found(self, mappings: Option<u128>, is_proved: bool, stopped: Option<Limit>) -> Result<Found, Error> {
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
            || last.is_some_and(|last| self.bound < comparable(last.throughput) * (1.0 - self.tolerance));
        let bound = if is_proved { reached } else { self.bound.max(reached) };
        Ok(Found {
            solved: self.run.solved(),
            mappings,
            bound: Throughput::items_per_second(bound),
            is_proved,
            stopped,
            ranking: Ranking::of(self.ranked),
        })
    }
}

/// The processors of the tasks, by their indices.
fn placed_by(mapping: &Mapping) -> Vec<usize> {
    mapping.tasks().iter().map(|id| id.index()).collect()
}

/// The parts with one task more whose links are there.
fn linked_parts(placed: &[usize], bounds: &Bounds<'_>, equals: &Equals) -> Vec<Vec<usize>> {
    let longer = equals.choices(placed).map(|processor| [placed, &[processor]].concat());
    longer.filter(|placed| bounds.of_part(placed, None) > 0.0).collect()
}

/// The mapping that places the tasks so.
fn mapping_of(placed: &[usize], ends: Ends) -> Mapping {
    let mut mapping = Mapping::new(placed.iter().map(|&processor| ProcessorId::at(processor)));
    if let Some(input) = ends.input {
        mapping = mapping.with_input(input);
    }
    if let Some(output) = ends.output {
        mapping = mapping.with_output(output);
    }
    mapping
}
