//! What a leader has of the run: threads for the other workers, how many there should be, and their monitors.

use crate::monitor::{MemberWatch, Moments, Monitors, Recorder};
use crate::sync::Arc;
use crate::team::shares::Shares;
use crate::team::staff::Staff;

/// What a thread does, ready to be given to one.
pub(crate) type Job<'a> = Box<dyn FnOnce() + Send + 'a>;

/// Gives a job of a task, by its number, a thread of the run. Whether the system had one.
pub(crate) type Spawn<'a> = Arc<dyn Fn(usize, Job<'a>) -> bool + Send + Sync + 'a>;

/// What the leader of workers that serve an item together has of the run.
pub struct Hands<'a> {
    /// Whether an item is done as soon as the majority have replied.
    pub(crate) is_early: bool,
    /// The number of the task.
    pub(crate) task: usize,
    pub(crate) staff: Arc<Staff>,
    /// Which of the changes of the staff are known, and the shares since then.
    pub(crate) known: (usize, Shares),
    pub(crate) spawn: Spawn<'a>,
    pub(crate) monitors: Arc<Monitors>,
    pub(crate) moments: Arc<Moments>,
    /// Where the leader's own work is recorded.
    pub(crate) leader: Arc<Recorder>,
}

impl<'a> Hands<'a> {
    /// Looks at who should serve the next item.
    pub(super) fn look(&mut self) {
        let (seen, shares) = &mut self.known;
        if let Some(changed) = self.staff.since(seen) {
            *shares = changed;
        }
    }

    /// The parts of those who should serve an item, as it was when last looked at.
    pub(super) fn shares(&self) -> &Shares {
        &self.known.1
    }

    /// The clock of the leader as a worker.
    pub(super) fn leader_watch(&self) -> MemberWatch {
        MemberWatch::new(Arc::clone(&self.leader), Arc::clone(&self.moments))
    }

    /// Gives the worker of this number a thread and a clock. Whether the system had a thread.
    pub(super) fn hire(&self, number: usize, work: impl FnOnce(MemberWatch) + Send + 'a) -> bool {
        let recorder = self.monitors.member(self.task, &self.moments, number);
        // A clock that gets no thread is dropped, and so has left.
        let watch = MemberWatch::new(recorder, Arc::clone(&self.moments));
        (self.spawn)(self.task, Box::new(move || work(watch)))
    }
}
