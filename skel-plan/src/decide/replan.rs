//! When machines change: which mapping is best now, and is it worth moving the program there?
//!
//! A [`Replanner`] keeps the best mappings of the last search as candidates. When a monitor has measured a
//! change, it solves the candidates again. That is quick, since each solution starts from the last one. It
//! can also search all mappings again. If a candidate is still good, little has to be solved before the best
//! mapping is proved.
//!
//! **Worth moving.** A program that stays where it is makes `x` items a second. A program that moves makes no
//! items for a downtime of `c` seconds, and `y > x` items a second from then on. After `t` seconds the first
//! has made `x t` items and the second `y (t - c)`. So moving gains `y (t - c) - x t` items, which is above
//! zero for every `t` above the break-even time `c y / (y - x)`.

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

/// How good the mappings are after a change of the machines.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reassessment {
    /// The mappings that were solved on the changed machines, the best first.
    pub ranking: Ranking,
    /// The mapping under which the program runs, with its throughput on the changed machines.
    pub running: Ranked,
    /// How many mappings were solved.
    pub solved: usize,
    /// Whether the best is proved to be the best of all mappings.
    pub is_proved: bool,
}

/// What it costs to move the program, and how long it is still to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Migration {
    /// How long the program makes no items while it moves.
    pub downtime: Seconds,
    /// How long the program is still to run from now on, the downtime included.
    pub remaining: Seconds,
}

impl Replanner {
    /// Searches for the best mappings, and takes it that the program runs under the best of them. The search
    /// says by [`Search::top`] how many are kept as candidates.
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

    /// The best mappings of the last search.
    #[must_use]
    pub fn candidates(&self) -> &Ranking {
        &self.candidates
    }

    /// Solves the candidates and the running mapping again, on changed machines. It takes one solution for
    /// each of them, and another mapping may be better than all of them. The candidates stay the same. Their
    /// new solutions are kept as starts for the next ones.
    ///
    /// # Errors
    /// The running mapping needs a processor or a link that does not exist any more, or a limit is reached.
    pub fn reevaluate(&mut self, platform: Platform) -> Result<Reassessment, Error> {
        let planner = self.planner.with_platform(platform);
        let known = self.known_mappings(&planner)?;
        let run = Job::start(&planner).expecting(known.len());
        let ranking = Ranking::from_unsorted(run.solve_from_last(&known, &mut self.starts)?);
        let running = self.running_among(ranking.mappings());
        Ok(Reassessment { solved: ranking.mappings().len(), ranking, running, is_proved: false })
    }

    /// Searches all mappings on changed machines, beginning with the candidates. The mappings that it finds
    /// are the new candidates.
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

    /// Takes it that the program runs under another mapping from now on.
    ///
    /// # Errors
    /// The mapping does not fit the program or the machines.
    pub fn switch_to(&mut self, mapping: Mapping) -> Result<(), BuildErrors> {
        self.planner.rates(&mapping)?;
        self.running = mapping;
        Ok(())
    }

    /// The running mapping, and the candidates that are still possible on the machines.
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
    /// How many more items the program makes in the time that remains if it moves to the best mapping. The
    /// number is negative if the program had better stay.
    ///
    /// # Errors
    /// A time that is not positive.
    pub fn gain(&self, migration: &Migration) -> Result<f64, BuildErrors> {
        let (downtime, remaining) =
            (migration.downtime.checked_value()?, migration.remaining.checked_value()?);
        let [stay, go] = [&self.running, self.ranking.best()].map(|ranked| ranked.throughput.value());
        Ok(go * (remaining - downtime).max(0.0) - stay * remaining)
    }

    /// Whether the program makes more items in the time that remains if it moves to the best mapping.
    ///
    /// # Errors
    /// A time that is not positive.
    pub fn is_worth_moving(&self, migration: &Migration) -> Result<bool, BuildErrors> {
        Ok(self.gain(migration)? > 0.0)
    }

    /// After how many seconds a program that moves has made as many items as one that stays. There is no such
    /// time if the running mapping is as good as the best.
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
