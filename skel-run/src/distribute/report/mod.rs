//! What was measured in a loop.

#[cfg(feature = "chart")]
mod chart;
mod choice;
mod json;
mod piece;
mod speeds;
mod table;
#[cfg(feature = "fit")]
mod timed_runs;
mod worker;

use skel_distribute::{RelativePerformance, Scenario, Schedule};

pub use choice::Choice;
pub use piece::LoopPiece;
pub(super) use speeds::{Measured, measured};
pub use worker::{Loss, LossCause, WorkerReport};

/// What was measured in a loop: how long it took, what each worker did, and every call of the function. It
/// prints as a table.
///
/// # Examples
/// ```
/// use skel::distribute::Schedule;
/// use skel::run::distribute;
///
/// let sums = distribute(0..10_000_u64).by(Schedule::Factoring).over(2).run(|range| range.map(|i| i % 7).sum::<u64>())?;
/// let report = sums.report();
/// print!("{report}");
/// let scenario = report.scenario().expect("items were finished");
/// let by_others = scenario.compare(&[Schedule::Vrp, Schedule::SelfScheduling]);
/// assert_eq!(by_others.ranked().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LoopReport {
    pub(super) schedule: Schedule,
    pub(super) performance: RelativePerformance,
    pub(super) items: u64,
    pub(super) seconds: f64,
    pub(super) workers: Vec<WorkerReport>,
    pub(super) timeline: Vec<LoopPiece>,
    pub(super) choice: Option<Choice>,
}

impl LoopReport {
    /// The schedule by which chunks were given out.
    #[must_use]
    pub fn schedule(&self) -> Schedule {
        self.schedule
    }

    /// Why this schedule, if the loop learns: see [`Loop::learning`](super::Loop::learning).
    #[must_use]
    pub fn choice(&self) -> Option<&Choice> {
        self.choice.as_ref()
    }

    /// The relative performance of the workers that the schedule was told.
    #[must_use]
    pub fn performance(&self) -> &RelativePerformance {
        &self.performance
    }

    /// How many items the loop had.
    #[must_use]
    pub fn items(&self) -> u64 {
        self.items
    }

    /// How long it took until the last result that counts, in seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// What each worker did.
    #[must_use]
    pub fn workers(&self) -> &[WorkerReport] {
        &self.workers
    }

    /// How many chunks were given out, with those that were given out again.
    #[must_use]
    pub fn chunks(&self) -> u64 {
        self.workers.iter().map(|worker| worker.chunks).sum()
    }

    /// What a chunk costs a worker besides the work, on average, in seconds: from the end of the last one to
    /// its beginning. 0 if there was no chunk.
    #[must_use]
    pub fn overhead_per_chunk(&self) -> f64 {
        let overhead: f64 = self.workers.iter().map(|worker| worker.overhead).sum();
        overhead / self.chunks().max(1) as f64
    }

    /// The workers that were lost, each with when and why.
    pub fn losses(&self) -> impl Iterator<Item = (usize, &Loss)> {
        self.workers
            .iter()
            .enumerate()
            .filter_map(|(worker, report)| report.loss.as_ref().map(|loss| (worker, loss)))
    }

    /// Every call of the function, in the order in which they began.
    #[must_use]
    pub fn timeline(&self) -> &[LoopPiece] {
        &self.timeline
    }

    /// What was measured as a scenario that can be simulated: the seconds that each worker took for an item
    /// and when they changed, the overhead of a chunk, and the workers that were lost. The schedule is told
    /// the same relative performance as that of the loop. None if no item was finished.
    #[must_use]
    pub fn scenario(&self) -> Option<Scenario> {
        let scenario = measured(self)?.scenario(self.items)?;
        let losses = self.losses().filter(|(_, loss)| loss.at < self.seconds);
        losses
            .map(|(worker, loss)| (worker, loss.at))
            .try_fold(scenario, |scenario, (worker, at)| scenario.with_loss(worker, at))
            .and_then(|scenario| scenario.with_performance(self.performance.clone()))
            .ok()
    }
}
