//! Where a replica records what it does: counts and times in cache lines of their own, which other threads read at any time.
//!
//! Only one thread writes, so it needs no read-modify-write: it keeps a copy of what it wrote (`Tally`) and stores what changes. A
//! version that is odd while it stores tells readers to look again (a sequence lock: H.-J. Boehm, *Can seqlocks get along with programming
//! language memory models?*, 2012). So what a reader sees belongs together, and no reader ever delays the writer.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU64, fence};

use crossbeam_utils::CachePadded;

use super::clock::Clock;

/// What a replica did, with times in nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// Items taken, and the sum of the moments at which they were, modulo 2^64.
    pub(super) taken: u64,
    pub(super) arrivals: u64,
    /// Parcels served, and the items in them.
    pub(super) served: u64,
    pub(super) items: u64,
    /// How many of the services were timed, the sum of their times, and the sum of the squares.
    pub(super) timed: u64,
    pub(super) service: u64,
    pub(super) squares: u128,
    /// Items handed over, and the sum of the moments at which they were, modulo 2^64.
    pub(super) given: u64,
    pub(super) departures: u64,
    /// Items left out, in the same way.
    pub(super) skipped: u64,
    pub(super) skips: u64,
    /// Time that was neither waited nor spent in the task's function.
    pub(super) overhead: u64,
    pub(super) starved: u64,
    pub(super) blocked: u64,
    pub(super) retried: u64,
    pub(super) replaced: u64,
    pub(super) first_arrival: Option<u64>,
    pub(super) last_departure: Option<u64>,
    pub(super) began: u64,
    pub(super) left: Option<u64>,
    /// What it waits for now, and since when.
    pub(super) waiting: Option<(For, u64)>,
    /// Whether its thread serves other tasks as well, in between.
    pub(super) is_fused: bool,
}

impl Tally {
    /// When another thread begins with it. If there was one before, nothing was served since then.
    pub(super) fn begun(mut self, now: u64) -> Self {
        match self.left.take() {
            Some(left) => self.starved += now.saturating_sub(left),
            None => self.began = now,
        }
        self
    }
}

/// What a replica waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum For {
    /// Items: it is starved.
    Items,
    /// Room for what it has served: it is blocked.
    Room,
}

/// Which services are timed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timing {
    /// All of them.
    #[default]
    Every,
    /// One in about 16, at random distances, so that no rhythm of the program can hide from them. Waits are timed where the
    /// thread says that it begins to wait.
    Sampled,
}

/// Where one replica records what it does. Only the thread that has its [`Watch`](super::Watch) writes it.
#[derive(Debug)]
pub struct Recorder {
    pub(super) clock: Clock,
    pub(super) timing: Timing,
    cells: CachePadded<Cells>,
}

/// A tally whose parts can be read while they are written.
#[derive(Debug, Default)]
struct Cells {
    version: AtomicU64,
    taken: AtomicU64,
    arrivals: AtomicU64,
    served: AtomicU64,
    items: AtomicU64,
    timed: AtomicU64,
    service: AtomicU64,
    squares: [AtomicU64; 2],
    given: AtomicU64,
    departures: AtomicU64,
    overhead: AtomicU64,
    starved: AtomicU64,
    blocked: AtomicU64,
    skipped: AtomicU64,
    skips: AtomicU64,
    retried: AtomicU64,
    replaced: AtomicU64,
    /// A moment plus 1; 0 stands for none.
    first_arrival: AtomicU64,
    last_departure: AtomicU64,
    began: AtomicU64,
    left: AtomicU64,
    /// 0 for nothing, 1 for items, 2 for room.
    waiting: AtomicU64,
    since: AtomicU64,
    is_fused: AtomicU64,
}

impl Recorder {
    pub(super) fn new(clock: Clock, timing: Timing) -> Self {
        let tally = Tally { began: clock.now(), ..Tally::default() };
        let recorder = Recorder { clock, timing, cells: CachePadded::default() };
        recorder.store_all(&tally);
        recorder
    }

    /// What was recorded until now. It looks again while the replica's thread is storing.
    pub(super) fn read(&self) -> Tally {
        loop {
            let before = self.cells.version.load(Acquire);
            let tally = self.cells.read_all();
            fence(Acquire);
            if before % 2 == 0 && self.cells.version.load(Relaxed) == before {
                return tally;
            }
            // A thread that lost its processor while it stored needs it back.
            std::thread::yield_now();
        }
    }

    #[inline]
    pub(super) fn store_taken(&self, tally: &Tally) {
        self.store(|cells| cells.write_taken(tally));
    }

    #[inline]
    pub(super) fn store_served(&self, tally: &Tally) {
        self.store(|cells| cells.write_served(tally));
    }

    #[inline]
    pub(super) fn store_given(&self, tally: &Tally) {
        self.store(|cells| cells.write_given(tally));
    }

    pub(super) fn store_all(&self, tally: &Tally) {
        self.store(|cells| cells.write_all(tally));
    }

    #[inline]
    fn store(&self, write: impl FnOnce(&Cells)) {
        let version = self.cells.version.load(Relaxed);
        self.cells.version.store(version + 1, Relaxed);
        fence(Release);
        write(&self.cells);
        self.cells.version.store(version + 2, Release);
    }
}

impl Cells {
    #[inline]
    fn write_taken(&self, tally: &Tally) {
        self.taken.store(tally.taken, Relaxed);
        self.arrivals.store(tally.arrivals, Relaxed);
    }

    #[inline]
    fn write_served(&self, tally: &Tally) {
        self.served.store(tally.served, Relaxed);
        self.items.store(tally.items, Relaxed);
        self.timed.store(tally.timed, Relaxed);
        self.service.store(tally.service, Relaxed);
        self.squares[0].store(tally.squares as u64, Relaxed);
        self.squares[1].store((tally.squares >> 64) as u64, Relaxed);
        self.overhead.store(tally.overhead, Relaxed);
    }

    #[inline]
    fn write_given(&self, tally: &Tally) {
        self.given.store(tally.given, Relaxed);
        self.departures.store(tally.departures, Relaxed);
        self.last_departure.store(moment(tally.last_departure), Relaxed);
    }

    fn write_all(&self, tally: &Tally) {
        self.write_taken(tally);
        self.write_served(tally);
        self.write_given(tally);
        self.starved.store(tally.starved, Relaxed);
        self.blocked.store(tally.blocked, Relaxed);
        self.skipped.store(tally.skipped, Relaxed);
        self.skips.store(tally.skips, Relaxed);
        self.retried.store(tally.retried, Relaxed);
        self.replaced.store(tally.replaced, Relaxed);
        self.first_arrival.store(moment(tally.first_arrival), Relaxed);
        self.began.store(tally.began, Relaxed);
        self.left.store(moment(tally.left), Relaxed);
        self.is_fused.store(u64::from(tally.is_fused), Relaxed);
        let (waiting, since) = match tally.waiting {
            None => (0, 0),
            Some((For::Items, since)) => (1, since),
            Some((For::Room, since)) => (2, since),
        };
        self.waiting.store(waiting, Relaxed);
        self.since.store(since, Relaxed);
    }

    fn read_all(&self) -> Tally {
        let since = self.since.load(Relaxed);
        Tally {
            taken: self.taken.load(Relaxed),
            arrivals: self.arrivals.load(Relaxed),
            served: self.served.load(Relaxed),
            items: self.items.load(Relaxed),
            timed: self.timed.load(Relaxed),
            service: self.service.load(Relaxed),
            squares: u128::from(self.squares[0].load(Relaxed))
                | u128::from(self.squares[1].load(Relaxed)) << 64,
            given: self.given.load(Relaxed),
            departures: self.departures.load(Relaxed),
            overhead: self.overhead.load(Relaxed),
            starved: self.starved.load(Relaxed),
            blocked: self.blocked.load(Relaxed),
            skipped: self.skipped.load(Relaxed),
            skips: self.skips.load(Relaxed),
            retried: self.retried.load(Relaxed),
            replaced: self.replaced.load(Relaxed),
            first_arrival: self.first_arrival.load(Relaxed).checked_sub(1),
            last_departure: self.last_departure.load(Relaxed).checked_sub(1),
            began: self.began.load(Relaxed),
            left: self.left.load(Relaxed).checked_sub(1),
            waiting: match self.waiting.load(Relaxed) {
                0 => None,
                1 => Some((For::Items, since)),
                _ => Some((For::Room, since)),
            },
            is_fused: self.is_fused.load(Relaxed) != 0,
        }
    }
}

/// A moment as it is stored.
fn moment(moment: Option<u64>) -> u64 {
    moment.map_or(0, |moment| moment + 1)
}
