//! What a leader has of the run: threads for the other workers, how many there should be, and their monitors.

use crate::monitor::{MemberWatch, Moments, Monitors, Recorder};
use crate::sync::{Arc, AtomicUsize, Ordering};

/// What a thread does, ready to be given to one.
pub(crate) type Job<'a> = Box<dyn FnOnce() + Send + 'a>;

/// Gives a job of a task, by its number, a thread of the run.
pub(crate) type Spawn<'a> = Arc<dyn Fn(usize, Job<'a>) + Send + Sync + 'a>;

/// How many workers there should be, which other threads may change.
pub(crate) type Wanted = Arc<AtomicUsize>;

/// What the leader of workers that serve an item together has of the run.
pub struct Hands<'a> {
    /// Whether an item is done as soon as the majority have replied.
    pub(crate) is_early: bool,
    /// The number of the task.
    pub(crate) task: usize,
    pub(crate) wanted: Wanted,
    pub(crate) spawn: Spawn<'a>,
    pub(crate) monitors: Arc<Monitors>,
    pub(crate) moments: Arc<Moments>,
    /// Where the leader's own work is recorded.
    pub(crate) leader: Arc<Recorder>,
}

impl<'a> Hands<'a> {
    /// How many workers there should be now.
    pub(super) fn wanted(&self) -> usize {
        self.wanted.load(Ordering::Acquire).max(1)
    }

    /// The clock of the leader as a worker.
    pub(super) fn leader_watch(&self) -> MemberWatch {
        MemberWatch::new(Arc::clone(&self.leader), Arc::clone(&self.moments))
    }

    /// Gives another worker a thread and a clock.
    pub(super) fn hire(&self, work: impl FnOnce(MemberWatch) + Send + 'a) {
        let recorder = self.monitors.member(self.task, &self.moments);
        let moments = Arc::clone(&self.moments);
        (self.spawn)(self.task, Box::new(move || work(MemberWatch::new(recorder, moments))));
    }
}
