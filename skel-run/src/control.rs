//! The handle by which other threads look at a run and change it.

use skel_core::skeleton::{StageId, StageOf};

use crate::engine::Refused;
use crate::monitor::{Monitors, Snapshot};
use crate::progress::Progress;
use crate::sync::mpsc::{Sender, channel};
use crate::sync::{Arc, Mutex, lock};

/// A handle for a run: it cancels, drains, adds and removes replicas, and looks at the figures, from any thread, while the run goes on.
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
}

/// What a handle knows of its run.
#[derive(Debug)]
pub(crate) struct Attached {
    pub(crate) progress: Arc<Progress>,
    pub(crate) monitors: Arc<Monitors>,
    pub(crate) requests: Sender<Request>,
}

/// A request for another number of replicas.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) stage: StageId,
    pub(crate) wanted: Wanted,
    pub(crate) answer: Sender<Result<u32, Refused>>,
}

/// How many replicas there should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// So many.
    Exactly(u32),
    /// One more than there are.
    OneMore,
    /// One fewer than there are.
    OneFewer,
}

impl Control {
    /// A handle without a run.
    #[must_use]
    pub fn new() -> Self {
        Control::default()
    }

    /// Ends the run as soon as every thread has finished the item in its hands. Items that are inside are discarded, and counted.
    ///
    /// A function that is at work is not interrupted, and neither is a source that waits for its next item. A handle stays cancelled: a
    /// run that begins later ends at once.
    pub fn cancel(&self) {
        let mut state = lock(&self.0);
        state.is_cancelled = true;
        state.run.iter().for_each(|run| run.progress.cancel());
    }

    /// Takes no more items from the source, and serves those that are inside. A handle stays drained, as with [`Self::cancel`].
    pub fn drain(&self) {
        let mut state = lock(&self.0);
        state.is_draining = true;
        state.run.iter().for_each(|run| run.progress.drain());
    }

    /// Sets the number of replicas of a deal or farm, which a handle of itself or of its worker names. In a deal or farm of such stages, each
    /// of them gets this number.
    ///
    /// In a map the workers that serve an item together are meant, in a farm of maps those of each: their number changes between two items. In
    /// a map with state it changes with the next state, which is scattered over those that there are then. A fault-tolerant stage has at most
    /// as many workers as functions, an odd number from 3 on; the last ones leave.
    ///
    /// New replicas take items at once. A replica that leaves finishes the item in its hands first. No item is lost and none is served
    /// twice, and where results are in order, they stay so.
    ///
    /// # Errors
    /// No replica at all; a stage that is not replicated; a run that has not begun, or has ended.
    pub fn set_replicas<S, H>(&self, stage: StageOf<S, H>, replicas: u32) -> Result<(), Refused> {
        self.set_replicas_of(stage.id(), replicas)
    }

    /// As [`Self::set_replicas`], by the node of the stage.
    ///
    /// # Errors
    /// As there.
    pub fn set_replicas_of(&self, stage: StageId, replicas: u32) -> Result<(), Refused> {
        self.request(stage, Wanted::Exactly(replicas)).map(drop)
    }

    /// Adds a replica to a deal or farm, as [`Self::set_replicas`] does. The answer is the new number.
    ///
    /// # Errors
    /// As there.
    pub fn add_replica<S, H>(&self, stage: StageOf<S, H>) -> Result<u32, Refused> {
        self.request(stage.id(), Wanted::OneMore)
    }

    /// Removes a replica of a deal or farm, the one that came last, as [`Self::set_replicas`] does. The answer is the new number.
    ///
    /// # Errors
    /// As there; the last replica cannot be removed.
    pub fn remove_replica<S, H>(&self, stage: StageOf<S, H>) -> Result<u32, Refused> {
        self.request(stage.id(), Wanted::OneFewer)
    }

    fn request(&self, stage: StageId, wanted: Wanted) -> Result<u32, Refused> {
        let requests = match &lock(&self.0).run {
            Some(run) => run.requests.clone(),
            None => return Err(Refused::NotRunning),
        };
        let (answer, answered) = channel();
        requests.send(Request { stage, wanted, answer }).map_err(|_| Refused::Ended)?;
        drop(requests);
        answered.recv().unwrap_or(Err(Refused::Ended))
    }

    /// What was measured until now. None before the run and after it.
    #[must_use]
    pub fn snapshot(&self) -> Option<Snapshot> {
        let monitors = lock(&self.0).run.as_ref().map(|run| Arc::clone(&run.monitors))?;
        Some(monitors.snapshot())
    }

    /// What a run that was cancelled or drained still waits for, in words: the source, which a run cannot interrupt while it makes its next
    /// item, and tasks that have not left. Empty without a run.
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
        if state.is_cancelled {
            run.progress.cancel();
        }
        if state.is_draining {
            run.progress.drain();
        }
        state.run = Some(run);
    }

    /// The run ends: no more requests. If another run has the handle by now, it keeps it.
    pub(crate) fn detach(&self, progress: &Arc<Progress>) {
        let mut state = lock(&self.0);
        if state.run.as_ref().is_some_and(|run| Arc::ptr_eq(&run.progress, progress)) {
            state.run = None;
        }
    }
}
