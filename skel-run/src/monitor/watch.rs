//! The clock of a replica's thread: which of its time was service, which was waiting, and which was neither.
//!
//! A reading of the clock is most of what a monitor costs. So there is one reading for each parcel, at the end of its service. What
//! happens between two services without any waiting (hand one parcel over, take the next) is measured for one parcel in about 16, and its
//! typical time is subtracted from the other intervals.

use super::clock::Clock;
use super::recorder::{For, Recorder, SHORTEST_WAIT, Tally, Timing};
use super::sample::{Distances, Median};

/// What the thread does now, unless it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// It moves items: it began, or its last wait for room ended.
    Moving,
    /// It moves items, and has not waited since its last service.
    Served,
    /// It serves items.
    Serving,
}

/// The clock of a replica's thread. Between two of its calls the thread did one thing: it was starved, busy or blocked.
///
/// When it is dropped, the replica has left.
#[derive(Debug)]
pub struct Watch<'a> {
    recorder: &'a Recorder,
    clock: Clock,
    timing: Timing,
    tally: Tally,
    /// The last reading of the clock.
    last: u64,
    /// Whether that reading was at the end of what the thread did before `phase`, or in it.
    is_fresh: bool,
    phase: Phase,
    /// Whether the thread said that it waits.
    is_waiting: bool,
    /// How much of the time since the last reading was no service, as far as that is known without another one.
    owed: u64,
    /// How much of it was services and waits that are not timed, in the same way.
    ahead: u64,
    /// The typical time between two services without waiting.
    hop: Median,
    /// The last that were timed.
    last_service: u64,
    last_starved: u64,
    last_blocked: u64,
    /// How many parcels are served until one is measured in all of its parts.
    until_sample: u32,
    distances: Distances,
}

impl<'a> Watch<'a> {
    /// The replica begins, in this thread.
    #[must_use]
    pub fn new(recorder: &'a Recorder) -> Self {
        let (clock, timing) = (recorder.clock.clone(), recorder.timing);
        let now = clock.now();
        let mut tally = recorder.read().begun(now);
        tally.waiting = whole(timing, For::Items, now);
        recorder.store_all(&tally);
        Watch {
            recorder,
            clock,
            timing,
            tally,
            last: now,
            is_fresh: true,
            phase: Phase::Moving,
            is_waiting: false,
            owed: 0,
            ahead: 0,
            hop: Median::default(),
            last_service: 0,
            last_starved: 0,
            last_blocked: 0,
            until_sample: 0,
            distances: Distances::seeded(now),
        }
    }

    /// The thread begins to wait. Whoever looks meanwhile sees it wait. The wait ends with the next call of another method.
    #[cold]
    pub fn waiting(&mut self, what: For) {
        self.end_wait();
        self.end_overhead();
        self.leave_served();
        self.is_waiting = true;
        self.tally.waiting = Some((what, self.last));
        self.recorder.store_all(&self.tally);
    }

    /// So many items were taken. If the thread waited for them, it was starved since the last call.
    #[inline]
    pub fn took(&mut self, items: usize, has_waited: bool) {
        if has_waited || self.is_waiting {
            self.has_waited(For::Items);
        } else if self.until_sample == 0 {
            self.measure_hop();
        } else if self.phase == Phase::Served {
            self.owed += self.hop.get().unwrap_or(0);
        }
        self.count_taken(items);
    }

    /// So many items were taken from a task that the same thread served until now. Since its own last service this replica was starved.
    #[inline]
    pub fn took_from(&mut self, items: usize, previous: &Watch) {
        (self.last, self.is_fresh) = (previous.last, previous.is_fresh);
        (self.owed, self.ahead) = (previous.owed, previous.ahead);
        self.tally.is_fused = true;
        if self.until_sample == 0 && !self.is_fresh {
            self.lap();
        }
        self.count_taken(items);
    }

    /// So many items were served: the thread was busy since the last call. If there were none, there was no service.
    #[inline]
    pub fn served(&mut self, items: usize) {
        if items == 0 {
            return;
        }
        self.tally.served += 1;
        self.tally.items += items as u64;
        if self.timing == Timing::Every || self.until_sample == 0 {
            self.time_service();
        } else {
            self.leave_untimed();
        }
        self.phase = Phase::Served;
        self.tally.waiting = whole(self.timing, For::Room, self.last);
        self.count_down();
        self.recorder.store_served(&self.tally);
    }

    /// So many items were handed over. If the thread waited for room, it was blocked since the last call.
    #[inline]
    pub fn gave(&mut self, items: usize, has_waited: bool) {
        if has_waited || self.is_waiting {
            self.has_waited(For::Room);
        }
        self.count_given(items);
        self.recorder.store_given(&self.tally);
    }

    /// An item failed for good, and was left out.
    #[cold]
    pub fn skipped(&mut self) {
        self.tally.skipped += 1;
        self.tally.skips = self.tally.skips.wrapping_add(self.about_now());
        self.recorder.store_all(&self.tally);
    }

    /// A failed item is tried again.
    #[cold]
    pub fn retried(&mut self) {
        self.tally.retried += 1;
        self.recorder.store_all(&self.tally);
    }

    /// The worker panicked, and another took its place.
    #[cold]
    pub fn replaced(&mut self) {
        self.tally.replaced += 1;
        self.recorder.store_all(&self.tally);
    }

    /// Reads the clock. How long after the last reading, without the time that is known to be no service.
    #[inline]
    fn lap(&mut self) -> u64 {
        let now = self.clock.now().max(self.last);
        let passed = now - self.last;
        let owed = self.owed.min(passed);
        self.tally.overhead += owed;
        self.last = now;
        self.is_fresh = true;
        self.owed = 0;
        self.ahead = 0;
        passed - owed
    }

    /// The moment, as far as it is known without a reading.
    #[inline]
    fn about_now(&self) -> u64 {
        self.last + self.owed + self.ahead
    }

    #[inline]
    fn time_service(&mut self) {
        let service = self.lap();
        self.last_service = service;
        self.tally.timed += 1;
        self.tally.service += service;
        self.tally.squares += u128::from(service) * u128::from(service);
    }

    /// The service before one that is timed tells when it ends, so that the time between both is known.
    #[inline]
    fn leave_untimed(&mut self) {
        if self.until_sample == 1 {
            self.lap();
        } else {
            self.is_fresh = false;
            self.ahead += self.last_service;
        }
    }

    #[inline]
    fn count_down(&mut self) {
        if self.until_sample > 0 {
            self.until_sample -= 1;
        } else if self.hop.get().is_some() || self.timing == Timing::Sampled {
            self.until_sample = self.distances.next();
        }
    }

    /// What passed since the last reading was neither service nor waiting, if it is known what it was.
    fn end_overhead(&mut self) {
        let is_known = self.is_fresh && self.phase != Phase::Serving;
        let passed = self.lap();
        if is_known {
            self.tally.overhead += passed;
        }
    }

    #[cold]
    fn measure_hop(&mut self) {
        let is_hop = self.is_fresh && self.phase == Phase::Served;
        let before = self.tally.overhead;
        self.end_overhead();
        if is_hop {
            self.hop.add(self.tally.overhead - before);
        }
    }

    /// The thread waited. If it did not say when it began to, and the last reading is too old to tell, the wait was as long as the last one.
    #[cold]
    fn has_waited(&mut self, what: For) {
        if self.is_waiting {
            self.end_wait();
        } else if self.is_fresh {
            let waited = self.lap();
            *self.last_wait(what) = waited;
            *self.waits(what) += waited;
        } else {
            let waited = *self.last_wait(what);
            *self.waits(what) += waited;
            self.ahead += waited;
        }
        self.leave_served();
        self.recorder.store_waits(&self.tally);
    }

    /// After its last service the thread may have waited for another item, and there was none.
    fn end_last(&mut self) {
        let before = self.tally.overhead;
        self.end_overhead();
        let passed = self.tally.overhead - before;
        if let Some((what, _)) = self.tally.waiting.filter(|_| passed >= SHORTEST_WAIT) {
            self.tally.overhead = before;
            *self.waits(what) += passed;
        }
    }

    fn end_wait(&mut self) {
        if let (true, Some((what, since))) = (self.is_waiting, self.tally.waiting.take()) {
            self.lap();
            *self.waits(what) += self.last - since;
        }
        self.is_waiting = false;
    }

    fn waits(&mut self, what: For) -> &mut u64 {
        match what {
            For::Items => &mut self.tally.starved,
            For::Room => &mut self.tally.blocked,
        }
    }

    fn last_wait(&mut self, what: For) -> &mut u64 {
        match what {
            For::Items => &mut self.last_starved,
            For::Room => &mut self.last_blocked,
        }
    }

    /// The time until the next service is not typical any more.
    fn leave_served(&mut self) {
        if self.phase == Phase::Served {
            self.phase = Phase::Moving;
        }
    }

    #[inline]
    fn count_taken(&mut self, items: usize) {
        self.phase = Phase::Serving;
        self.tally.waiting = None;
        let now = self.about_now();
        self.tally.taken += items as u64;
        self.tally.arrivals = self.tally.arrivals.wrapping_add(now.wrapping_mul(items as u64));
        if self.tally.first_arrival.is_none() {
            self.tally.first_arrival = Some(now);
            self.recorder.store_all(&self.tally);
        }
        self.recorder.store_taken(&self.tally);
    }

    #[inline]
    fn count_given(&mut self, items: usize) {
        let now = self.about_now();
        self.tally.given += items as u64;
        self.tally.departures = self.tally.departures.wrapping_add(now.wrapping_mul(items as u64));
        self.tally.last_departure = Some(now);
        self.tally.waiting = whole(self.timing, For::Items, self.last);
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if !self.is_waiting {
            self.end_last();
        }
        self.end_wait();
        self.tally.waiting = None;
        self.tally.left = Some(self.last);
        self.recorder.store_all(&self.tally);
    }
}

/// Where every service is timed, who looks can tell from the last reading how long the thread has been moving items, and whether it waits.
#[inline]
fn whole(timing: Timing, what: For, since: u64) -> Option<(For, u64)> {
    (timing == Timing::Every).then_some((what, since))
}
