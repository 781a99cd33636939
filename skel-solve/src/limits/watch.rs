//! Looking at the clock and at the cancellation.
//!
//! Every phase of the work looks at least every tenth of a second or so, for chains of a few million states.

use std::time::{Duration, Instant};

use super::{Cancellation, Limit, Limits, Progress, Reached, Stopped};

/// States between two looks at the limits, in passes over all of them.
pub(crate) const BETWEEN_LOOKS: usize = 1024;

/// Tells whether the work is to stop, where there is no [`Watch`] and no error can be returned: within a
/// product. Once it is due it stays due.
pub(crate) struct Stop {
    cancellation: Cancellation,
    deadline: Option<Instant>,
}

impl Stop {
    #[cfg_attr(test, track_caller)]
    pub(crate) fn is_due(&self) -> bool {
        #[cfg(test)]
        super::looks::look(std::panic::Location::caller());
        self.cancellation.is_cancelled() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// Watches time and cancellation for one phase.
pub(crate) struct Watch<'l> {
    limits: &'l Limits,
    started: Instant,
    last_report: Instant,
    /// Until when one thread works alone, if several were in each other's way.
    alone_until: Option<Instant>,
}

/// How long one thread works alone before it is seen again whether several are faster.
const ALONE: Duration = Duration::from_secs(1);

impl<'l> Watch<'l> {
    pub(crate) fn start(limits: &'l Limits) -> Self {
        let now = Instant::now();
        Watch { limits, started: now, last_report: now, alone_until: None }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// How many threads are to work at once.
    pub(crate) fn threads(&self) -> usize {
        self.limits.threads()
    }

    /// Notes that several threads were slower than one.
    pub(crate) fn work_alone(&mut self) {
        self.alone_until = Instant::now().checked_add(ALONE);
    }

    /// Whether one thread is to work alone, since several were slower a moment ago.
    pub(crate) fn is_alone(&self) -> bool {
        self.alone_until.is_some_and(|end| Instant::now() < end)
    }

    /// What says whether the limit of time is reached or the work cancelled.
    pub(crate) fn stop(&self) -> Stop {
        let deadline = self.limits.time.and_then(|time| self.started.checked_add(time));
        Stop { cancellation: self.limits.cancellation.clone(), deadline }
    }

    /// Looks at the limits while the equations are set up.
    #[cfg_attr(test, track_caller)]
    pub(crate) fn prepare(&mut self) -> Result<(), Stopped> {
        let stopped = |limit| Stopped { limit, reached: Reached::Preparing };
        self.check(|| Progress::Preparing).map_err(stopped)
    }

    /// The limit that is reached by now, if any. Costs a clock reading.
    #[cfg_attr(test, track_caller)]
    pub(crate) fn check(&mut self, progress: impl FnOnce() -> Progress) -> Result<(), Limit> {
        #[cfg(test)]
        super::looks::look(std::panic::Location::caller());
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
