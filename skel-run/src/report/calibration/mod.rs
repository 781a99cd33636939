//! Calibration: the program that ran, with measured times in the place of what was written.
//!
//! Each task gets a distribution by the mean and the variation of its service times (`fits`), and all moves
//! get one over the measured hop as their rate. All times are in seconds.
//!
//! Where items travel in batches, an item of the calibrated program is a parcel: times are those of parcels,
//! buffers hold parcels, and a throughput of the program is in parcels per second. That is how the threads of
//! the run see it, and one item at a time would be another program, with more moves and less variation.

pub(super) mod fits;
pub(super) mod hop;

use std::fmt;
use std::time::Duration;

use skel_core::number::{Number, Ratio};
use skel_core::rate::Rate;
use skel_core::skeleton::{Communication, Processors, Program, Reading, Stage, StageId, StateInput, Tree};
use skel_core::time::every;

use super::figures::{TaskReport, replicas_of};
use super::numbers::{percent, time};
use fits::{Fitted, fitted};

pub use fits::time_of;

/// A program by its measured times.
#[derive(Clone, Debug)]
pub(super) struct Calibrated {
    /// The program, in parcels and seconds.
    pub(super) program: Program<Tree>,
    /// The time of each task, in the order of the skeleton.
    pub(super) tasks: Vec<CalibratedTask>,
    /// The mean time of a move.
    pub(super) hop: Duration,
}

/// The time of a task by what was measured.
#[derive(Clone, Debug)]
pub(super) struct CalibratedTask {
    pub(super) id: StageId,
    pub(super) name: String,
    /// The time, and why it is of this distribution.
    pub(super) fitted: Fitted,
    /// The time of each worker for a state, and how many items there are for each; of a map with state that
    /// took some.
    pub(super) state: Option<(Fitted, Ratio)>,
    /// The part of the parcels that come to it; less than one where tasks before it leave items out.
    pub(super) share: f64,
}

/// Tasks without a measured time, so that the program cannot be calibrated.
///
/// # Examples
/// ```
/// # use skel_run::report::NotMeasured;
/// let error = NotMeasured { tasks: vec!["sharpen".to_owned(), "write".to_owned()] };
/// assert_eq!(
///     error.to_string(),
///     "the tasks `sharpen`, `write` served no item in this run, so their times are not known: let it run longer, or with more items"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotMeasured {
    /// Their names.
    pub tasks: Vec<String>,
}

impl fmt::Display for NotMeasured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.tasks.iter().map(|name| format!("`{name}`")).collect();
        let (noun, its) =
            if names.len() == 1 { ("task", "its time is") } else { ("tasks", "their times are") };
        write!(
            f,
            "the {noun} {} served no item in this run, so {its} not known: let it run longer, or with more items",
            names.join(", ")
        )
    }
}

impl std::error::Error for NotMeasured {}

/// The program with the measured times of its tasks, and this hop.
pub(super) fn calibrated(
    program: &Program<Tree>,
    tasks: &[TaskReport],
    hop: Duration,
) -> Result<Calibrated, NotMeasured> {
    let missing: Vec<String> =
        tasks.iter().filter(|task| task.mean.is_none()).map(|task| task.name.clone()).collect();
    if !missing.is_empty() {
        return Err(NotMeasured { tasks: missing });
    }
    let leaves_out = tasks.iter().any(|task| task.skipped > 0);
    let first = tasks.first().map_or(0, |task| task.parcels);
    let calibrate = |task: &TaskReport| {
        let share = if leaves_out { (task.parcels as f64 / first as f64).min(1.0) } else { 1.0 };
        let mean = task.mean.unwrap_or_default();
        let fitted = fitted(share * mean, task.scv.map(|scv| (1.0 + scv) / share - 1.0), task.timed);
        CalibratedTask { id: task.id, name: task.name.clone(), fitted, state: state(task), share }
    };
    let tasks: Vec<CalibratedTask> = tasks.iter().map(calibrate).collect();
    let tree = program.skeleton().with_times(&|id, written| {
        let measured = tasks.iter().find(|task| task.id == id);
        measured.map_or_else(|| written.clone(), |task| task.fitted.time.clone())
    });
    let states = tasks.iter().filter_map(|task| Some((task.id, task.state.as_ref()?)));
    let tree = states.fold(tree, |tree, (id, (time, items))| {
        tree.with_state(id, StateInput { time: time.time.clone(), items: items.clone() })
    });
    let program = program
        .with_skeleton(tree)
        .with_communication(Communication::everywhere(rate_of(hop)))
        .with_processors(Processors::one_each())
        .with_reading(Reading::Corrected);
    Ok(Calibrated { program, tasks, hop })
}

/// The times of a map with state for its states, taken for exponential, and how many items there were for
/// each.
fn state(task: &TaskReport) -> Option<(Fitted, Ratio)> {
    let items = Ratio::new(task.items.max(1).into(), task.states.max(1).into());
    Some((fitted(task.state_mean?, None, task.states), items))
}

/// The rate of what takes a time on average, to four digits.
fn rate_of(mean: Duration) -> Rate {
    let rate = 1.0 / mean.as_secs_f64();
    let rounded: Result<f64, _> = format!("{rate:.3e}").parse();
    rounded.map_or_else(|_| every(mean), Rate::from)
}

impl Calibrated {
    /// The mean time of a task for each parcel of the source, in seconds.
    pub(super) fn mean_of(&self, id: StageId) -> f64 {
        self.tasks.iter().find(|task| task.id == id).map_or(0.0, |task| task.fitted.mean)
    }

    /// The mean time for which a replica of a task, or each of the workers in it, works for a parcel at the
    /// least, in seconds.
    pub(super) fn least_work_of(&self, id: StageId) -> f64 {
        match self.program.skeleton().stage(id) {
            Stage::Team(team) => team.least_work().to_float(),
            _ => self.mean_of(id),
        }
    }

    /// How many replicas of a task there are in all.
    pub(super) fn replicas_of(&self, id: StageId) -> usize {
        replicas_of(self.program.skeleton(), id)
    }
}

impl CalibratedTask {
    /// The time of the task in words, and how well it is known.
    pub(super) fn in_words(&self) -> String {
        let error =
            self.fitted.error_of_mean().map_or_else(String::new, |part| format!(" ± {}", percent(part)));
        let share = match self.share < 1.0 {
            true => format!("; {} of the parcels come to it, which is in the time", percent(self.share)),
            false => String::new(),
        };
        let (name, mean, words) = (&self.name, time(self.fitted.mean), self.fitted.in_words());
        format!("`{name}` takes {mean}{error} on average over {} services; {words}{share}", self.fitted.count)
    }
}

/// What the text of a calibrated program begins with: what was measured, in comments.
pub(super) fn heading(calibrated: &Calibrated, items_in_a_parcel: f64) -> String {
    let hop = time(calibrated.hop.as_secs_f64());
    let mut said =
        vec![format!("measured times, in seconds; a move takes {hop}, one hop between two threads")];
    if items_in_a_parcel != 1.0 {
        said.push(format!(
            "an item of this program is a parcel: {items_in_a_parcel:.3} items were delivered for each"
        ));
    }
    said.extend(calibrated.tasks.iter().map(CalibratedTask::in_words));
    said.iter().map(|sentence| format!("// {sentence}\n")).collect()
}
