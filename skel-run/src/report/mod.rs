//! What a run ends with: what was measured, and beside it what a model with the measured times predicts.
//!
//! ```text
//! figures of the monitors -> TaskReport: busy, starved, blocked, mean and variation of the service time
//!                         -> calibration: a distribution for each task -> Program<Tree>
//!                         -> prediction: its chain, or the formula     -> Prediction
//! ```
//!
//! Predicted and measured figures have the same names and the same meaning. A task is busy while it computes,
//! starved while it waits for items, and blocked while it waits to hand them over. Throughput counts the
//! items that leave the last stage; the service time of the program is one over it.

mod calibration;
mod departures;
mod ending;
mod failure;
mod figures;
mod json;
pub(crate) mod numbers;
mod prediction;
mod table;
#[cfg(test)]
mod tests;
#[cfg(feature = "fit")]
mod timed_runs;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use skel_core::model::BuildErrors;
use skel_core::skeleton::{Program, Stage, StageId, StageOf, Tree};
use skel_solve::Limits;

use crate::monitor::{Series, Snapshot};
use calibration::Calibrated;

pub use calibration::{NotMeasured, time_of};
pub(crate) use departures::Departures;
pub use departures::Throughput;
pub use ending::{Ending, Execution};
pub use failure::Failure;
pub use figures::{TaskReport, tasks_of};
pub use prediction::{Method, NoPrediction, Prediction, Shares};
pub use table::WithPrediction;
#[cfg(feature = "distribute")]
pub(crate) use {json::Object, table::table};

/// What a run was, as the engine saw it.
#[derive(Clone, Debug)]
pub(crate) struct Ran {
    /// The program as it was in the end.
    pub(crate) program: Program<Tree>,
    /// How the threads shared its tasks.
    pub(crate) execution: Execution,
    /// How many items a parcel had at most.
    pub(crate) batch: usize,
    /// Why it was executed so, in words.
    pub(crate) reason: String,
    /// How long it took.
    pub(crate) elapsed: Duration,
    /// How it ended.
    pub(crate) ending: Ending,
    /// The items that were taken from the source.
    pub(crate) taken: u64,
    /// The items that were taken and not served, since the run was to end before.
    pub(crate) discarded: u64,
    /// The items that were taken from the source and left out, since they could not be served.
    pub(crate) skipped: u64,
    /// The items that were states of a map with state.
    pub(crate) states: u64,
    /// The items that ended the run, since they could not be served: one at most.
    pub(crate) failed: u64,
    /// The items that left the program, and when.
    pub(crate) departures: Departures,
    /// The tasks that get items in order, although workers before them finish in any order.
    pub(crate) in_order: Vec<StageId>,
    /// The processors of the machine that the run could use.
    pub(crate) cores: usize,
    /// What the monitors had seen in the end.
    pub(crate) snapshot: Snapshot,
    /// What they had seen meanwhile.
    pub(crate) series: Series,
}

/// What a run of the skeleton `S` ends with.
///
/// It prints as a table. [`Self::prediction`] solves the model of the program with the measured times, and
/// [`Self::with_prediction`] prints both side by side. [`Self::program`] is the program with its measured
/// times, to be dimensioned, mapped and saved.
///
/// # Examples
/// ```
/// use skel::prelude::*;
/// # use std::{thread::sleep, time::Duration};
///
/// pipe! { skeleton Images { task("read", 20.0), farm(2, "sharpen", 5.0) } }
///
/// let program = Images::new().communicating(Communication::negligible()).buffers(4);
/// let report = program.run()
///     .read(|number: u64| { sleep(Duration::from_millis(1)); number })
///     .sharpen(|number| { sleep(Duration::from_millis(4)); number })
///     .over(0..50)?;
/// println!("{report}");
/// assert_eq!(report.delivered(), 50);
/// assert!(report.task(Images::sharpen).busy > report.task(Images::read).busy);
///
/// // What a model with the measured times predicts, beside what was measured.
/// let compared = report.with_prediction()?;
/// println!("{compared}");
/// assert!(compared.prediction().throughput <= 2.0 / 4e-3);
///
/// // The program with the measured times: how many workers would do 400 items per second? With exponential times of the same means the
/// // chains are small, and the answer is a cautious one.
/// let program = report.program()?;
/// let program = program.with_skeleton(program.skeleton().exponential());
/// println!("{}", program.dimension(Target::throughput(400.0))?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Report<S = Tree> {
    ran: Arc<Ran>,
    /// The tasks, in the order of the skeleton.
    tasks: Vec<TaskReport>,
    /// What measures a hop when it is needed.
    hop: fn() -> Duration,
    skeleton: PhantomData<fn() -> S>,
}

impl Report {
    /// The report of a run.
    pub(crate) fn new(ran: Ran) -> Self {
        let tree = ran.program.skeleton();
        let task = |figures| TaskReport::of(figures, tree, ran.elapsed);
        let tasks = ran.snapshot.tasks.iter().map(task).collect();
        Report { tasks, ran: Arc::new(ran), hop: calibration::hop::hop, skeleton: PhantomData }
    }

    /// The same for the type of the skeleton that was run.
    pub(crate) fn typed<S>(self) -> Report<S> {
        Report { ran: self.ran, tasks: self.tasks, hop: self.hop, skeleton: PhantomData }
    }
}

impl<S> Report<S> {
    /// How the run ended.
    #[must_use]
    pub fn ending(&self) -> Ending {
        self.ran.ending
    }

    /// How the threads shared the tasks.
    #[must_use]
    pub fn execution(&self) -> Execution {
        self.ran.execution
    }

    /// Why the threads shared the tasks in this way, and why so many items travelled together.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.ran.reason
    }

    /// How many items travelled together at most.
    #[must_use]
    pub fn batch(&self) -> usize {
        self.ran.batch
    }

    /// How long the run took, from its start until all threads had ended.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.ran.elapsed
    }

    /// The items that left the last stage.
    #[must_use]
    pub fn delivered(&self) -> u64 {
        self.ran.departures.items()
    }

    /// The items that were taken from the source. Each of them was delivered, skipped, discarded, failed or a
    /// state.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.ran.taken
    }

    /// The items that were taken from the source and not served any more, since the run was cancelled, or an
    /// item before them failed.
    #[must_use]
    pub fn discarded(&self) -> u64 {
        self.ran.discarded
    }

    /// The items that were left out, since a stage could not serve them and was told to skip them.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.ran.skipped
    }

    /// The items that were states of a map with state: they make no result by themselves.
    #[must_use]
    pub fn states(&self) -> u64 {
        self.ran.states
    }

    /// The items that could not be served and ended the run: one at most.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.ran.failed
    }

    /// The processors that the run could use.
    #[must_use]
    pub fn cores(&self) -> usize {
        self.ran.cores
    }

    /// What the monitors had seen in the end: each replica of each task.
    #[must_use]
    pub fn snapshot(&self) -> &Snapshot {
        &self.ran.snapshot
    }

    /// What the monitors had seen meanwhile: empty unless the run was [sampled](crate::Run::sampled).
    #[must_use]
    pub fn series(&self) -> &Series {
        &self.ran.series
    }

    /// The program as it was in the end, with the times that were written.
    #[must_use]
    pub fn program_as_written(&self) -> &Program<Tree> {
        &self.ran.program
    }

    /// Items per second that left the program, from the first departure to the last, with its confidence
    /// interval. The time until the first departure does not count, since a model has no beginning.
    #[must_use]
    pub fn throughput(&self) -> Throughput {
        let whole = || {
            let rate = self.delivered() as f64 / self.ran.elapsed.as_secs_f64().max(f64::MIN_POSITIVE);
            Throughput { rate, half_width: None }
        };
        self.ran.departures.throughput().unwrap_or_else(whole)
    }

    /// Seconds for each item: one over the throughput.
    #[must_use]
    pub fn service_time(&self) -> f64 {
        1.0 / self.throughput().rate
    }

    /// What each task did, in the order of the skeleton.
    #[must_use]
    pub fn tasks(&self) -> &[TaskReport] {
        &self.tasks
    }

    /// What a task did, by its handle; by that of a farm or a deal of tasks, what its worker did.
    ///
    /// # Panics
    /// If the stage is no task, and no farm or deal of tasks.
    #[must_use]
    pub fn task<H>(&self, stage: StageOf<S, H>) -> &TaskReport {
        self.task_at(stage.id())
    }

    /// As [`Self::task`], by the node of the tree.
    ///
    /// # Panics
    /// If the node is no task, and no farm or deal of tasks.
    #[must_use]
    pub fn task_at(&self, id: StageId) -> &TaskReport {
        let tree = self.ran.program.skeleton();
        let is_meant = |task: &&TaskReport| task.id == id || tree.replicated_at(task.id) == Some(id);
        self.tasks
            .iter()
            .find(is_meant)
            .expect("the node is a task of this skeleton, or a farm or deal of one")
    }

    /// The program with its measured times, in seconds: the mean and the variation of each task's service
    /// time in the place of what was written, and one over the measured hop as the rate of all moves. Where
    /// items travelled in batches, an item of this program is a parcel, so that a throughput of it is in
    /// parcels per second.
    ///
    /// The first call in a process measures the hop, which takes some milliseconds. Where times are steady,
    /// they have many phases, and the chain of this program is large:
    /// `program.with_skeleton(program.skeleton().exponential())` has the same means and a small chain.
    ///
    /// # Errors
    /// If a task served no item.
    pub fn program(&self) -> Result<Program<Tree>, NotMeasured> {
        Ok(self.calibrated()?.program)
    }

    /// What the model of the program predicts with the measured times. It takes some seconds at most: where
    /// the chain is too large, times are taken for less steady ones, and what was done is said.
    ///
    /// # Errors
    /// If a task served no item, or the model cannot be solved.
    pub fn prediction(&self) -> Result<Prediction, NoPrediction> {
        self.prediction_within(&prediction::default_limits())
    }

    /// As [`Self::prediction`], within other limits. Their time is that of all attempts together.
    ///
    /// # Errors
    /// If a task served no item, the model cannot be solved, or the limits' cancellation stopped it.
    pub fn prediction_within(&self, limits: &Limits) -> Result<Prediction, NoPrediction> {
        prediction::predict(self, limits)
    }

    /// The report with the prediction beside what was measured: to be printed.
    ///
    /// # Errors
    /// As [`Self::prediction`].
    pub fn with_prediction(&self) -> Result<WithPrediction<'_, S>, NoPrediction> {
        Ok(WithPrediction { report: self, prediction: self.prediction()? })
    }

    /// As [`Self::with_prediction`], within other limits.
    ///
    /// # Errors
    /// As [`Self::prediction_within`].
    pub fn with_prediction_within(&self, limits: &Limits) -> Result<WithPrediction<'_, S>, NoPrediction> {
        Ok(WithPrediction { report: self, prediction: self.prediction_within(limits)? })
    }

    /// The program with its measured times as the text of a `.skel` file, which the command `skel` reads.
    /// Comments say what was measured.
    ///
    /// # Errors
    /// If a task served no item, or the program has something that no such text says: a buffer before an
    /// unnamed worker of a farm that differs from the others.
    pub fn to_skel(&self) -> Result<String, NoText> {
        let calibrated = self.calibrated().map_err(NoText::NotMeasured)?;
        let text = calibrated.program.to_skel().map_err(NoText::NotWritable)?;
        Ok(format!("{}{text}", calibration::heading(&calibrated, self.items_in_a_parcel())))
    }

    /// Whether the workers of some stage serve an item together.
    fn has_team(&self) -> bool {
        self.ran.program.skeleton().has_team()
    }

    fn first_is_team(&self) -> bool {
        let tree = self.ran.program.skeleton();
        self.tasks.first().is_some_and(|first| matches!(tree.stage(first.id), Stage::Team(_)))
    }

    fn calibrated(&self) -> Result<Calibrated, NotMeasured> {
        calibration::calibrated(&self.ran.program, &self.tasks, (self.hop)())
    }

    /// How many items were delivered for each parcel that the first task took.
    fn items_in_a_parcel(&self) -> f64 {
        let (Some(first), Some(last)) = (self.tasks.first(), self.tasks.last()) else { return 1.0 };
        let (items, parcels) = match self.ran.skipped {
            0 => (last.items, last.parcels),
            _ => (self.delivered(), first.parcels),
        };
        if parcels == 0 { 1.0 } else { items as f64 / parcels as f64 }
    }
}

/// Why a run's program has no text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum NoText {
    /// Some tasks have no measured time.
    NotMeasured(NotMeasured),
    /// No `.skel` text says what the program has.
    NotWritable(BuildErrors),
}

impl fmt::Display for NoText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoText::NotMeasured(error) => error.fmt(f),
            NoText::NotWritable(errors) => errors.fmt(f),
        }
    }
}

impl std::error::Error for NoText {}

impl<S> Clone for Report<S> {
    fn clone(&self) -> Self {
        let (ran, tasks) = (Arc::clone(&self.ran), self.tasks.clone());
        Report { ran, tasks, hop: self.hop, skeleton: PhantomData }
    }
}

impl<S> fmt::Debug for Report<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Report").field("ran", &self.ran).field("tasks", &self.tasks).finish()
    }
}
