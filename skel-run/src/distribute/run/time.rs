//! The clock of a loop.

use std::time::Instant;

/// The clock of a loop. Tests have one that stands until all workers have said for how long they work, and
/// must be told who waits.
pub(in super::super) trait Time: Sync {
    /// Seconds since the loop began.
    fn now(&self) -> f64;

    /// A worker begins, or it has been woken and goes on.
    fn goes_on(&self, _worker: usize) {}

    /// A worker waits until others do something.
    fn rests(&self, _worker: usize) {}

    /// All workers that rest are woken.
    fn wakes(&self) {}

    /// A worker does no more.
    fn leaves(&self, _worker: usize) {}
}

/// The clock of the system.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Stopwatch(Instant);

impl Stopwatch {
    pub(in super::super) fn start() -> Stopwatch {
        Stopwatch(Instant::now())
    }
}

impl Time for Stopwatch {
    #[inline]
    fn now(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}
