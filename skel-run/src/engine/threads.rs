//! The threads of a run. They are started before they have something to do, so that a system that refuses one
//! has said so before anything has changed.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::engine::refused::Refused;
use crate::functions::Cause;
use crate::progress::{FailedItem, Progress, Who};
use crate::sync::mpsc::{Sender, channel};
use crate::sync::thread::Scope;
use crate::sync::{Arc, AtomicUsize, Mutex, Ordering, lock, start_thread};
use crate::team::Job;

/// The system refuses to start a thread, for this reason.
#[derive(Clone, Debug)]
pub(crate) struct NoThread(pub(crate) String);

impl From<NoThread> for Refused {
    fn from(NoThread(reason): NoThread) -> Self {
        Refused::NoThread(reason)
    }
}

/// Starts threads, and keeps those that the leaders of workers will need.
pub(crate) struct Threads<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    progress: Arc<Progress>,
    /// Threads for workers that their leaders have not asked for yet.
    kept: Mutex<Vec<Idle<'scope>>>,
    /// The threads of workers under a leader: those that are kept, and those at work.
    members: Arc<AtomicUsize>,
}

/// A thread that waits for its one job, a task with its number. It ends without one when this is dropped.
pub(crate) struct Idle<'scope>(Sender<(usize, Job<'scope>)>);

impl<'scope> Idle<'scope> {
    /// Gives it its job.
    pub(crate) fn give(self, task: usize, job: Job<'scope>) {
        // It waits for this as long as it is not dropped.
        let _ = self.0.send((task, job));
    }
}

/// Counts a thread for as long as it is there.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn in_sum(sum: &Arc<AtomicUsize>) -> Self {
        sum.fetch_add(1, Ordering::Relaxed);
        Counted(Arc::clone(sum))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl<'scope, 'env> Threads<'scope, 'env> {
    /// No threads yet.
    pub(crate) fn new(scope: &'scope Scope<'scope, 'env>, progress: Arc<Progress>) -> Arc<Self> {
        Arc::new(Threads { scope, progress, kept: Mutex::default(), members: Arc::default() })
    }

    /// So many threads, all or none.
    pub(crate) fn reserve(&self, count: usize) -> Result<Vec<Idle<'scope>>, NoThread> {
        (0..count).map(|_| self.start(None)).collect()
    }

    /// Sees to it that there are threads for so many workers under leaders, as soon as these ask for them.
    pub(crate) fn keep(&self, members: usize) -> Result<(), NoThread> {
        let missing = members.saturating_sub(self.members.load(Ordering::Relaxed));
        let new = (0..missing).map(|_| self.start(Some(Counted::in_sum(&self.members))));
        let new = new.collect::<Result<Vec<_>, _>>()?;
        lock(&self.kept).extend(new);
        Ok(())
    }

    /// Gives a worker under a leader a thread: one that was kept, or else a new one. Whether there is one.
    pub(crate) fn hire(&self, task: usize, job: Job<'scope>) -> bool {
        let kept = lock(&self.kept).pop();
        let idle = kept.or_else(|| self.start(Some(Counted::in_sum(&self.members))).ok());
        idle.map(|idle| idle.give(task, job)).is_some()
    }

    fn start(&self, counted: Option<Counted>) -> Result<Idle<'scope>, NoThread> {
        let (give, given) = channel::<(usize, Job<'scope>)>();
        let progress = Arc::clone(&self.progress);
        let work = move || {
            let _counted = counted;
            let Ok((task, job)) = given.recv() else { return };
            perform(&progress, task, job);
        };
        start_thread(self.scope, work).map_err(|error| NoThread(error.to_string()))?;
        Ok(Idle(give))
    }
}

fn perform(progress: &Progress, task: usize, job: Job<'_>) {
    // Functions of the user are caught where they are called. What panics here is the end of an item that it
    // could not be dropped, or a fault of ours; neither may look like the end of the stream.
    if let Err(thrown) = catch_unwind(AssertUnwindSafe(job)) {
        let cause = Cause::of_panic(&*thrown);
        progress.fail(FailedItem { who: Who::Task(task), place: 0, cause });
    }
}
