//! Figures as events of the crate `tracing`.

use super::figures::Snapshot;

impl Snapshot {
    /// An event for each task, at the level INFO, with the target `skel::run`: how many replicas ran, how many items per second they
    /// served, which parts of their time they were busy, starved and blocked, their mean service time in seconds, and what is in the queue before them.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::StageId;
    /// use skel_run::monitor::Monitors;
    ///
    /// let monitors = Monitors::of([(StageId(0), "sharpen".to_owned())]);
    /// monitors.snapshot().trace();
    /// ```
    pub fn trace(&self) {
        for task in &self.tasks {
            tracing::info!(
                target: "skel::run",
                at = self.at.as_secs_f64(),
                span = self.span().as_secs_f64(),
                task = task.name,
                replicas = task.running(),
                items = task.items(),
                throughput = task.throughput(self.span()),
                busy = task.busy_fraction(),
                starved = task.starved_fraction(),
                blocked = task.blocked_fraction(),
                mean_service_time = task.mean_service_time().map(|time| time.as_secs_f64()),
                queue = task.queue,
                "figures of a task"
            );
        }
    }
}
