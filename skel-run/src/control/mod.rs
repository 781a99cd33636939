//! The handle by which other threads look at a run and change it.

mod actuators;
mod request;

use crate::engine::Refused;
use crate::monitor::{Monitors, Snapshot};
use crate::progress::Progress;
use crate::sync::mpsc::channel;
use crate::sync::{Arc, Mutex, lock};

pub(crate) use request::{Actuators, Attached, Request, Wanted};

/// A handle for a run: it looks at the figures, cancels, drains, and changes the run while it goes on, from
/// any thread.
///
/// | what changes | by | from when on |
/// |---|---|---|
/// | replicas of a farm or a deal | [`set_replicas`](Self::set_replicas), [`add_replica`](Self::add_replica), [`remove_replica`](Self::remove_replica) | at once |
/// | workers of a map, a fault-tolerant stage or a map with state | the same | the next item; in a map with state the next state |
/// | which part of an item each worker of a map gets | [`set_shares`](Self::set_shares), [`split_worker`](Self::split_worker) | the same |
/// | how many items travel together | [`set_batch`](Self::set_batch) | the next parcel from the source |
/// | which processor a thread stays on, with the feature `affinity` | `move_replica` | the replica's next item |
/// | buffers | [`set_buffers`](Self::set_buffers), [`set_buffers_before`](Self::set_buffers_before) | when the items that are inside have left |
///
/// With each of them a method of the same name with `_of` takes the number of a stage in the place of a
/// handle. None of them loses an item, serves one twice or changes the order of the results. What is refused
/// changes nothing, and [`Refused`] says why.
///
/// [`program`](Self::program) is the program as it is now. A manager compares what its model predicts for it
/// with [`snapshot`](Self::snapshot).
///
/// # Examples
/// ```
/// use skel::prelude::*;
/// use skel::run::Control;
/// # use std::time::Duration;
///
/// pipe! { skeleton Lines { task("number", 1e6), farm(2, "measure", 1e6) } }
///
/// let control = Control::new();
/// let stop = control.clone();
/// let mut seen = 0;
/// let report = Lines::new().run()
///     .number(|line: u64| line + 1)
///     .measure(|line| line.to_string().len())
///     .controlled_by(&control)
///     .for_each(0.., |_| {
///         seen += 1;
///         if seen == 1000 {
///             stop.drain(); // the source has no end of its own
///         }
///     })?;
/// assert!(report.delivered() >= 1000);
/// # Ok::<(), skel::run::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Control(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    is_cancelled: bool,
    is_draining: bool,
    run: Option<Attached>,
    /// Loops over indices that have the handle.
    #[cfg(feature = "distribute")]
    loops: Vec<Arc<Progress>>,
}

impl Control {
    /// A handle without a run.
    #[must_use]
    pub fn new() -> Self {
        Control::default()
    }

    /// Ends the run as soon as every thread has finished the item in its hands. Items that are inside are
    /// discarded, and counted.
    ///
    /// A function that is at work is not interrupted, and neither is a source that waits for its next item. A
    /// handle stays cancelled: a run that begins later ends at once.
    pub fn cancel(&self) {
        let mut state = lock(&self.0);
        state.is_cancelled = true;
        state.progresses().for_each(|progress| progress.cancel());
    }

    /// Takes no more items from the source, and serves those that are inside. A handle stays drained, as with
    /// [`Self::cancel`].
    pub fn drain(&self) {
        let mut state = lock(&self.0);
        state.is_draining = true;
        state.progresses().for_each(|progress| progress.drain());
    }

    /// Has the run's own thread do something.
    fn ask<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut dyn Actuators) -> T + Send + 'static,
    ) -> Result<T, Refused> {
        let requests = match &lock(&self.0).run {
            Some(run) => run.requests.clone(),
            None => return Err(Refused::NotRunning),
        };
        let (answer, answered) = channel();
        let request = Request::new(move |run| {
            // Whoever asked may not wait for the answer.
            let _ = answer.send(act(run));
        });
        requests.send(request).map_err(|_| Refused::Ended)?;
        drop(requests);
        answered.recv().map_err(|_| Refused::Ended)
    }

    /// What was measured until now. None before the run and after it.
    #[must_use]
    pub fn snapshot(&self) -> Option<Snapshot> {
        Some(self.monitors()?.snapshot())
    }

    fn monitors(&self) -> Option<Arc<Monitors>> {
        lock(&self.0).run.as_ref().map(|run| Arc::clone(&run.monitors))
    }

    /// What a run that was cancelled or drained still waits for, in words: the source, which a run cannot
    /// interrupt while it makes its next item, and tasks that have not left. Empty without a run.
    #[must_use]
    pub fn waits_for(&self) -> Vec<String> {
        let state = lock(&self.0);
        let Some(run) = &state.run else { return Vec::new() };
        let source = run.progress.is_asking_source().then(|| {
            "the source, which makes its next item; a run can leave a channel at once: `from_channel(receiver)`".to_owned()
        });
        let snapshot = run.monitors.snapshot();
        let running = snapshot.tasks.iter().filter(|task| task.running() > 0);
        let tasks = running.map(|task| format!("{} of `{}`", task.running(), task.name));
        source.into_iter().chain(tasks).collect()
    }

    /// The run begins.
    pub(crate) fn attach(&self, run: Attached) {
        let mut state = lock(&self.0);
        state.tell(&run.progress);
        state.run = Some(run);
    }

    /// The run ends: no more requests. If another run has the handle by now, it keeps it.
    pub(crate) fn detach(&self, progress: &Arc<Progress>) {
        let mut state = lock(&self.0);
        if state.run.as_ref().is_some_and(|run| Arc::ptr_eq(&run.progress, progress)) {
            state.run = None;
        }
    }

    /// A loop over indices begins. It has the handle as long as the answer lives.
    #[cfg(feature = "distribute")]
    pub(crate) fn attach_loop<'c>(&'c self, progress: &'c Arc<Progress>) -> AttachedLoop<'c> {
        let mut state = lock(&self.0);
        state.tell(progress);
        state.loops.push(Arc::clone(progress));
        AttachedLoop { control: self, progress }
    }
}

/// A loop over indices that has a handle.
#[cfg(feature = "distribute")]
pub(crate) struct AttachedLoop<'c> {
    control: &'c Control,
    progress: &'c Arc<Progress>,
}

#[cfg(feature = "distribute")]
impl Drop for AttachedLoop<'_> {
    fn drop(&mut self) {
        lock(&self.control.0).loops.retain(|progress| !Arc::ptr_eq(progress, self.progress));
    }
}

impl State {
    /// The progress of the run that has the handle, and of loops.
    fn progresses(&self) -> impl Iterator<Item = &Arc<Progress>> {
        let of_run = self.run.iter().map(|run| &run.progress);
        #[cfg(feature = "distribute")]
        let of_run = of_run.chain(&self.loops);
        of_run
    }

    /// Tells whoever begins what was asked for before.
    fn tell(&self, progress: &Progress) {
        if self.is_cancelled {
            progress.cancel();
        }
        if self.is_draining {
            progress.drain();
        }
    }
}
