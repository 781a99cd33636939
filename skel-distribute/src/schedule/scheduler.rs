//! The state of a master that gives out items in chunks.

use skel_core::model::BuildErrors;

use super::chunk::{Chunk, Rest};
use super::definition::Schedule;
use super::size::Sizes;
use crate::arithmetic::Arithmetic;
use crate::performance::RelativePerformance;

/// A master without a clock: machines ask it for items, and it answers with chunks by a schedule. Machines
/// are numbered from 0 in the order of the relative performance.
///
/// Every item is given out exactly once, in whatever order machines ask, except for those of a machine that
/// is [lost](Scheduler::lost), which are given out again.
///
/// A request takes constant time; with AWF-B and AWF-C it takes time in the number of machines.
///
/// # Examples
/// ```
/// use skel_distribute::{RelativePerformance, Schedule, Scheduler};
///
/// let machines = RelativePerformance::of_times([1.0, 2.0])?;
/// let mut scheduler = Scheduler::<f64>::new(&Schedule::AdaptiveChunk, 100, &machines)?;
/// let mut items = || -> Option<u64> {
///     let chunk = scheduler.next(0)?;
///     scheduler.finished(0, chunk.items(), 0.5);
///     Some(chunk.items())
/// };
/// assert_eq!([items(), items(), items()], [Some(25), Some(19), Some(14)]);
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scheduler<N: Arithmetic = f64> {
    rest: Rest,
    sizes: Sizes<N>,
    is_lost: Vec<bool>,
}

impl<N: Arithmetic> Scheduler<N> {
    /// A master that gives so many items to machines of this relative performance.
    ///
    /// # Errors
    /// If a parameter of the schedule cannot be, see [`Schedule::check`].
    pub fn new(
        schedule: &Schedule,
        items: u64,
        performance: &RelativePerformance,
    ) -> Result<Self, BuildErrors> {
        schedule.check()?;
        Ok(Scheduler {
            rest: Rest::all(items),
            sizes: Sizes::new(schedule, items, performance),
            is_lost: vec![false; performance.machines()],
        })
    }

    /// The items that a machine gets, which asks for some. There are none if no item is left or if the
    /// machine has had its share, in [`Schedule::Vrp`]. It may ask again after another machine was lost.
    ///
    /// # Panics
    /// If there is no machine of this number.
    pub fn next(&mut self, machine: usize) -> Option<Chunk> {
        if self.is_lost[machine] || self.rest.count() == 0 {
            return None;
        }
        let size = self.sizes.next(machine, self.rest.count());
        self.rest.take(size)
    }

    /// A machine says that it has finished a chunk of so many items after so much time of work, in seconds or
    /// any other unit. AWF-B and AWF-C weigh machines by that. A time that is not above 0, as a coarse clock
    /// measures, says nothing of the machine and is left out.
    ///
    /// # Panics
    /// If there is no machine of this number.
    pub fn finished(&mut self, machine: usize, items: u64, time: N) {
        assert!(machine < self.is_lost.len(), "there is no machine {machine}");
        if time > N::zero() {
            self.sizes.finished(machine, items, time);
        }
    }

    /// A machine is lost. The items that it had not finished, if there are any, are given out again, and it
    /// gets no more. With [`Schedule::Vrp`] its share is divided among the others in the same way as the
    /// whole was.
    ///
    /// # Panics
    /// If there is no machine of this number.
    pub fn lost(&mut self, machine: usize, unfinished: Option<Chunk>) {
        if let Some(chunk) = &unfinished {
            self.rest.put_back(chunk);
        }
        self.is_lost[machine] = true;
        self.sizes.lost(&self.is_lost, machine, unfinished.map_or(0, |chunk| chunk.items()));
    }

    /// At least how many chunks are still to come.
    pub(crate) fn least_chunks(&self) -> u64 {
        self.sizes.largest().map_or(1, |largest| self.rest.count().div_ceil(largest))
    }

    /// How many items nobody has.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.rest.count()
    }

    /// How many machines there are, with those that are lost.
    #[must_use]
    pub fn machines(&self) -> usize {
        self.is_lost.len()
    }
}
