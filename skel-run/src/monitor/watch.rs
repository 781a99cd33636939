//! The clock of a replica's thread: which of its time was service, which was waiting, and which was neither.
//!
//! A reading of the clock is most of what a monitor costs. So there is one reading for each parcel, at the end of its service. What
//! happens between two services without any waiting (hand one parcel over, take the next) is measured for one parcel in about 16, and its
//! typical time is subtracted from the other intervals. With [`Timing::Sampled`], parcels between two samples are only counted.

use super::clock::Clock;
use super::recorder::{For, Recorder, SHORTEST_WAIT, Timing};
use super::sample::{Distances, Median};

/// Services of 10 microseconds and more are always timed: two readings are less than a hundredth of them.
const LONG_SERVICE: u64 = 10_000;

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
///
/// # Examples
/// ```
/// use skel_core::skeleton::StageId;
/// use skel_run::monitor::{For, Monitors, Watch};
///
/// let monitors = Monitors::of([(StageId(0), "sharpen".to_owned())]);
/// let recorder = monitors.replica(0);
/// let (send, receive) = std::sync::mpsc::channel();
/// std::thread::scope(|scope| {
///     scope.spawn(|| {
///         let mut watch = Watch::new(&recorder);
///         watch.waiting(For::Items);
///         while let Ok(picture) = receive.recv() {
///             watch.took(1, true);
///             let sharpened = picture + 1;
///             watch.served(1);
///             drop(sharpened);
///             watch.gave(1, false);
///             watch.waiting(For::Items);
///         }
///     });
///     (0..100).for_each(|picture| send.send(picture).unwrap());
///     drop(send);
/// });
/// let figures = monitors.snapshot();
/// assert_eq!(figures.tasks[0].items(), 100);
/// assert!(figures.has_ended());
/// ```
#[derive(Debug)]
pub struct Watch<'a> {
    recorder: &'a Recorder,
    clock: Clock,
    /// The last reading of the clock.
    last: u64,
    phase: Phase,
    /// Whether the thread said that it waits.
    is_waiting: bool,
    /// How much of the time since the last reading was neither service nor wait, as far as that is known.
    owed: u64,
    /// The typical time between two services without waiting.
    hop: Median,
    /// How many parcels are served until the next time between two services is measured.
    until_sample: u32,
    distances: Distances,
    /// How many parcels are counted until the next one that is timed.
    until_timed: u32,
    uncounted: Uncounted,
    last_starved: u64,
    last_blocked: u64,
    is_fused: bool,
}

/// Parcels since the last reading that are neither timed nor recorded yet.
#[derive(Debug, Default)]
struct Uncounted {
    taken: u64,
    parcels: u64,
    items: u64,
    given: u64,
    /// Unannounced waits, each as long as the last one that was timed.
    starved: u64,
    blocked: u64,
}

impl<'a> Watch<'a> {
    /// The replica begins, in this thread. If another watch had this recorder before, the replica was starved since that one was dropped.
    #[must_use]
    pub fn new(recorder: &'a Recorder) -> Self {
        let clock = recorder.clock.clone();
        let now = clock.now();
        recorder.write(|cells| {
            match cells.left.moment() {
                Some(left) => cells.starved.add(now.saturating_sub(left)),
                None => cells.began.set(now),
            }
            cells.left.set(0);
            cells.set_waiting(Some((For::Items, now)));
        });
        Watch {
            recorder,
            clock,
            last: now,
            phase: Phase::Moving,
            is_waiting: false,
            owed: 0,
            hop: Median::default(),
            until_sample: 0,
            distances: Distances::seeded(now),
            until_timed: 0,
            uncounted: Uncounted::default(),
            last_starved: 0,
            last_blocked: 0,
            is_fused: false,
        }
    }

    /// The thread begins to wait. Who looks meanwhile sees it wait. The wait ends when the thread takes or gives.
    ///
    /// Who looks sees unannounced waits as well after 10 microseconds, unless services are sampled.
    #[cold]
    pub fn waiting(&mut self, what: For) {
        self.end_wait();
        match self.phase {
            // What passed since the last reading is the part of a service.
            Phase::Serving if self.until_timed == 0 => _ = self.lap(),
            _ => self.end_moving(),
        }
        self.leave_served();
        self.is_waiting = true;
        self.recorder.write(|cells| cells.set_waiting(Some((what, self.last))));
    }

    /// So many items were taken. If the thread waited for them, it was starved since the last call.
    #[inline]
    pub fn took(&mut self, items: usize, has_waited: bool) {
        let has_waited = has_waited || self.is_waiting;
        if has_waited {
            self.has_waited(For::Items);
        }
        if self.until_timed > 0 {
            self.uncounted.taken += items as u64;
            return;
        }
        if self.until_sample == 0 && !has_waited {
            self.end_moving();
        } else if self.phase == Phase::Served {
            self.owed = self.hop.get().unwrap_or(0);
        }
        self.begin_service(items as u64);
    }

    /// So many items were taken from a task that the same thread served until now. Since its own last service this replica was starved.
    #[inline]
    pub fn took_from(&mut self, items: usize, previous: &Watch) {
        if !self.is_fused {
            self.is_fused = true;
            self.recorder.write(|cells| cells.is_fused.set(1));
        }
        if self.until_timed > 0 {
            self.uncounted.taken += items as u64;
            return;
        }
        self.last = if previous.until_timed > 0 { self.clock.now() } else { previous.last };
        self.owed = 0;
        self.begin_service(items as u64);
    }

    /// So many items were served: the thread was busy since the last call. If there were none, there was no service.
    #[inline]
    pub fn served(&mut self, items: usize) {
        if items == 0 {
            return;
        }
        if self.until_timed > 0 {
            self.count(items as u64);
            return;
        }
        let (service, overhead) = self.lap();
        let now = self.last;
        self.recorder.write(|cells| {
            cells.served.add(1);
            cells.items.add(items as u64);
            cells.service.add(service);
            cells.add_square(service);
            cells.overhead.add(overhead);
            cells.set_waiting(Some((For::Room, now)));
        });
        self.phase = Phase::Served;
        if self.until_sample > 0 {
            self.until_sample -= 1;
        } else {
            self.choose_next(service);
        }
    }

    /// So many items were handed over. If the thread waited for room, it was blocked since the last call.
    #[inline]
    pub fn gave(&mut self, items: usize, has_waited: bool) {
        if has_waited || self.is_waiting {
            self.has_waited(For::Room);
        }
        if self.until_timed > 0 {
            self.uncounted.given += items as u64;
            return;
        }
        let now = self.last;
        self.recorder.write(|cells| {
            cells.given.add(items as u64);
            cells.departures.add(now.wrapping_mul(items as u64));
            cells.last_departure.set_moment(now);
            cells.set_waiting(Some((For::Items, now)));
        });
    }

    /// An item failed for good, and was left out.
    #[cold]
    pub fn skipped(&mut self) {
        let now = self.clock.now();
        self.recorder.write(|cells| {
            cells.skipped.add(1);
            cells.skips.add(now);
        });
    }

    /// A failed item is tried again.
    #[cold]
    pub fn retried(&mut self) {
        self.recorder.write(|cells| cells.retried.add(1));
    }

    /// The worker panicked, and another took its place.
    #[cold]
    pub fn replaced(&mut self) {
        self.recorder.write(|cells| cells.replaced.add(1));
    }

    #[inline]
    fn begin_service(&mut self, items: u64) {
        self.phase = Phase::Serving;
        let now = self.last + self.owed;
        self.recorder.write(|cells| {
            cells.taken.add(items);
            cells.arrivals.add(now.wrapping_mul(items));
            cells.set_waiting(None);
            if cells.first_arrival.get() == 0 {
                cells.first_arrival.set_moment(now);
            }
        });
    }

    /// Reads the clock. How long after the last reading: without what is owed, and what is owed.
    #[inline]
    fn lap(&mut self) -> (u64, u64) {
        let now = self.clock.now().max(self.last);
        let passed = now - self.last;
        let owed = self.owed.min(passed);
        self.owed = 0;
        self.last = now;
        (passed - owed, owed)
    }

    /// After a sample: how many parcels until the next one.
    #[cold]
    fn choose_next(&mut self, service: u64) {
        if self.recorder.timing == Timing::Sampled && service < LONG_SERVICE {
            self.until_timed = self.distances.next();
            self.recorder.write(|cells| cells.set_waiting(None));
        } else if self.hop.get().is_some() {
            self.until_sample = self.distances.next();
        }
    }

    /// Counts a parcel that is not timed. The last one before a sample reads when it ends, so that the time until the sample begins is known.
    #[inline]
    fn count(&mut self, items: u64) {
        self.uncounted.parcels += 1;
        self.uncounted.items += items;
        self.until_timed -= 1;
        if self.until_timed == 0 {
            self.record_uncounted();
            self.phase = Phase::Served;
        }
    }

    /// Parcels that were counted since the last reading went through evenly, as far as one can tell.
    #[cold]
    fn record_uncounted(&mut self) {
        let before = self.last;
        let (passed, _) = self.lap();
        let middle = before + passed / 2;
        let now = self.last;
        let uncounted = std::mem::take(&mut self.uncounted);
        let hop = self.hop.get().unwrap_or(0);
        let starved = uncounted.starved.min(passed);
        let blocked = uncounted.blocked.min(passed - starved);
        let overhead = hop.saturating_mul(uncounted.parcels).min(passed - starved - blocked);
        self.recorder.write(|cells| {
            cells.taken.add(uncounted.taken);
            cells.arrivals.add(middle.wrapping_mul(uncounted.taken));
            cells.served.add(uncounted.parcels);
            cells.untimed.add(uncounted.parcels);
            cells.items.add(uncounted.items);
            cells.given.add(uncounted.given);
            cells.departures.add(middle.wrapping_mul(uncounted.given));
            if uncounted.given > 0 {
                cells.last_departure.set_moment(now);
            }
            cells.overhead.add(overhead);
            cells.starved.add(starved);
            cells.blocked.add(blocked);
        });
    }

    /// What passed since the last reading was no service, unless one goes on.
    #[cold]
    fn end_moving(&mut self) {
        if self.until_timed > 0 {
            return self.record_uncounted();
        }
        if self.phase == Phase::Serving {
            return;
        }
        let (passed, owed) = self.lap();
        self.recorder.write(|cells| cells.overhead.add(passed + owed));
        if self.phase == Phase::Served {
            self.hop.add(passed);
        }
    }

    /// The time until the next service is not typical any more.
    fn leave_served(&mut self) {
        if self.phase == Phase::Served {
            self.phase = Phase::Moving;
        }
    }

    /// The thread waited, and it may have announced it.
    #[cold]
    fn has_waited(&mut self, what: For) {
        let (last, uncounted) = match what {
            For::Items => (&mut self.last_starved, &mut self.uncounted.starved),
            For::Room | For::Others => (&mut self.last_blocked, &mut self.uncounted.blocked),
        };
        if self.is_waiting {
            self.end_wait();
        } else if self.until_timed > 0 {
            *uncounted += *last;
        } else {
            let before = self.last;
            self.last = self.clock.now().max(before);
            *last = self.last - before;
            let waited = *last;
            self.recorder.write(|cells| cells.waits(what).add(waited));
        }
        self.leave_served();
    }

    /// Ends an announced wait.
    fn end_wait(&mut self) {
        if !std::mem::take(&mut self.is_waiting) {
            return;
        }
        let since = self.last;
        self.lap();
        let waited = self.last - since;
        self.recorder.write(|cells| {
            if let Some((what, _)) = cells.waiting() {
                cells.waits(what).add(waited);
            }
            cells.set_waiting(None);
        });
    }

    /// After its last service the thread may have waited for another item, and there was none.
    fn end_last_wait(&mut self) {
        let before = self.last;
        self.lap();
        let passed = self.last - before;
        self.recorder.write(|cells| match cells.waiting() {
            Some((what, _)) if passed >= SHORTEST_WAIT => cells.waits(what).add(passed),
            Some(_) => cells.overhead.add(passed),
            None => {}
        });
    }
}

/// What a thread tells of the parcels of a replica.
pub(crate) trait Keeper {
    /// So many items were taken. Whether the thread waited for them.
    fn took(&mut self, items: usize, has_waited: bool);

    /// So many items were served.
    fn served(&mut self, items: usize);

    /// So many items were handed over. Whether the thread waited for room.
    fn gave(&mut self, items: usize, has_waited: bool);

    /// An item failed for good, and was left out.
    fn skipped(&mut self);

    /// A failed item is tried again.
    fn retried(&mut self);

    /// The worker panicked, and another took its place.
    fn replaced(&mut self);
}

impl Keeper for Watch<'_> {
    #[inline]
    fn took(&mut self, items: usize, has_waited: bool) {
        Watch::took(self, items, has_waited);
    }

    #[inline]
    fn served(&mut self, items: usize) {
        Watch::served(self, items);
    }

    #[inline]
    fn gave(&mut self, items: usize, has_waited: bool) {
        Watch::gave(self, items, has_waited);
    }

    fn skipped(&mut self) {
        Watch::skipped(self);
    }

    fn retried(&mut self) {
        Watch::retried(self);
    }

    fn replaced(&mut self) {
        Watch::replaced(self);
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if self.is_waiting {
            self.end_wait();
        } else if self.until_timed > 0 {
            self.record_uncounted();
        } else {
            self.end_last_wait();
        }
        self.recorder.write(|cells| {
            cells.set_waiting(None);
            cells.left.set_moment(self.last);
        });
    }
}
