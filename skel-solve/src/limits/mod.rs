//! Limits of states, memory and time, cancellation from outside, and reports of progress.
//!
//! Work that reaches a limit ends with an error that says which limit it was, its value, and how far the work
//! came.

mod cancellation;
#[cfg(test)]
pub(crate) mod looks;
pub(crate) mod memory;
mod progress;
mod stopped;
mod watch;

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

pub use cancellation::Cancellation;
pub use progress::Progress;
pub use stopped::{Limit, Reached, Stopped};
pub(crate) use watch::{BETWEEN_LOOKS, Stop, Watch};

/// What exploring and solving may cost.
///
/// # Examples
/// ```
/// use skel_solve::{Explore, Limits};
/// let model = skel_core::text::parse("P = (a, 1).Q; Q = (b, 1).P; P[8]").into_model().unwrap();
/// let stopped = model.explorer().limits(&Limits { states: 100, ..Limits::default() }).explore().unwrap_err();
/// assert_eq!(stopped.to_string(), "stopped at the limit of 100 states: 100 states and 304 transitions found, 62 states still to explore");
/// ```
#[derive(Clone)]
pub struct Limits {
    /// The most states; 50 million unless set.
    pub states: u64,
    /// The most bytes that states and transitions may take, and then these with the equations of a solution;
    /// 8 GiB unless set. Memory is counted before it is allocated, except for some digits of exact fractions.
    /// While a list grows, an allocator that cannot extend it in place holds its old copy too, which is not
    /// counted.
    pub memory: u64,
    /// The longest time for exploring, for a quotient, and again for solving; none unless set.
    pub time: Option<Duration>,
    /// The most iterations of one iterative method; 20,000 unless set.
    pub iterations: u64,
    /// The most threads that work at once; as many as the machine has processors unless set. Answers do not
    /// depend on it.
    pub threads: Option<NonZeroUsize>,
    /// Stops the work from outside.
    pub cancellation: Cancellation,
    /// A function that is told every tenth of a second how far the work is. Work that is shorter than that is
    /// not reported.
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
    /// let space = Model::from_text("P = (a, 1).Q; Q = (b, 1).P; P[10]")?.explorer().limits(&limits).explore()?;
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
