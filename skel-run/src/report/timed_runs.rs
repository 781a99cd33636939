//! A report as timed runs, to which performance models are fitted.

use skel_fit::runs::{Runs, RunsError, Trial};

use super::{Report, TaskReport};

/// The segment that stands for the whole run. Runs that name no segment are of it too.
const WHOLE: &str = "program";

impl<S> Report<S> {
    /// The run as timed runs of its tasks, each a segment with its name, and of the segment `program`, which
    /// is all of it. The machine, the size, the number of processes and the number of the run are as the
    /// caller says; processes are replicas where models are to be functions of these.
    ///
    /// The seconds of a task are those for which one of its replicas computed, on average over the replicas
    /// that it has in the end: the service times of all its items together, over the number of replicas.
    /// Waits for items, for room and for others are not in them, so they model the task alone. The seconds of
    /// `program` are those that passed from the start of the run until all threads had ended.
    ///
    /// A task that has computed nothing has no timed run. Where two tasks have the same name, or one is
    /// called `program`, the number of its node stands behind the name: `work#3`.
    ///
    /// # Errors
    /// If the size is not above 0 and finite, or there are no processes.
    ///
    /// # Examples
    /// ```
    /// use skel::fit::runs::{Runs, Trial};
    /// use skel::prelude::*;
    /// # use std::{thread::sleep, time::Duration};
    ///
    /// pipe! { skeleton Images { task("read", 20.0), farm(2, "sharpen", 5.0) } }
    ///
    /// let mut runs = Runs::default();
    /// for items in [10, 20] {
    ///     let report = Images::new().run()
    ///         .read(|number: u64| number)
    ///         .sharpen(|number| { sleep(Duration::from_millis(1)); number })
    ///         .over(0..items)?;
    ///     runs.append(report.timed_runs("this machine", Trial::new(items as f64).processes(2))?);
    /// }
    /// assert_eq!(runs.segments(), ["program", "read", "sharpen"]);
    /// let sharpen = runs.iter().find(|run| run.segment == "sharpen").unwrap();
    /// assert!(sharpen.n == 10.0 && sharpen.p == 2 && sharpen.seconds >= 5.0 * 0.001);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn timed_runs(&self, machine: &str, trial: Trial) -> Result<Runs, RunsError> {
        let elapsed = self.ran.elapsed.as_secs_f64();
        let seconds = |task: &TaskReport| task.processors * elapsed / task.replicas.max(1) as f64;
        let tasks = self.tasks.iter().filter(|task| seconds(task) > 0.0);
        let timed = tasks.map(|task| trial.timed(&self.segment_of(task), machine, seconds(task)));
        Runs::new(timed.chain([trial.timed(WHOLE, machine, elapsed)]))
    }

    /// The name of a task, with the number of its node if another segment has the same.
    fn segment_of(&self, task: &TaskReport) -> String {
        let is_taken = |other: &TaskReport| other.id != task.id && other.name == task.name;
        if task.name == WHOLE || self.tasks.iter().any(is_taken) {
            format!("{}#{}", task.name, task.id.0)
        } else {
            task.name.clone()
        }
    }
}
