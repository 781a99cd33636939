//! The clocks of workers that serve one item together: each has its own, and one of their threads leads them.
//!
//! A worker that is done with its part waits for the others until the item is complete. Then all of them are
//! blocked until the item is handed over, and starved until the next one is taken. A worker sleeps meanwhile.
//! So the leader notes the moments at which these things happen, and a worker that begins with its next part
//! looks at them to know what it waited for. Whoever takes a snapshot does the same.

use std::sync::Arc;
use std::sync::atomic::Ordering::Release;

use super::moments::{For, Idle, Moments};
use super::recorder::{Cells, Recorder};
use super::watch::Keeper;

/// The clock of one worker.
#[derive(Debug)]
pub(crate) struct MemberWatch {
    recorder: Arc<Recorder>,
    moments: Arc<Moments>,
    /// When it began with what it does now, or ended what it did.
    last: u64,
}

/// The clock of the thread that leads the workers. It counts items. It does not measure what the leader does,
/// who may be a worker as well.
#[derive(Debug)]
pub(crate) struct LeaderWatch {
    recorder: Arc<Recorder>,
    moments: Arc<Moments>,
    /// The states among the items that it serves now.
    states: u64,
}

impl MemberWatch {
    /// The worker begins, in this thread.
    pub(crate) fn new(recorder: Arc<Recorder>, moments: Arc<Moments>) -> Self {
        let now = recorder.clock.now();
        recorder.write(|cells| {
            cells.began.set(now);
            cells.set_waiting(Some((For::Others, now)));
        });
        MemberWatch { recorder, moments, last: now }
    }

    /// It begins to serve.
    pub(crate) fn begins(&mut self) {
        self.recorder.settle();
        let now = self.end_idle();
        self.last = now;
    }

    /// It has served an item, or taken a state.
    pub(crate) fn ends(&mut self, is_state: bool) {
        let now = self.recorder.clock.now();
        let service = now.saturating_sub(self.last);
        self.last = now;
        self.recorder.write(|cells| {
            if is_state {
                cells.states.add(1);
                cells.renewing.add(service);
            } else {
                cells.served.add(1);
                cells.service.add(service);
                cells.add_square(service);
            }
            cells.set_waiting(Some((For::Others, now)));
        });
    }

    /// It panicked, and another takes its place.
    #[cold]
    pub(crate) fn replaced(&mut self) {
        self.recorder.write(|cells| cells.replaced.add(1));
    }

    fn end_idle(&self) -> u64 {
        let now = self.recorder.clock.now();
        let (idle, _) = self.moments.idle(self.last, now);
        self.recorder.write(|cells| {
            add_idle(cells, idle);
            cells.set_waiting(None);
        });
        now
    }
}

fn add_idle(cells: &Cells, idle: Idle) {
    cells.starved.add(idle.starved);
    cells.awaiting.add(idle.awaiting);
    cells.blocked.add(idle.blocked);
    cells.overhead.add(idle.overhead);
}

impl Drop for MemberWatch {
    fn drop(&mut self) {
        let now = self.end_idle();
        self.recorder.write(|cells| cells.left.set_moment(now));
    }
}

impl LeaderWatch {
    /// The leader begins, in this thread.
    pub(crate) fn new(recorder: Arc<Recorder>, moments: Arc<Moments>) -> Self {
        recorder.settle();
        LeaderWatch { recorder, moments, states: 0 }
    }
}

/// The item is complete: from now on the workers wait until it is handed over.
pub(crate) fn complete(recorder: &Recorder, moments: &Moments) {
    moments.completed.store(recorder.clock.now(), Release);
}

impl Keeper for LeaderWatch {
    fn took(&mut self, items: usize, _: bool) {
        self.recorder.settle();
        let now = self.recorder.clock.now();
        self.moments.taken.store(now, Release);
        self.recorder.write(|cells| {
            cells.taken.add(items as u64);
            cells.arrivals.add(now.wrapping_mul(items as u64));
            if cells.first_arrival.moment().is_none() {
                cells.first_arrival.set_moment(now);
            }
        });
    }

    fn served(&mut self, items: usize) {
        complete(&self.recorder, &self.moments);
        let states = std::mem::take(&mut self.states);
        self.recorder.write(|cells| cells.items.add(items as u64 - states));
    }

    fn gave(&mut self, items: usize, _: bool) {
        let now = self.recorder.clock.now();
        self.moments.given.store(now, Release);
        self.recorder.write(|cells| {
            cells.given.add(items as u64);
            cells.departures.add(now.wrapping_mul(items as u64));
            cells.last_departure.set_moment(now);
        });
    }

    fn skipped(&mut self) {
        let now = self.recorder.clock.now();
        self.recorder.write(|cells| {
            cells.skipped.add(1);
            cells.skips.add(now);
        });
    }

    fn kept(&mut self) {
        self.states += 1;
        let now = self.recorder.clock.now();
        self.recorder.write(|cells| {
            cells.kept.add(1);
            cells.skips.add(now);
        });
    }

    fn retried(&mut self) {
        self.recorder.write(|cells| cells.retried.add(1));
    }

    fn replaced(&mut self) {
        self.recorder.write(|cells| cells.replaced.add(1));
    }
}
