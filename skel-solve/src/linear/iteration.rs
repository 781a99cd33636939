//! The interface of the iterative methods, the count of their iterations, and the reasons for which they end.

use crate::limits::{Limit, Progress, Watch};
use crate::linear::MethodUsed;
use crate::operator::TriangularSweep;

/// An iterative method for the steady state of an irreducible chain.
pub(crate) trait IterativeMethod {
    /// The method, as reports name it.
    fn method(&self) -> MethodUsed;

    /// The bytes that it takes for so many states, and rates between two of them.
    fn memory(&self, states: u64, rates: u64) -> u64;

    /// Improves `pi` until no defect is above the target, or it gets no further.
    fn solve(
        &self,
        chain: &dyn TriangularSweep,
        pi: &mut [f64],
        target: f64,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(), Halt>;
}

/// Why an iterative method ended without an answer.
#[derive(Clone, Copy)]
pub(crate) enum Halt {
    Limit(Limit),
    /// It would take more than `Limits::memory`; the next method may need less.
    Memory,
    /// `Limits::iterations` is reached, or the end of a trial; the next method has as many.
    Iterations,
    /// The defects no longer fall; the next method may do better.
    Stagnated,
    /// After the iterations of a [probe](Iterations::probing) the defects are still large; another method may be faster.
    Slow,
}

/// The iterations of a probe, and the defect that they are to reach. Polling with 15 stations reaches `1e-6` by then, a Kanban system is
/// done; a tandem queue, a closed network of 40 customers and a cluster of workstations are above `0.1`.
const PROBE: (u64, f64) = (40, 1e-3);

/// Counts iterations and watches the limits.
pub(crate) struct Iterations<'w, 'l> {
    watch: &'w mut Watch<'l>,
    most: u64,
    is_probe: bool,
    pub(crate) done: u64,
    pub(crate) defect: f64,
    /// The largest negative value that the last correction left, which was set to zero.
    pub(crate) clipped: f64,
    /// Where the last correction of all states was negative; empty where a method makes none.
    pub(crate) is_negative: Vec<bool>,
}

impl<'w, 'l> Iterations<'w, 'l> {
    pub(crate) fn new(watch: &'w mut Watch<'l>, most: u64) -> Self {
        let (defect, clipped, is_negative) = (f64::INFINITY, 0.0, Vec::new());
        Iterations { watch, most, is_probe: false, done: 0, defect, clipped, is_negative }
    }

    /// The same, but a method that is slow ends early.
    pub(crate) fn probing(self, is_probe: bool) -> Self {
        Iterations { is_probe, ..self }
    }

    /// The method was not slow.
    pub(crate) fn end_probe(&mut self) {
        self.is_probe = false;
    }

    /// Counts one iteration that reached a defect.
    #[cfg_attr(test, track_caller)]
    pub(crate) fn count(&mut self, defect: f64) -> Result<(), Halt> {
        self.done += 1;
        let progress = Progress::Iterating { iterations: self.done, residual: defect };
        self.watch.check(|| progress).map_err(Halt::Limit)?;
        let is_slow = self.is_probe && self.done == PROBE.0 && (defect.is_nan() || defect > PROBE.1);
        match self.done >= self.most {
            true => Err(Halt::Iterations),
            false if is_slow => Err(Halt::Slow),
            false => Ok(()),
        }
    }

    /// Looks at the limits between iterations.
    pub(crate) fn look(&mut self) -> Result<(), Halt> {
        check(self.watch)
    }

    /// Remembers in which states a correction was negative, if it was made at a defect well above rounding.
    pub(crate) fn remember(&mut self, defect: f64, corrections: &[f64]) {
        const WELL_ABOVE_ROUNDING: f64 = 1e-10;
        if defect > WELL_ABOVE_ROUNDING {
            self.is_negative = corrections.iter().map(|correction| *correction < 0.0).collect();
        }
    }

    /// What watches the limits.
    pub(crate) fn watch(&mut self) -> &mut Watch<'l> {
        self.watch
    }
}

/// Looks at the limits where no iteration is counted.
#[cfg_attr(test, track_caller)]
pub(crate) fn check(watch: &mut Watch<'_>) -> Result<(), Halt> {
    watch.check(|| Progress::Preparing).map_err(Halt::Limit)
}
