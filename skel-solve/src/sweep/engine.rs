//! Solves the points of a sweep, block by block.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use skel_core::model::Model;
use skel_core::number::Ratio;
use skel_core::skeleton::Tree;

use super::order::Order;
use super::quantity::Quantity;
use super::spaces::Spaces;
use super::subject::{Subject, Variant};
use crate::error::{Error, Reached, Stopped};
use crate::limits::{Limit, Limits};
use crate::performance::{Performance, explored};
use crate::space::{Explore, Options as Exploration, StateSpace};
use crate::steady::{Options, SteadyState};

/// How far a sweep is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Points that are solved or have failed.
    pub done: usize,
    /// All points.
    pub total: usize,
}

/// What is told how far a sweep is.
pub(super) type Report = Arc<dyn Fn(Progress) + Send + Sync>;

/// How the points are solved.
#[derive(Clone, Default)]
pub(super) struct Settings {
    pub(super) limits: Limits,
    pub(super) time_per_point: Option<Duration>,
    pub(super) options: Options,
    pub(super) is_lumped: bool,
    pub(super) report: Option<Report>,
}

/// The answer of a point, without the type of its model.
pub(super) enum Solved {
    Model(Box<SteadyState<Model, f64>>),
    Program(Box<Performance<Tree, f64>>),
}

impl Solved {
    pub(super) fn steady_state(&self) -> &SteadyState<Model, f64> {
        match self {
            Solved::Model(solution) => solution,
            Solved::Program(performance) => performance.steady_state(),
        }
    }
}

/// What became of a point.
pub(super) type Outcome = Result<Solved, Error>;

/// A sweep under way.
pub(super) struct Engine {
    subject: Subject,
    pub(super) order: Order,
    settings: Settings,
    spaces: Spaces,
    started: Instant,
    done: AtomicUsize,
}

impl Engine {
    /// Starts a sweep. Its time begins to run.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn start(subject: Subject, order: Order, settings: Settings) -> Engine {
        let spaces = Spaces::new(&order, settings.limits.memory / 2);
        Engine { subject, order, settings, spaces, started: Instant::now(), done: AtomicUsize::new(0) }
    }

    /// The limits of the sweep.
    pub(super) fn limits(&self) -> &Limits {
        &self.settings.limits
    }

    /// The limit of the whole that is reached, if one is.
    pub(super) fn reached_limit(&self) -> Option<Limit> {
        let limits = &self.settings.limits;
        match limits.time {
            _ if limits.cancellation.is_cancelled() => Some(Limit::Cancelled),
            Some(time) if self.started.elapsed() >= time => Some(Limit::Time(time)),
            _ => None,
        }
    }

    /// Solves these blocks in parallel: the outcomes of the points of each, in their order.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn solve(&self, blocks: &[Range<usize>]) -> Vec<Vec<Outcome>> {
        let threads = self.settings.limits.threads();
        let for_each = NonZeroUsize::new(threads / blocks.len().max(1)).unwrap_or(NonZeroUsize::MIN);
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::with_capacity(blocks.len()));
        let work = || {
            while let Some(block) = blocks.get(next.fetch_add(1, Ordering::Relaxed)) {
                let outcomes = self.solve_block(block.clone(), for_each);
                done.lock().expect("no thread panics while it holds the list").push((block.start, outcomes));
            }
        };
        thread::scope(|scope| {
            (1..threads.min(blocks.len())).for_each(|_| {
                scope.spawn(work);
            });
            work();
        });
        let mut done = done.into_inner().expect("no thread panics while it holds the list");
        done.sort_unstable_by_key(|(first, _)| *first);
        done.into_iter().map(|(_, outcomes)| outcomes).collect()
    }

    /// Solves one point after the other; each starts from the last solution.
    #[cfg_attr(debug_assertions, inline)]
    fn solve_block(&self, points: Range<usize>, threads: NonZeroUsize) -> Vec<Outcome> {
        let mut outcomes: Vec<Outcome> = Vec::with_capacity(points.len());
        for point in points {
            let last = outcomes.iter().rev().find_map(|outcome| outcome.as_ref().ok());
            let outcome = PointSolution { engine: self, point, threads, started: Instant::now() }
                .solve(last.map(Solved::steady_state));
            outcomes.push(outcome.map_err(|error| self.in_words_of_whole(error)));
            self.spaces.point_is_done(self.order.states_of(point));
            let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            if let Some(report) = &self.settings.report {
                report(Progress { done, total: self.order.points() });
            }
        }
        outcomes
    }

    /// Where a point was stopped by a limit of the whole, the error names this limit.
    #[cfg_attr(debug_assertions, inline)]
    fn in_words_of_whole(&self, error: Error) -> Error {
        match (error, self.settings.time_per_point) {
            (Error::Stopped(Stopped { limit: Limit::Cancelled | Limit::Time(_), reached }), per_point) => {
                let limit = self.reached_limit().or(per_point.map(Limit::Time));
                Error::Stopped(Stopped { limit: limit.unwrap_or(Limit::Cancelled), reached })
            }
            (error, _) => error,
        }
    }

    #[cfg_attr(debug_assertions, inline)]
    fn variant(&self, point: usize) -> Result<Variant, Error> {
        let values = self.order.values(point);
        let pairs: Vec<(&Quantity, &Ratio)> =
            self.order.axes.iter().map(|axis| &axis.quantity).zip(&values).collect();
        self.subject.with(&pairs)
    }
}

/// The solution of one point.
struct PointSolution<'e> {
    engine: &'e Engine,
    point: usize,
    /// How many threads may work on it.
    threads: NonZeroUsize,
    started: Instant,
}

impl PointSolution<'_> {
    #[cfg_attr(debug_assertions, inline)]
    fn solve(&self, start: Option<&SteadyState<Model, f64>>) -> Outcome {
        self.limits()?;
        let variant = self.engine.variant(self.point)?;
        let space = match start.and_then(|start| start.space().with_model(variant.model())) {
            Some(space) => space,
            None => self.space(&variant)?,
        };
        let start = start.filter(|start| start.space().shares_states_with(&space));
        match variant {
            Variant::Model(_) => self.of_model(&space, start).map(|pi| Solved::Model(Box::new(pi))),
            Variant::System(system) => {
                let options = &self.engine.settings.options;
                let performance = Performance::on_states(*system, &space, start, &self.limits()?, options)?;
                Ok(Solved::Program(Box::new(performance)))
            }
        }
    }

    /// The states of a point that no point before it in its block has: those of the first point that should
    /// have the same, at other rates; where that cannot be, its own.
    #[cfg_attr(debug_assertions, inline)]
    fn space(&self, variant: &Variant) -> Result<StateSpace, Error> {
        let number = self.engine.order.states_of(self.point);
        let first = self.engine.spaces.first_point(number);
        if first == self.point {
            return self.engine.spaces.get(number, &|| self.explore(variant, true));
        }
        let shared = self.engine.spaces.get(number, &|| self.explore(&self.engine.variant(first)?, true));
        match shared {
            Ok(space) => match space.with_model(variant.model()) {
                Some(space) => Ok(space),
                None => self.explore(variant, true),
            },
            Err(error @ Error::Stopped(_)) => Err(error),
            Err(_) => self.explore(variant, true),
        }
    }

    #[cfg_attr(debug_assertions, inline)]
    fn explore(&self, variant: &Variant, may_lump: bool) -> Result<StateSpace, Error> {
        let limits = self.limits()?;
        match variant {
            Variant::System(system) => explored(system, &limits),
            Variant::Model(model) => {
                let is_lumped = self.engine.settings.is_lumped && may_lump;
                let options = Exploration { is_lumped, keeps_results: true, ..Exploration::default() };
                model.explorer().options(&options).limits(&limits).explore()
            }
        }
    }

    /// The steady state of a model. Recurrent classes that differ in an exchange of equal parts alone are one
    /// class in a lumped space. Where that may be so, the model is explored without lumping.
    #[cfg_attr(debug_assertions, inline)]
    fn of_model(
        &self,
        space: &StateSpace,
        start: Option<&SteadyState<Model, f64>>,
    ) -> Result<SteadyState<Model, f64>, Error> {
        let options = &self.engine.settings.options;
        let limits = self.limits()?;
        let solver = space.solver().options(options).limits(&limits);
        let solution = match start {
            Some(start) => solver.start_from(start).solve()?,
            None => solver.solve()?,
        };
        if space.lumping().is_none() || solution.classification().is_one_class_unlumped(space) {
            return Ok(solution);
        }
        let apart = self.explore(&self.engine.variant(self.point)?, false)?;
        apart.solver().options(options).limits(&self.limits()?).solve()
    }

    /// The limits of what begins now; an error where the time is over.
    #[cfg_attr(debug_assertions, inline)]
    fn limits(&self) -> Result<Limits, Error> {
        let settings = &self.engine.settings;
        let stopped = |limit| Error::Stopped(Stopped { limit, reached: Reached::Preparing });
        if let Some(limit) = self.engine.reached_limit() {
            return Err(stopped(limit));
        }
        let left =
            |time: Option<Duration>, since: Instant| time.map(|time| time.saturating_sub(since.elapsed()));
        let of_whole = left(settings.limits.time, self.engine.started);
        let of_point = left(settings.time_per_point, self.started);
        if let (Some(Duration::ZERO), Some(time)) = (of_point, settings.time_per_point) {
            return Err(stopped(Limit::Time(time)));
        }
        let time = [of_whole, of_point].into_iter().flatten().min();
        Ok(Limits { time, threads: Some(self.threads), progress: None, ..settings.limits.clone() })
    }
}
