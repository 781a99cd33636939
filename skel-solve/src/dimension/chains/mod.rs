//! The chains that a search solves: within one time for all, counted, and none twice.

mod counts;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use skel_core::skeleton::{Program, System, Tree};

use super::answer::Stop;
use crate::error::Error;
use crate::limits::{Limit, Limits, Stopped};
#[cfg(feature = "over-time")]
use crate::over_time::response::ResponseTimes;
use crate::performance::Performance;
use crate::steady::Options;

pub(super) use counts::{Counts, Figures, Joint};

/// How far a search of numbers of replicas is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// How many chains were solved.
    pub solved: usize,
    /// The cost of the configurations that are tried now: all cheaper ones are ruled out.
    pub cost: u64,
}

/// A function that is told how far a search is.
pub(super) type Report = Arc<dyn Fn(Progress) + Send + Sync>;

/// Solves chains and remembers them.
pub(super) struct Chains {
    limits: Limits,
    options: Options,
    /// The most chains of whole programs to solve.
    pub(super) most_solved: usize,
    report: Option<Report>,
    started: Instant,
    known: HashMap<String, Solved>,
    /// How many chains of whole programs were solved.
    pub(super) whole: usize,
    /// How many chains of a few neighbouring stages were solved.
    pub(super) windows: usize,
    /// The cost that is tried now.
    pub(super) cost: u64,
    /// The part of the items whose response time is asked for; none for the mean.
    pub(super) part: Option<f64>,
}

/// The figures of a chain; or why it was not solved, which says nothing about its figures.
pub(super) type Solved = Result<Figures, String>;

impl Chains {
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn new(
        limits: Limits,
        options: Options,
        most_solved: usize,
        report: Option<Report>,
    ) -> Chains {
        let (started, known) = (Instant::now(), HashMap::new());
        Chains {
            limits,
            options,
            most_solved,
            report,
            started,
            known,
            whole: 0,
            windows: 0,
            cost: 0,
            part: None,
        }
    }

    /// The figures of a whole program.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn whole(&mut self, program: &Program<Tree>) -> Result<Solved, Stop> {
        let before = self.known.len();
        if self.whole >= self.most_solved && !self.known.contains_key(&key(program)) {
            return Err(Stop::Solutions(self.most_solved));
        }
        let solved = self.solve(program)?;
        self.whole += self.known.len() - before;
        Ok(solved)
    }

    /// The figures of a whole program by its counts.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn whole_of_counts(&mut self, counts: &Counts) -> Result<Solved, Stop> {
        let key = format!("{counts:?}");
        if let Some(solved) = self.known.get(&key) {
            return Ok(solved.clone());
        }
        if self.whole >= self.most_solved {
            return Err(Stop::Solutions(self.most_solved));
        }
        let solved = self.attempt(|options, limits| counts.solve(limits, options))?;
        self.whole += 1;
        self.known.insert(key, solved.clone());
        Ok(solved)
    }

    /// The figures of a few stages by their counts.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn window_of_counts(&mut self, counts: &Counts) -> Result<Solved, Stop> {
        let solved = self.attempt(|options, limits| counts.solve(limits, options))?;
        self.windows += 1;
        Ok(solved)
    }

    /// The figures of a few stages.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn window(&mut self, program: &Program<Tree>) -> Result<Solved, Stop> {
        let before = self.known.len();
        let solved = self.solve(program)?;
        self.windows += self.known.len() - before;
        Ok(solved)
    }

    /// Looks at the time and at the cancellation.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn look(&self) -> Result<(), Stop> {
        if self.limits.cancellation.is_cancelled() {
            return Err(Stop::Limit(Limit::Cancelled));
        }
        match self.limits.time {
            Some(time) if self.started.elapsed() >= time => Err(Stop::Limit(Limit::Time(time))),
            _ => Ok(()),
        }
    }

    #[cfg_attr(debug_assertions, inline)]
    fn solve(&mut self, program: &Program<Tree>) -> Result<Solved, Stop> {
        let key = key(program);
        if let Some(solved) = self.known.get(&key) {
            return Ok(solved.clone());
        }
        let part = self.part;
        let solved = self.attempt(|options, limits| {
            let system = program.lower_with_immediate_moves()?;
            let performance = Performance::<Tree, f64>::from_system(system, limits, options)?;
            let (throughput, response_time) = (*performance.throughput(), performance.response_time());
            let quantile = part.map(|part| within_which(part, performance.system(), limits));
            Ok(Figures { throughput, response_time, quantile: quantile.transpose()? })
        })?;
        self.known.insert(key, solved.clone());
        Ok(solved)
    }

    /// Solves a chain within what is left of the time.
    #[cfg_attr(debug_assertions, inline)]
    fn attempt(
        &self,
        solve: impl FnOnce(&Options, &Limits) -> Result<Figures, Error>,
    ) -> Result<Solved, Stop> {
        self.look()?;
        if let Some(report) = &self.report {
            report(Progress { solved: self.whole + self.windows, cost: self.cost });
        }
        let time = self.limits.time.map(|time| time.saturating_sub(self.started.elapsed()));
        match solve(&self.options, &Limits { time, ..self.limits.clone() }) {
            Ok(figures) => Ok(Ok(figures)),
            Err(Error::Stopped(Stopped { limit: Limit::Cancelled, .. })) => {
                Err(Stop::Limit(Limit::Cancelled))
            }
            Err(Error::Stopped(Stopped { limit: Limit::Time(_), .. })) => {
                Err(Stop::Limit(Limit::Time(self.limits.time.unwrap_or_default())))
            }
            Err(error) => Ok(Err(error.to_string())),
        }
    }
}

/// The time within which a part of the items is through.
#[cfg(feature = "over-time")]
#[cfg_attr(debug_assertions, inline)]
fn within_which(part: f64, system: &System, limits: &Limits) -> Result<f64, Error> {
    ResponseTimes::of_system(system).limits(limits).solve()?.quantile(part).map(|time| time.value)
}

/// Without answers over time nobody can ask for it.
#[cfg(not(feature = "over-time"))]
fn within_which(_: f64, _: &System, _: &Limits) -> Result<f64, Error> {
    unreachable!("a target for a part of the items is made with answers over time alone")
}

/// What tells the programs of one question apart: the skeleton, and the buffers before its stages.
#[cfg_attr(debug_assertions, inline)]
fn key(program: &Program<Tree>) -> String {
    format!("{:?}{:?}", program.skeleton().stages(), program.buffer_capacities())
}
