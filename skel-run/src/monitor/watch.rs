//! The clock of a replica's thread: which of its time was service, which was waiting, and which was neither.
//!
//! A reading of the clock is most of what a monitor costs. So there is one reading for each parcel, at the end of its service. What
//! happens between two services without any waiting (hand one parcel over, take the next) is measured for one parcel in about 16, and its
//! typical time is subtracted from the other intervals.

use super::clock::Clock;
use super::recorder::{For, Recorder, Tally, Timing};

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
    /// How much of the time since the last reading was no service, as far as that is known without another one.
    owed: u64,
    /// How much of it was services that are not timed, in the same way.
    ahead: u64,
    /// The typical time between two services without waiting; none before one was measured.
    hop: Option<u64>,
    last_service: u64,
    /// How many parcels are served until one is measured in all of its parts.
    until_sample: u32,
    random: u32,
}

impl<'a> Watch<'a> {
    /// The replica begins, in this thread.
    #[must_use]
    pub fn new(recorder: &'a Recorder) -> Self {
        let (clock, timing) = (recorder.clock.clone(), recorder.timing);
        let now = clock.now();
        let tally = recorder.read().begun(now);
        recorder.store_all(&tally);
        Watch {
            recorder,
            clock,
            timing,
            tally,
            last: now,
            is_fresh: true,
            phase: Phase::Moving,
            owed: 0,
            ahead: 0,
            hop: None,
            last_service: 0,
            until_sample: 0,
            random: now as u32 | 1,
        }
    }

    /// The thread begins to wait. Whoever looks meanwhile sees it wait. The wait ends with the next call of another method.
    #[cold]
    pub fn waiting(&mut self, what: For) {
        self.end_wait();
        self.end_overhead();
        self.leave_served();
        self.tally.waiting = Some((what, self.last));
        self.recorder.store_all(&self.tally);
    }

    /// So many items were taken. If the thread waited for them, it was starved since the last call.
    #[inline]
    pub fn took(&mut self, items: usize, has_waited: bool) {
        if has_waited || self.tally.waiting.is_some() {
            self.was_waiting(For::Items);
        } else if self.until_sample == 0 {
            self.measure_hop();
        } else if self.phase == Phase::Served {
            self.owed += self.hop.unwrap_or(0);
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
        self.count_down();
        self.recorder.store_served(&self.tally);
    }

    /// So many items were handed over. If the thread waited for room, it was blocked since the last call.
    #[inline]
    pub fn gave(&mut self, items: usize, has_waited: bool) {
        if has_waited || self.tally.waiting.is_some() {
            self.was_waiting(For::Room);
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
        } else if self.hop.is_some() || self.timing == Timing::Sampled {
            self.until_sample = self.next_distance();
        }
    }

    /// From 8 to 23, by a xorshift generator (G. Marsaglia, 2003).
    #[cold]
    fn next_distance(&mut self) -> u32 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        8 + (self.random >> 28)
    }

    /// What passed since the last reading was neither service nor waiting, if it is known what it was.
    fn end_overhead(&mut self) {
        let is_known = self.is_fresh && self.phase != Phase::Serving;
        let passed = self.lap();
        if is_known {
            self.tally.overhead += passed;
        }
    }

    /// The typical time follows the median of what is measured, so that a thread that lost its processor meanwhile does not count
    /// (Q. Ma, S. Muthukrishnan and M. Sandler, *Frugal streaming for estimating quantiles*, 2013).
    #[cold]
    fn measure_hop(&mut self) {
        let is_hop = self.is_fresh && self.phase == Phase::Served;
        let before = self.tally.overhead;
        self.end_overhead();
        let measured = self.tally.overhead - before;
        if is_hop {
            let step = |hop: u64| (hop / 16).max(1);
            self.hop = Some(match self.hop {
                None => measured,
                Some(hop) if measured > hop => hop + step(hop),
                Some(hop) if measured < hop => hop - step(hop).min(hop),
                Some(hop) => hop,
            });
        }
    }

    /// The thread waited, and it may have said when it began to.
    #[cold]
    fn was_waiting(&mut self, what: For) {
        if self.tally.waiting.is_none() && self.is_fresh {
            self.tally.waiting = Some((what, self.last));
        }
        self.end_wait();
        self.leave_served();
        self.recorder.store_all(&self.tally);
    }

    /// The time until the next service is not typical any more.
    fn leave_served(&mut self) {
        if self.phase == Phase::Served {
            self.phase = Phase::Moving;
        }
    }

    fn end_wait(&mut self) {
        if let Some((what, since)) = self.tally.waiting.take() {
            self.lap();
            let waited = self.last - since;
            match what {
                For::Items => self.tally.starved += waited,
                For::Room => self.tally.blocked += waited,
            }
        }
    }

    #[inline]
    fn count_taken(&mut self, items: usize) {
        self.phase = Phase::Serving;
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
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        self.end_wait();
        self.end_overhead();
        self.tally.left = Some(self.last);
        self.recorder.store_all(&self.tally);
    }
}
