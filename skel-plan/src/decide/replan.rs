//! Machines change: which mapping is best now, and is it worth moving?
//!
//! A [`Replanner`] keeps the best mappings of the last search. After a monitor's reading it solves these again, each from its
//! last solution, which is quick, and can then search from them: a good mapping at hand leaves little to be solved before
//! the best is proved.
//!
//! **Worth moving.** A program that stays makes `x` items a second, and one that moves stands still for `c` seconds and
//! makes `y > x` from then on. After `t` seconds they have made `x t` and `y (t - c)` items, so moving gains
//! `y (t - c) - x t`, which is above zero from `t = c y / (y - x)` on.

use skel_core::model::BuildErrors;
use skel_solve::Error;

use super::search::{Search, SearchResult};
use crate::evaluate::{Job, Planner, Ranked, Ranking, WarmStarts, to_nine_digits};
use crate::platform::Platform;
use crate::program::Mapping;
use crate::quantity::Seconds;

/// A program that runs under a mapping on machines that change.
///
/// # Examples
/// ```
/// use skel_plan::*;
/// let processors = [10, 10].map(|power| Processor::new(Power::per_second(power)));
/// let bandwidth = Bandwidth::bytes_per_second;
/// let platform = Platform::new(processors, &Links::everywhere(bandwidth(100)).within(bandwidth(10_000)))?;
/// let stages = [1, 1].map(|work| Stage::new(Work::units(work)));
/// let planner = Planner::new(Application::pipeline(stages, Data::bytes(1))?, platform.clone());
/// let mut replanner = Replanner::new(planner, Search { top: 4, ..Search::default() })?;
/// assert_eq!(replanner.running().to_string(), "[1, (1,2), 2]");
///
/// // The second processor is now busy with something else.
/// let change = replanner.reevaluate(platform.with_power(2.into(), &Power::per_second(1))?)?;
/// assert_eq!(change.ranking.best().mapping.to_string(), "[1, (1,1), 1]");
/// let migration = Migration { downtime: Seconds::new(30), remaining: Seconds::new(3600) };
/// assert!(change.is_worth_moving(&migration)?);
/// # Ok::<(), skel_solve::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Replanner {
    planner: Planner,
    search: Search,
    candidates: Ranking,
    running: Mapping,
    starts: WarmStarts,
}

/// What a change of the machines means.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reassessment {
    /// The mappings that were solved on the changed machines, best first.
    pub ranking: Ranking,
    /// The mapping under which the program runs, on the changed machines.
    pub running: Ranked,
    /// How many mappings were solved.
    pub solved: usize,
    /// Whether the best is proved to be the best of all mappings.
    pub is_proved: bool,
}

/// What it costs to move, and how long the program goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct Migration {
    /// How long it stands still while it moves.
    pub downtime: Seconds,
    /// How long it goes on from now, if it does not move or if it does.
    pub remaining: Seconds,
}

impl Replanner {
    /// Searches, and lets the program run under the best mapping. As many mappings are kept as the search wants.
    ///
    /// # Errors
    /// As [`Planner::search`].
    pub fn new(planner: Planner, search: Search) -> Result<Replanner, Error> {
        let candidates = planner.search(&search)?.ranking;
        let running = candidates.best().mapping.clone();
        Ok(Replanner { planner, search, candidates, running, starts: WarmStarts::default() })
    }

    /// The mapping under which the program runs.
    #[must_use]
    pub fn running(&self) -> &Mapping {
        &self.running
    }

    /// The mappings that are kept.
    #[must_use]
    pub fn candidates(&self) -> &Ranking {
        &self.candidates
    }

    /// The kept mappings and the running one on changed machines: as many solutions as are kept, and no proof. What is kept
    /// stays, but for the solutions: the next ones start from these.
    ///
    /// # Errors
    /// The running mapping needs a processor or a link that is no longer there; a limit.
    pub fn reevaluate(&mut self, platform: Platform) -> Result<Reassessment, Error> {
        let planner = self.planner.with_platform(platform);
        let known = self.known_mappings(&planner)?;
        let run = Job::start(&planner).expecting(known.len());
        let ranking = Ranking::from_unsorted(run.solve_from_last(&known, &mut self.starts)?);
        let running = self.running_among(ranking.mappings());
        Ok(Reassessment { solved: ranking.mappings().len(), ranking, running, is_proved: false })
    }

    /// The best of all mappings on changed machines, searched from those that are kept. What it finds is kept from then on.
    ///
    /// # Errors
    /// As [`Self::reevaluate`] and [`Planner::search`].
    pub fn search_again(&mut self, platform: Platform) -> Result<Reassessment, Error> {
        let planner = self.planner.with_platform(platform);
        let run = Job::start(&planner);
        let known = run.solve_from_last(&self.known_mappings(&planner)?, &mut self.starts)?;
        let running = self.running_among(&known);
        let SearchResult { ranking, solved, is_proved, .. } =
            planner.search_beyond(&self.search, known, &run)?;
        (self.planner, self.candidates) = (planner, ranking.clone());
        Ok(Reassessment { ranking, running, solved, is_proved })
    }

    /// Lets the program run under another mapping.
    ///
    /// # Errors
    /// If it does not fit the program or the machines.
    pub fn switch_to(&mut self, mapping: Mapping) -> Result<(), BuildErrors> {
        self.planner.rates(&mapping)?;
        self.running = mapping;
        Ok(())
    }

    /// The running mapping, and those of the kept ones that the machines still allow.
    fn known_mappings(&self, planner: &Planner) -> Result<Vec<Mapping>, BuildErrors> {
        planner.rates(&self.running)?;
        let kept = self.candidates.mappings().iter().map(|ranked| &ranked.mapping);
        let allowed = kept.filter(|mapping| planner.rates(mapping).is_ok());
        let mut known: Vec<Mapping> = allowed.chain([&self.running]).cloned().collect();
        known.sort_unstable();
        known.dedup();
        Ok(known)
    }

    /// The running mapping with its throughput.
    fn running_among(&self, solved: &[Ranked]) -> Ranked {
        let running = solved.iter().find(|ranked| ranked.mapping == self.running);
        running.expect("it is among the known mappings").clone()
    }
}

impl Reassessment {
    /// How many items more the program makes in the time that remains, if it moves to the best mapping; less than zero if it
    /// had better stay.
    ///
    /// # Errors
    /// A time that is not positive.
    pub fn gain(&self, migration: &Migration) -> Result<f64, BuildErrors> {
        let (downtime, remaining) =
            (migration.downtime.checked_value()?, migration.remaining.checked_value()?);
        let [stay, go] = [&self.running, self.ranking.best()].map(|ranked| ranked.throughput.value());
        Ok(go * (remaining - downtime).max(0.0) - stay * remaining)
    }

    /// Whether the program makes more items if it moves to the best mapping.
    ///
    /// # Errors
    /// A time that is not positive.
    pub fn is_worth_moving(&self, migration: &Migration) -> Result<bool, BuildErrors> {
        Ok(self.gain(migration)? > 0.0)
    }

    /// How many seconds after the change moving begins to pay, for this downtime; none if it never does.
    ///
    /// # Errors
    /// A time that is not positive.
    ///
    /// # Examples
    /// ```
    /// # use skel_plan::*;
    /// # let bandwidth = Bandwidth::bytes_per_second(1000);
    /// # let processors = [10, 10].map(|power| Processor::new(Power::per_second(power)));
    /// # let platform = Platform::new(processors, &Links::everywhere(bandwidth))?;
    /// # let application = Application::pipeline([Stage::new(Work::units(1))], Data::bytes(1))?;
    /// let mut replanner = Replanner::new(Planner::new(application, platform.clone()), Search::default())?;
    /// let same = replanner.reevaluate(platform)?;
    /// assert_eq!(same.break_even(&Seconds::new(10))?, None);
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    pub fn break_even(&self, downtime: &Seconds) -> Result<Option<f64>, BuildErrors> {
        let downtime = downtime.checked_value()?;
        let [stay, go] = [&self.running, self.ranking.best()].map(|ranked| ranked.throughput.value());
        let is_better =
            to_nine_digits(self.ranking.best().throughput) > to_nine_digits(self.running.throughput);
        Ok(is_better.then(|| downtime * go / (go - stay)))
    }
}
