//! Work that consists of many solutions: several at once, within one time, and how far it is.

use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use skel_solve::error::{Reached, Stopped};
use skel_solve::limits::Limit;
use skel_solve::{Error, Limits};

use super::parallel::map_in_parallel;
use super::planner::Planner;
use super::progress::Progress;
use super::ranking::{Ranked, Ranking};
use super::warm_starts::WarmStarts;
use crate::program::Mapping;
use crate::quantity::Throughput;

/// Work under way.
pub(crate) struct Job<'p> {
    planner: &'p Planner,
    started: Instant,
    progress: Mutex<Progress>,
}

impl<'p> Job<'p> {
    /// Begins.
    pub(crate) fn start(planner: &'p Planner) -> Job<'p> {
        Job { planner, started: Instant::now(), progress: Mutex::default() }
    }

    /// The same, and so many mappings are to be solved.
    pub(crate) fn expecting(self, mappings: usize) -> Job<'p> {
        self.progress().total = Some(mappings);
        self
    }

    /// Mappings solved.
    pub(crate) fn solved_count(&self) -> usize {
        self.progress().solved
    }

    /// Says what a search knows by now.
    pub(crate) fn report_bounds(&self, best: Option<Throughput>, bound: Option<f64>) {
        let mut now = self.progress();
        (now.best, now.bound) = (best, bound.map(Throughput::items_per_second));
        let told = *now;
        drop(now);
        self.planner.report_progress(told);
    }

    /// Ends where the work was cancelled or its time is over.
    pub(crate) fn check_limits(&self) -> Result<(), Error> {
        let limits = self.planner.limits();
        let limit = match limits.time {
            _ if limits.cancellation.is_cancelled() => Limit::Cancelled,
            Some(time) if self.started.elapsed() >= time => Limit::Time(time),
            _ => return Ok(()),
        };
        Err(self.stopped(limit))
    }

    /// The limits of a solution that begins now, one of several at once.
    pub(crate) fn remaining_limits(&self) -> Result<Limits, Error> {
        self.check_limits()?;
        let limits = self.planner.limits();
        let left = |time: Duration| time.saturating_sub(self.started.elapsed());
        Ok(Limits { threads: Some(NonZeroUsize::MIN), time: limits.time.map(left), ..limits.clone() })
    }

    /// Solves these mappings.
    pub(crate) fn solve(&self, mappings: &[Mapping]) -> Result<Vec<Ranked>, Error> {
        self.solve_each(mappings, |mapping, limits| {
            self.planner.solve_from(mapping, None, limits).map(|(ranked, _)| ranked)
        })
    }

    /// The same, each from its last solution if that is kept; keeps the new ones.
    pub(crate) fn solve_from_last(
        &self,
        mappings: &[Mapping],
        starts: &mut WarmStarts,
    ) -> Result<Vec<Ranked>, Error> {
        let solve = |mapping: &Mapping, limits: &Limits| {
            self.planner.solve_from(mapping, starts.get(mapping), limits)
        };
        let (ranked, solutions): (Vec<Ranked>, Vec<_>) =
            self.solve_each(mappings, solve)?.into_iter().unzip();
        starts.replace(mappings.iter().cloned().zip(solutions), self.planner.limits());
        Ok(ranked)
    }

    /// Does one thing with each of these mappings.
    fn solve_each<T: Send>(
        &self,
        mappings: &[Mapping],
        one: impl Fn(&Mapping, &Limits) -> Result<T, Error> + Sync,
    ) -> Result<Vec<T>, Error> {
        map_in_parallel(mappings, self.planner.thread_count(), |mapping| {
            let done =
                one(mapping, &self.remaining_limits()?).map_err(|error| self.as_limit_of_job(error))?;
            let mut now = self.progress();
            now.solved += 1;
            let told = *now;
            drop(now);
            self.planner.report_progress(told);
            Ok(done)
        })
    }

    /// A solution for which too little time was left: the limit is that of the whole.
    pub(crate) fn as_limit_of_job(&self, error: Error) -> Error {
        match (error, self.planner.limits().time) {
            (Error::Stopped(Stopped { limit: Limit::Time(_), .. }), Some(time)) => {
                self.stopped(Limit::Time(time))
            }
            (Error::Stopped(Stopped { limit: Limit::Cancelled, .. }), _) => self.stopped(Limit::Cancelled),
            (error, _) => error,
        }
    }

    fn stopped(&self, limit: Limit) -> Error {
        let reached = Reached::Solving { solved: self.solved_count() as u64 };
        Error::Stopped(Stopped { limit, reached })
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().expect("no thread panics while it holds the figures")
    }
}

impl Planner {
    /// Solves these mappings, several at once, and puts the best first.
    ///
    /// # Errors
    /// The first mapping that does not fit or reaches a limit.
    ///
    /// # Panics
    /// If there is none.
    pub fn rank(&self, mappings: &[Mapping]) -> Result<Ranking, Error> {
        assert!(!mappings.is_empty(), "there is nothing to rank");
        Ok(Ranking::from_unsorted(Job::start(self).expecting(mappings.len()).solve(mappings)?))
    }
}
