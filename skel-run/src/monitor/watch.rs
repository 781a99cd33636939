//! The clock of a replica's thread: which of its time was service, which was waiting, and which was neither.
//!
//! A reading of the clock is most of what a monitor costs. Services of 10 microseconds and more, and all
//! waits, are timed from beginning to end. For shorter services there is one reading for each parcel, at the
//! end of its service: the time since the last reading is then the move from one service to the next and the
//! service, and only one parcel in about 16 tells how much of it was which. With
//! [`Timing::Sampled`](super::Timing::Sampled), parcels between two of these samples are only counted.

use super::clock::Clock;
use super::recorder::{For, Recorder, SHORTEST_WAIT, Timing};
use super::sample::Distances;

/// Services that are always timed, in nanoseconds: two readings are less than a hundredth of them.
const LONG_SERVICE: u64 = 10_000;

/// What the thread does now, unless it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// It moves items: it began, or its last wait ended.
    Moving,
    /// It moves items, and has not waited since its last service.
    Served,
    /// It serves items, since the last reading of the clock.
    Serving,
    /// It serves items, and has moved them before, since the last reading.
    MovedAndServing,
}

/// The clock of a replica's thread. Between two of its calls the thread did one thing: it was starved, busy
/// or blocked.
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
///     let recorder = &recorder;
///     scope.spawn(move || {
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
    /// Whether the thread announced that it waits.
    is_waiting: bool,
    /// Whether the last service was a long one.
    is_long: bool,
    /// How many parcels there are until the next sample.
    until_sample: u32,
    /// Whether what the thread does from its last service until the end of its next one is a sample.
    is_sample: bool,
    distances: Distances,
    /// Whether parcels are only counted.
    is_counting: bool,
    uncounted: Uncounted,
    is_fused: bool,
}

/// Parcels since the last reading that are not recorded yet.
#[derive(Debug, Default)]
struct Uncounted {
    taken: u64,
    parcels: u64,
    items: u64,
    given: u64,
}

impl<'a> Watch<'a> {
    /// The replica begins, in this thread. If another watch had this recorder before, the replica was starved
    /// since that one was dropped.
    #[must_use]
    pub fn new(recorder: &'a Recorder) -> Self {
        recorder.settle();
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
            is_long: false,
            until_sample: 0,
            is_sample: false,
            distances: Distances::seeded(now),
            is_counting: false,
            uncounted: Uncounted::default(),
            is_fused: false,
        }
    }

    /// The thread begins to wait. Who looks meanwhile sees it wait. The wait ends when the thread takes or
    /// gives.
    ///
    /// Who looks sees unannounced waits as well after 10 microseconds, unless services are sampled. So this
    /// is for threads of one's own with `Timing::Sampled`: then a wait between two samples counts as a whole.
    /// The threads of a run do not announce their waits. They would have to look for an item first and take
    /// it then, which costs something for every item.
    #[cold]
    pub fn waiting(&mut self, what: For) {
        self.end_wait();
        self.leave_served();
        match self.phase {
            _ if self.is_counting => self.record_uncounted(),
            // The part of a service that was before the wait is not timed.
            Phase::Serving | Phase::MovedAndServing => _ = self.lap(),
            Phase::Moving | Phase::Served => self.end_moving(),
        }
        self.is_waiting = true;
        self.recorder.write(|cells| cells.set_waiting(Some((what, self.last))));
    }

    /// So many items were taken. If the thread waited for them, it was starved since the last call.
    #[inline(always)]
    pub fn took(&mut self, items: usize, has_waited: bool) {
        self.recorder.settle();
        let was_announced = self.is_waiting;
        if was_announced {
            self.has_waited(For::Items);
        }
        if self.is_counting {
            self.uncounted.taken += items as u64;
            return;
        }
        if has_waited && !was_announced {
            return self.begin_service_after_wait(items as u64);
        }
        let phase = match self.phase {
            _ if was_announced => Phase::Serving,
            Phase::Served if self.until_sample > 0 && !self.is_long => Phase::MovedAndServing,
            Phase::Served | Phase::Moving => {
                self.end_moving();
                Phase::Serving
            }
            // The parcel before was not served, and its time is that of this one.
            serving => serving,
        };
        self.begin_service(items as u64, phase);
    }

    /// So many items were taken from a task that the same thread served until now. Since its own last service
    /// this replica was starved.
    #[inline]
    pub fn took_from(&mut self, items: usize, previous: &Watch) {
        self.recorder.settle();
        if !self.is_fused {
            self.is_fused = true;
            self.recorder.write(|cells| cells.is_fused.set(1));
        }
        if self.is_counting {
            self.uncounted.taken += items as u64;
            return;
        }
        self.last = if previous.is_counting { self.clock.now() } else { previous.last };
        self.begin_service(items as u64, Phase::Serving);
    }

    /// So many items were served: the thread was busy since the last call. If there were none, there was no
    /// service.
    #[inline(always)]
    pub fn served(&mut self, items: usize) {
        if items == 0 {
            return;
        }
        if self.is_counting {
            return self.count(items as u64);
        }
        let passed = self.lap();
        let (now, is_timed) = (self.last, self.phase != Phase::MovedAndServing);
        self.recorder.write(|cells| {
            cells.served.add(1);
            cells.items.add(items as u64);
            if is_timed {
                cells.service.add(passed);
                cells.add_square(passed);
            } else {
                cells.untimed.add(1);
                cells.unattributed.add(passed);
            }
            cells.set_waiting(Some((For::Room, now)));
        });
        self.phase = Phase::Served;
        self.is_long = passed >= LONG_SERVICE;
        if self.until_sample > 1 {
            self.until_sample -= 1;
        } else {
            self.choose_sample(passed);
        }
    }

    /// So many items were handed over. If the thread waited for room, it was blocked since the last call.
    #[inline(always)]
    pub fn gave(&mut self, items: usize, has_waited: bool) {
        if has_waited || self.is_waiting {
            self.has_waited(For::Room);
        }
        if self.is_counting {
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
    fn begin_service(&mut self, items: u64, phase: Phase) {
        self.phase = phase;
        let now = self.last;
        self.recorder.write(|cells| cells.begin_service(items, now));
    }

    /// The same after an unannounced wait. The first task begins each service so, since its thread takes from
    /// the source.
    #[inline]
    fn begin_service_after_wait(&mut self, items: u64) {
        self.leave_served();
        let waited = self.lap();
        self.phase = Phase::Serving;
        let (now, is_sample) = (self.last, self.is_sample);
        self.recorder.write(|cells| {
            cells.starved.add(waited);
            if is_sample {
                cells.sample.starved.add(waited);
            }
            cells.begin_service(items, now);
        });
    }

    /// Reads the clock. How long after the last reading.
    #[inline(always)]
    fn lap(&mut self) -> u64 {
        let before = self.last;
        self.last = self.clock.now().max(before);
        self.last - before
    }

    /// At the end of a service, which was a sample or comes before one.
    #[cold]
    fn choose_sample(&mut self, service: u64) {
        self.until_sample = 0;
        if self.is_long {
            self.is_sample = false;
        } else if self.is_sample {
            self.is_sample = false;
            self.until_sample = self.distances.next();
            self.is_counting = self.recorder.timing == Timing::Sampled;
            self.recorder.write(|cells| {
                cells.sample.service.add(service);
                if self.is_counting {
                    cells.set_waiting(None);
                }
            });
        } else {
            self.is_sample = true;
        }
    }

    /// Counts a parcel that is not timed. The last one before a sample reads when it ends.
    #[inline]
    fn count(&mut self, items: u64) {
        self.uncounted.parcels += 1;
        self.uncounted.items += items;
        self.until_sample -= 1;
        if self.until_sample == 0 {
            self.record_uncounted();
            self.phase = Phase::Served;
            self.is_counting = false;
            self.is_sample = true;
        }
    }

    /// Parcels that were counted since the last reading went through evenly, as far as one can tell.
    #[cold]
    fn record_uncounted(&mut self) {
        let before = self.last;
        let passed = self.lap();
        let (middle, now) = (before + passed / 2, self.last);
        let uncounted = std::mem::take(&mut self.uncounted);
        self.recorder.write(|cells| {
            cells.taken.add(uncounted.taken);
            cells.arrivals.add(middle.wrapping_mul(uncounted.taken));
            cells.served.add(uncounted.parcels);
            cells.untimed.add(uncounted.parcels);
            cells.unattributed.add(passed);
            cells.items.add(uncounted.items);
            cells.given.add(uncounted.given);
            cells.departures.add(middle.wrapping_mul(uncounted.given));
            if uncounted.given > 0 {
                cells.last_departure.set_moment(now);
            }
        });
    }

    /// What passed since the last reading was neither service nor wait.
    #[cold]
    fn end_moving(&mut self) {
        let passed = self.lap();
        self.recorder.write(|cells| {
            cells.overhead.add(passed);
            if self.is_sample {
                cells.sample.overhead.add(passed);
            }
        });
    }

    /// A parcel that waits is no sample of those that do not.
    #[inline]
    fn leave_served(&mut self) {
        if self.phase == Phase::Served {
            self.phase = Phase::Moving;
        }
        if self.recorder.timing == Timing::Every {
            self.is_sample = false;
        }
    }

    /// The thread waited, and it may have announced it. Unannounced waits between samples are known from
    /// samples.
    #[cold]
    fn has_waited(&mut self, what: For) {
        self.leave_served();
        if self.is_waiting {
            self.end_wait();
        } else if !self.is_counting {
            let waited = self.lap();
            self.recorder.write(|cells| {
                cells.waits(what).add(waited);
                if self.is_sample {
                    cells.sample.waits(what).add(waited);
                }
            });
        }
    }

    /// Ends an announced wait.
    fn end_wait(&mut self) {
        if !std::mem::take(&mut self.is_waiting) {
            return;
        }
        let waited = self.lap();
        self.recorder.write(|cells| {
            if let Some((what, _)) = cells.waiting() {
                cells.waits(what).add(waited);
            }
            cells.set_waiting(None);
        });
    }

    /// After its last service the thread may have waited for another item, and there was none.
    fn end_last_wait(&mut self) {
        let passed = self.lap();
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

    /// An item was taken that makes no result by itself: a state.
    fn kept(&mut self);

    /// A failed item is tried again.
    fn retried(&mut self);

    /// The worker panicked, and another took its place.
    fn replaced(&mut self);
}

impl Keeper for Watch<'_> {
    #[inline(always)]
    fn took(&mut self, items: usize, has_waited: bool) {
        Watch::took(self, items, has_waited);
    }

    #[inline(always)]
    fn served(&mut self, items: usize) {
        Watch::served(self, items);
    }

    #[inline(always)]
    fn gave(&mut self, items: usize, has_waited: bool) {
        Watch::gave(self, items, has_waited);
    }

    fn skipped(&mut self) {
        Watch::skipped(self);
    }

    fn kept(&mut self) {
        let now = self.clock.now();
        self.recorder.write(|cells| {
            cells.kept.add(1);
            cells.skips.add(now);
        });
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
        } else if self.is_counting {
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
