//! The chunks of a schedule where machines ask in turn.

use skel_core::model::BuildErrors;

use super::chunk::Chunk;
use super::definition::Schedule;
use super::scheduler::Scheduler;
use crate::performance::RelativePerformance;

/// The chunks of a schedule where machines 0, 1, .. ask in turn until nothing is left, each with the machine
/// that gets it.
///
/// No machine says how long it took, so the measured weights of AWF-B and AWF-C are all 1.
///
/// # Examples
/// ```
/// use skel_distribute::{RelativePerformance, Schedule};
///
/// let machines = RelativePerformance::equal(4)?;
/// let chunks = Schedule::Guided { least: 1 }.requests(1000, &machines)?;
/// let sizes: Vec<u64> = chunks.map(|(_, chunk)| chunk.items()).collect();
/// assert_eq!(sizes[..6], [250, 188, 141, 106, 79, 59]);
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[derive(Clone, Debug)]
pub struct Requests {
    scheduler: Scheduler<f64>,
    next: usize,
}

impl Schedule {
    /// The chunks in which so many items are given to machines that ask in turn.
    ///
    /// # Errors
    /// If a parameter of the schedule cannot be.
    pub fn requests(&self, items: u64, performance: &RelativePerformance) -> Result<Requests, BuildErrors> {
        Ok(Requests { scheduler: Scheduler::new(self, items, performance)?, next: 0 })
    }
}

impl Iterator for Requests {
    type Item = (usize, Chunk);

    fn next(&mut self) -> Option<(usize, Chunk)> {
        for _ in 0..self.scheduler.machines() {
            let machine = self.next;
            self.next = (machine + 1) % self.scheduler.machines();
            if let Some(chunk) = self.scheduler.next(machine) {
                return Some((machine, chunk));
            }
        }
        None
    }
}
