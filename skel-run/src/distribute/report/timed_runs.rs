//! A loop as timed runs, to which performance models are fitted.

use skel_fit::runs::{Runs, RunsError, TimedRun, Trial};

use super::LoopReport;

/// The segment of the workers' functions, and that of the whole loop.
const SEGMENTS: [&str; 2] = ["work", "loop"];

impl LoopReport {
    /// The loop as timed runs: the segment `work` for each type of machine, and `loop`, which is all of it.
    /// The size, the number of processes and the number of the run are as the caller says.
    ///
    /// `machine` says on which type of machine a worker is, by its number. The seconds of `work` are those of
    /// the worker of this type that worked longest: its function in all its chunks together, with work that
    /// was lost, and without waits for chunks. The seconds of `loop` are those that passed from the beginning
    /// of the loop to its last result that counts, and its machine has no name. All times are those that pass
    /// on a clock: a thread that waits for a processor is timed with that wait.
    ///
    /// # Errors
    /// If the size is not above 0 and finite, or there are no processes.
    ///
    /// # Examples
    /// ```
    /// use skel::fit::runs::Trial;
    /// use skel::run::distribute;
    ///
    /// let squares = distribute(0..1000_u64).over(2).run(|range| range.map(|index| index * index).sum::<u64>())?;
    /// let machine = |worker: usize| if worker == 0 { "intel" } else { "bio" };
    /// let runs = squares.report().timed_runs(machine, Trial::new(1000.0).processes(2))?;
    /// assert_eq!(runs.iter().filter(|run| run.segment == "loop").count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn timed_runs<'m>(
        &self,
        machine: impl Fn(usize) -> &'m str,
        trial: Trial,
    ) -> Result<Runs, RunsError> {
        let [work, whole] = SEGMENTS;
        let mut runs: Vec<TimedRun> = Vec::new();
        for (number, worker) in self.workers.iter().enumerate().filter(|(_, worker)| worker.work > 0.0) {
            match runs.iter_mut().find(|run| run.machine == machine(number)) {
                Some(run) => run.seconds = run.seconds.max(worker.work),
                None => runs.push(trial.timed(work, machine(number), worker.work)),
            }
        }
        runs.extend((self.seconds > 0.0).then(|| trial.timed(whole, "", self.seconds)));
        Runs::new(runs)
    }
}
