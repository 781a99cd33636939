//! A loop before it begins.

use std::ops::Range;
use std::time::Duration;

use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};
use skel_distribute::Schedule;

use super::error::{LoopError, Partial};
use super::index::Index;
use super::learned::{Chosen, Learned};
use super::measured;
use super::report::{Choice, LoopReport};
use super::results::Distributed;
use super::run::{self, Patience, Plan, Stopwatch, Verdict};
use super::workers::Workers;
use crate::control::Control;
use crate::progress::Progress;
use crate::sync::Arc;

/// A loop over a range of indices, before it begins: made by [`distribute`](super::distribute()), begun by
/// [`run`](Self::run).
///
/// # Examples
/// ```
/// use std::time::Duration;
///
/// use skel::distribute::{RelativePerformance, Schedule};
/// use skel::run::distribute;
///
/// let performance = RelativePerformance::of_times([1.0, 1.6])?;
/// let names = distribute(0..100_usize)
///     .by(Schedule::Vrp)
///     .over(&performance)
///     .lost_after(Duration::from_secs(60))
///     .run_by(|worker, range| format!("worker {worker}: {} items", range.len()))?;
/// let mut names: Vec<String> = names.into_values().collect();
/// names.sort(); // they are in the order of the indices, which depends on who asked first
/// assert_eq!(names, ["worker 0: 62 items", "worker 1: 38 items"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "a loop begins with `run` or `run_by`"]
pub struct Loop<'l, I> {
    indices: Range<I>,
    schedule: Option<Schedule>,
    workers: Workers,
    lost_after: Option<Duration>,
    lost_beyond: Option<f64>,
    attempts: u32,
    learned: Option<&'l mut Learned>,
    control: Option<Control>,
}

impl<'l, I: Index> Loop<'l, I> {
    pub(super) fn new(indices: Range<I>) -> Self {
        Loop {
            indices,
            schedule: None,
            workers: Workers::of_machine(),
            lost_after: None,
            lost_beyond: None,
            attempts: 2,
            learned: None,
            control: None,
        }
    }

    /// The schedule by which chunks are given out. [`Schedule::AdaptiveChunk`] (AWF-C) unless said otherwise:
    /// it needs no parameter, weighs the workers by the speeds that they show, and gives out few chunks,
    /// which get smaller towards the end.
    pub fn by(mut self, schedule: Schedule) -> Self {
        self.schedule = Some(schedule);
        self
    }

    /// The workers: so many equal ones, or some of a relative performance, in the order of their numbers. As
    /// many equal ones as threads can run at a time unless said otherwise. Each is a thread.
    pub fn over(mut self, workers: impl Into<Workers>) -> Self {
        self.workers = workers.into();
        self
    }

    /// A worker that works on a chunk for longer than this counts as lost, and another one that has nothing
    /// to do takes its chunk. Whichever result is there first counts, once. Unless this is said, no worker is
    /// lost for being slow.
    ///
    /// A thread cannot be ended from outside: the loop still waits until the function returns.
    pub fn lost_after(mut self, time: Duration) -> Self {
        self.lost_after = Some(time);
        self
    }

    /// The same for a chunk that takes so many times longer than it should by the times that were measured
    /// for an item: that of this worker or, as long as it has finished nothing, that of the slowest worker
    /// that has.
    pub fn lost_beyond(mut self, factor: f64) -> Self {
        self.lost_beyond = Some(factor);
        self
    }

    /// How many workers may panic on the same indices until that ends the loop as an error of the program; 2
    /// unless said otherwise. With 1 the first panic ends the loop, and with `u32::MAX` every panic is that
    /// of a worker alone, which is lost.
    pub fn attempts(mut self, workers: u32) -> Self {
        self.attempts = workers;
        self
    }

    /// Lets the loop choose its schedule by what it has learned from its earlier iterations, and learn from
    /// this one.
    ///
    /// A schedule that was given with [`by`](Self::by) is taken all the same, and learned from.
    pub fn learning(mut self, learned: &'l mut Learned) -> Self {
        self.learned = Some(learned);
        self
    }

    /// A handle that ends the loop: with [`Control::cancel`] and [`Control::drain`] no more chunks are given
    /// out, those in the hands of workers are finished, and the loop ends with [`LoopError::Cancelled`],
    /// which has their results. Nothing else of the handle concerns a loop.
    pub fn controlled_by(mut self, control: &Control) -> Self {
        self.control = Some(control.clone());
        self
    }

    /// Runs the loop: calls the function with ranges that together have every index, from the threads of the
    /// workers. The function may borrow.
    ///
    /// # Errors
    /// If there is no worker or a parameter of the schedule cannot be, if all workers were lost, or if
    /// several of them panicked on the same indices. The error has the pieces that were finished, and says
    /// which indices have none.
    pub fn run<R: Send>(
        self,
        function: impl Fn(Range<I>) -> R + Sync,
    ) -> Result<Distributed<I, R>, LoopError<I, R>> {
        self.run_by(|_, range| function(range))
    }

    /// The same with a function that is told the number of the worker, from 0.
    ///
    /// # Errors
    /// As those of [`run`](Self::run).
    pub fn run_by<R: Send>(
        mut self,
        function: impl Fn(usize, Range<I>) -> R + Sync,
    ) -> Result<Distributed<I, R>, LoopError<I, R>> {
        let (plan, choice) = self.plan().map_err(LoopError::Settings)?;
        let first = self.indices.start;
        let at = |items: &Range<u64>| first.behind(items.start)..first.behind(items.end);
        let handle = self.control.as_ref().zip(plan.progress.as_ref());
        let _attached = handle.map(|(control, progress)| control.attach_loop(progress));
        let function = |worker: usize, items: Range<u64>| function(worker, at(&items));
        let ended = run::execute(&plan, &Stopwatch::start(), &function).map_err(LoopError::Settings)?;
        let (verdict, is_whole) = (ended.verdict.clone(), ended.unfinished == 0);
        let (results, report) = measured::report(&plan, choice, ended);
        let pieces = results.into_iter().map(|(items, result)| (at(&items), result)).collect();
        if !is_whole {
            return Err(stopped(&self.indices, verdict, pieces, report));
        }
        if let Some(learned) = self.learned {
            learned.learn(&report);
        }
        Ok(Distributed { pieces, report })
    }

    /// What is to be done, and why by this schedule; or everything that is wrong with the settings.
    fn plan(&mut self) -> Result<(Plan, Option<Choice>), BuildErrors> {
        let mut errors = Vec::new();
        let performance = self.workers.performance().map_err(|BuildErrors(why)| errors.extend(why));
        if let Some(Err(BuildErrors(why))) = self.schedule.as_ref().map(Schedule::check) {
            errors.extend(why);
        }
        if self.attempts == 0 {
            let message = "the loop would end after 0 panics on the same indices";
            errors.push(error(message, "at least 1: the first panic ends the loop"));
        }
        if let Some(factor) = self.lost_beyond.filter(|factor| !(*factor > 1.0 && factor.is_finite())) {
            let message = format!("workers would be lost beyond {factor} times the expected time");
            errors.push(error(&message, "the factor must be above 1 and finite: 10, say"));
        }
        let performance = match performance {
            Ok(performance) if errors.is_empty() => performance,
            _ => return Err(BuildErrors(errors)),
        };
        let items = I::count(&self.indices);
        let learned = self.learned.as_mut().map(|learned| learned.choose(items, &performance, self.schedule));
        let (schedule, performance, choice) = match learned {
            Some(Chosen { schedule, performance, choice }) => (schedule, performance, Some(choice)),
            None => (self.schedule.unwrap_or(Schedule::AdaptiveChunk), performance, None),
        };
        let after = self.lost_after.map(|time| time.as_secs_f64());
        let patience = Patience { after, beyond: self.lost_beyond };
        let progress = self.control.as_ref().map(|_| Arc::new(Progress::new()));
        let attempts = self.attempts;
        Ok((Plan { schedule, performance, items, patience, attempts, progress }, choice))
    }
}

fn error(message: &str, help: &str) -> BuildError {
    BuildError { code: Code::OutOfRange, message: message.to_owned(), help: help.to_owned() }
}

/// The error of a loop in which some indices have no result.
fn stopped<I: Index, R>(
    indices: &Range<I>,
    verdict: Option<Verdict>,
    pieces: Vec<(Range<I>, R)>,
    report: LoopReport,
) -> LoopError<I, R> {
    let at = |place: u64| indices.start.behind(place);
    let partial = Box::new(Partial::new(indices, pieces, report));
    match verdict {
        None => LoopError::AllLost(partial),
        Some(Verdict::Cancelled) => LoopError::Cancelled(partial),
        Some(Verdict::Failed { items, workers, message }) => {
            LoopError::Failed { range: at(items.start)..at(items.end), workers, message, partial }
        }
    }
}
