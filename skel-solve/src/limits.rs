//! Budgets, cancellation and progress: running out is an answer.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::error::counted;

/// What exploring and solving may cost.
///
/// # Examples
/// ```
/// use skel_solve::{Explore, Limits};
/// let model = skel_core::text::parse("P = (a, 1).Q; Q = (b, 1).P; P[8]").into_model().unwrap();
/// let stopped = model.explore_within(&Limits { states: 100, ..Limits::default() }).unwrap_err();
/// assert_eq!(stopped.to_string(), "stopped at the limit of 100 states: 100 states and 304 transitions found, 62 states still to explore");
/// ```
#[derive(Clone)]
pub struct Limits {
    /// The most states; 50 million unless set.
    pub states: u64,
    /// The most bytes that states and transitions may take, and then these with the equations of a solution;
    /// 8 GiB unless set. All is counted before it is allocated, but for some digits of exact fractions. While a
    /// list grows, an allocator that cannot extend it in place holds its old copy too.
    pub memory: u64,
    /// The longest time for exploring, for a quotient, and again for solving; none unless set.
    pub time: Option<Duration>,
    /// The most iterations of one iterative method; 20,000 unless set.
    pub iterations: u64,
    /// The most threads that work at once; as many as the machine has processors unless set. Answers do not depend on it.
    pub threads: Option<NonZeroUsize>,
    /// Stops the work from outside.
    pub cancellation: Cancellation,
    /// Is told now and then how far the work is: every tenth of a second, so never about short work.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// use skel::limits::Progress;
    /// use std::sync::{Arc, atomic::{AtomicU64, Ordering}};
    ///
    /// let found = Arc::new(AtomicU64::new(0));
    /// let told = Arc::clone(&found);
    /// let report = move |progress| {
    ///     if let Progress::Exploring { found, .. } = progress {
    ///         told.store(found, Ordering::Relaxed);
    ///     }
    /// };
    /// let limits = Limits { progress: Some(Arc::new(report)), ..Limits::default() };
    /// let space = Model::from_text("P = (a, 1).Q; Q = (b, 1).P; P[10]")?.explore_within(&limits)?;
    /// assert!(found.load(Ordering::Relaxed) <= space.states() as u64);
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub progress: Option<Arc<dyn Fn(Progress) + Send + Sync>>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            states: 50_000_000,
            memory: 8 << 30,
            time: None,
            iterations: 20_000,
            threads: None,
            cancellation: Cancellation::default(),
            progress: None,
        }
    }
}

impl Limits {
    /// How many threads are to work at once.
    pub(crate) fn threads(&self) -> usize {
        self.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
    }
}

impl fmt::Debug for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limits")
            .field("states", &self.states)
            .field("memory", &self.memory)
            .field("time", &self.time)
            .field("iterations", &self.iterations)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

/// A switch that stops work on another thread, or from a signal handler.
///
/// # Examples
/// ```
/// use skel::prelude::*;
/// use skel::limits::{Cancellation, Limit};
/// let cancellation = Cancellation::default();
/// let limits = Limits { cancellation: cancellation.clone(), ..Limits::default() };
/// std::thread::spawn(move || cancellation.cancel()).join().unwrap();
/// let model = Model::from_text("P = (a, 1).Q; Q = (b, 1).P; P[20]")?;
/// let Err(skel::Error::Stopped(stopped)) = model.explore_within(&limits) else { panic!("it was cancelled") };
/// assert_eq!(stopped.limit, Limit::Cancelled);
/// # Ok::<(), skel::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// Asks the work to stop. Exploring and eliminating do so within milliseconds, an iterative method after at
    /// most one iteration or, before its first, one pass over the matrix, the search for exact fractions after one
    /// digit of each or one whole fraction.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How far the work is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    /// States found, and of these explored.
    Exploring {
        /// Found so far.
        found: u64,
        /// Explored so far.
        explored: u64,
    },
    /// An iterative method.
    Iterating {
        /// Iterations so far.
        iterations: u64,
        /// The relative residual now.
        residual: f64,
    },
    /// States are being parted, for a quotient.
    Refining {
        /// Blocks so far.
        blocks: u64,
        /// States in all.
        states: u64,
    },
    /// The equations are being set up.
    Preparing,
    /// An elimination.
    Eliminating {
        /// States eliminated.
        done: u64,
        /// States in all.
        of: u64,
    },
    /// Exact fractions are being found, digit by digit.
    Lifting {
        /// Decimal digits that a numerator and its denominator may have together by now.
        digits: u64,
    },
}

/// The limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Limit {
    /// [`Limits::states`].
    States(u64),
    /// [`Limits::memory`], in bytes; or the machine has less.
    Memory(u64),
    /// [`Limits::time`].
    Time(Duration),
    /// [`Limits::cancellation`].
    Cancelled,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::States(states) => write!(f, "stopped at the limit of {}", counted(*states, "state")),
            Limit::Memory(bytes) => {
                let (unit, size) = match *bytes {
                    0..1024 => {
                        return write!(f, "stopped at the limit of {} of memory", counted(*bytes, "byte"));
                    }
                    1024..0x10_0000 => ("KiB", 1 << 10),
                    _ => ("MiB", 1 << 20),
                };
                write!(f, "stopped at the limit of {:.1} {unit} of memory", *bytes as f64 / f64::from(size))
            }
            Limit::Time(time) => write!(f, "stopped at the limit of {} s", time.as_secs_f64()),
            Limit::Cancelled => f.write_str("cancelled"),
        }
    }
}

/// Whether the machine would give so many bytes at once: asked before lists are made that together take them.
pub(crate) fn has_machine(bytes: u64) -> bool {
    usize::try_from(bytes).is_ok_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok())
}

/// Whether the work is to stop, for those who have no watch. Once due it stays so.
pub(crate) struct Stop {
    cancellation: Cancellation,
    deadline: Option<Instant>,
}

impl Stop {
    pub(crate) fn is_due(&self) -> bool {
        self.cancellation.is_cancelled() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// Watches time and cancellation for one phase.
pub(crate) struct Watch<'l> {
    limits: &'l Limits,
    started: Instant,
    last_report: Instant,
}

impl<'l> Watch<'l> {
    pub(crate) fn start(limits: &'l Limits) -> Self {
        let now = Instant::now();
        Watch { limits, started: now, last_report: now }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// What says whether the limit of time is reached or the work cancelled.
    pub(crate) fn stop(&self) -> Stop {
        let deadline = self.limits.time.and_then(|time| self.started.checked_add(time));
        Stop { cancellation: self.limits.cancellation.clone(), deadline }
    }

    /// The limit that is reached by now, if any. Costs a clock reading.
    pub(crate) fn check(&mut self, progress: impl FnOnce() -> Progress) -> Result<(), Limit> {
        const BETWEEN_REPORTS: Duration = Duration::from_millis(100);
        if self.limits.cancellation.is_cancelled() {
            return Err(Limit::Cancelled);
        }
        if let Some(time) = self.limits.time
            && self.started.elapsed() >= time
        {
            return Err(Limit::Time(time));
        }
        if let Some(report) = &self.limits.progress
            && self.last_report.elapsed() >= BETWEEN_REPORTS
        {
            self.last_report = Instant::now();
            report(progress());
        }
        Ok(())
    }
}
