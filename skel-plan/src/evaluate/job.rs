//! A job: many mappings that are solved in parallel, within one time limit, and with reports of the progress.

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

/// A job under way.
pub(crate) struct Job<'p> {
    planner: &'p Planner,
    started: Instant,
    progress: Mutex<Progress>,
}

impl<'p> Job<'p> {
    /// Starts a job. Its time begins to run.
    pub(crate) fn start(planner: &'p Planner) -> Job<'p> {
        Job { planner, started: Instant::now(), progress: Mutex::default() }
    }

    /// The same, where it is known how many mappings are to be solved.
    pub(crate) fn expecting(self, mappings: usize) -> Job<'p> {
        self.progress().total = Some(mappings);
        self
    }

    /// How many mappings are solved.
    pub(crate) fn solved_count(&self) -> usize {
        self.progress().solved
    }

    /// Reports the best throughput that a search has found, and the bound on all others.
    pub(crate) fn report_bounds(&self, best: Option<Throughput>, bound: Option<f64>) {
        let mut now = self.progress();
        (now.best, now.bound) = (best, bound.map(Throughput::items_per_second));
        let told = *now;
        drop(now);
        self.planner.report_progress(told);
    }

    /// An error if the job was cancelled or its time is over.
    pub(crate) fn check_limits(&self) -> Result<(), Error> {
        let limits = self.planner.limits();
        let limit = match limits.time {
            _ if limits.cancellation.is_cancelled() => Limit::Cancelled,
            Some(time) if self.started.elapsed() >= time => Limit::Time(time),
            _ => return Ok(()),
        };
        Err(self.stopped(limit))
    }

    /// The limits of a solution that begins now. It has one thread, since others are solved beside it.
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

    /// Solves these mappings, each from its last solution if that was kept. The new solutions are kept in
    /// their place.
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

    /// Solves each of these mappings by `one`, in parallel, and reports each solution.
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

    /// Where a single solution was stopped by the time that was left, the error names the time limit of the
    /// whole job.
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
    /// Solves these mappings in parallel and ranks them, the best first.
    ///
    /// # Errors
    /// The error of the first mapping that does not fit or that reaches a limit.
    ///
    /// # Panics
    /// If there is no mapping.
    pub fn rank(&self, mappings: &[Mapping]) -> Result<Ranking, Error> {
        assert!(!mappings.is_empty(), "there is nothing to rank");
        Ok(Ranking::from_unsorted(Job::start(self).expecting(mappings.len()).solve(mappings)?))
    }
}
