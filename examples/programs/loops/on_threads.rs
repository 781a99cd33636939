//! Loops on threads, which have the memory of the program in common: the loop of `skel::run`.

use std::error::Error;
use std::ops::Range;

use skel::distribute::Schedule;
use skel::run::distribute;

use super::{Loops, Team};

/// Each worker is a thread. No messages are sent.
pub(crate) struct OnThreads<'t> {
    team: &'t Team,
    schedule: Schedule,
    /// The seconds that passed in all loops until now.
    pub(crate) seconds: f64,
}

impl<'t> OnThreads<'t> {
    pub(crate) fn new(team: &'t Team, schedule: Schedule) -> Self {
        OnThreads { team, schedule, seconds: 0.0 }
    }
}

impl Loops for OnThreads<'_> {
    fn each<R: Send + 'static>(
        &mut self,
        items: usize,
        _values: impl Fn(usize) -> [usize; 2],
        work: impl Fn(u32, Range<usize>) -> R + Sync,
    ) -> Result<Vec<R>, Box<dyn Error>> {
        let machines = &self.team.machines;
        let done = distribute(0..items)
            .by(self.schedule)
            .over(&self.team.performance)
            .run_by(|worker, range| work(machines[worker].tenths, range))?;
        self.seconds += done.report().seconds();
        Ok(done.into_values().collect())
    }
}
