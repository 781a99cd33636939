//! Where a replica records what it does: counts and times in cache lines of their own, which other threads
//! read at any time.
//!
//! Only one thread writes, so it needs no read-modify-write. A version that is odd while it writes tells
//! readers to look again (a sequence lock: H.-J. Boehm, *Can seqlocks get along with programming language
//! memory models?*, 2012). So what a reader sees belongs together, and no reader ever delays the writer.

use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU64, fence};

use crossbeam_utils::CachePadded;

pub use super::moments::For;

use super::clock::Clock;
use super::moments::Moments;

/// How often the clock is read for services of less than 10 microseconds. Longer ones are always timed from
/// their beginning to their end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timing {
    /// Once for each parcel that does not wait, and for one in about 16 at each of its steps: 18 ns of
    /// processor time for a parcel.
    #[default]
    Every,
    /// Only for one parcel in about 16, at random distances, so that no rhythm of the program can hide from
    /// them: 4 ns for a parcel. Counts are up to 23 parcels late. Waits are whole where the thread announces
    /// them; others are known from samples.
    Sampled,
}

/// A thread that moves items for a shorter time does not seem to wait: 10 microseconds.
pub(super) const SHORTEST_WAIT: u64 = 10_000;

/// Where one replica records what it does. Only the thread that has its [`Watch`](super::Watch) writes it.
#[derive(Debug)]
pub struct Recorder {
    pub(super) clock: Clock,
    pub(super) timing: Timing,
    /// The moments of its team, if it is one of several that serve an item together.
    pub(super) team: Option<Arc<Moments>>,
    /// Which worker of its team its thread is. None of one that leads workers and serves no items itself: the
    /// recorder counts what it takes and hands on.
    pub(super) worker: Option<usize>,
    /// Which processor its thread stays on, and should move to. The tasks that a thread serves in turn have
    /// it in common.
    #[cfg(feature = "affinity")]
    pub(super) berth: Arc<crate::sync::Berth>,
    cells: CachePadded<Cells>,
}

/// A number that one thread writes.
#[derive(Debug, Default)]
pub(super) struct Cell(AtomicU64);

/// What a replica did, with times in nanoseconds since the start of the run.
#[derive(Debug, Default)]
pub(super) struct Cells {
    version: AtomicU64,
    /// Items taken, and the sum of the moments at which they were, modulo 2^64.
    pub(super) taken: Cell,
    pub(super) arrivals: Cell,
    /// What it waits for now, if it still does what it did at that moment: the moment times 4, plus 1 for
    /// items, 2 for room and 3 for the other workers of its item; 0 for nothing.
    pub(super) waiting: Cell,
    /// Parcels served, the items in them, and how many parcels were not timed.
    pub(super) served: Cell,
    pub(super) items: Cell,
    pub(super) untimed: Cell,
    /// The sum of the service times that were timed, and that of their squares, in two halves.
    pub(super) service: Cell,
    pub(super) squares: [Cell; 2],
    /// Time that is known to be neither service nor wait.
    pub(super) overhead: Cell,
    /// Time of which only the sum is known, and what time like it was in samples.
    pub(super) unattributed: Cell,
    pub(super) sample: Sample,
    /// Items handed over, and the sum of the moments at which they were, modulo 2^64.
    pub(super) given: Cell,
    pub(super) departures: Cell,
    /// Moments are stored plus 1; 0 stands for none.
    pub(super) last_departure: Cell,
    pub(super) first_arrival: Cell,
    pub(super) starved: Cell,
    pub(super) blocked: Cell,
    /// Time that it waited for the other workers of its item.
    pub(super) awaiting: Cell,
    /// States that it took, and the sum of the times for that.
    pub(super) states: Cell,
    pub(super) renewing: Cell,
    /// Items that made no result by themselves, items left out, and the sum of the moments of both, modulo
    /// 2^64.
    pub(super) kept: Cell,
    pub(super) skipped: Cell,
    pub(super) skips: Cell,
    pub(super) retried: Cell,
    pub(super) replaced: Cell,
    pub(super) began: Cell,
    pub(super) left: Cell,
    /// Whether its thread serves other tasks as well, in between.
    pub(super) is_fused: Cell,
}

/// What samples were, in sum.
#[derive(Debug, Default)]
pub(super) struct Sample {
    pub(super) service: Cell,
    pub(super) overhead: Cell,
    pub(super) starved: Cell,
    pub(super) blocked: Cell,
}

/// What the cells said at a moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tally {
    pub(super) taken: u64,
    pub(super) arrivals: u64,
    pub(super) waiting: Option<(For, u64)>,
    pub(super) served: u64,
    pub(super) items: u64,
    pub(super) timed: u64,
    pub(super) service: u64,
    pub(super) squares: u128,
    pub(super) overhead: u64,
    pub(super) unattributed: u64,
    /// Service, overhead, starved and blocked in samples.
    pub(super) sample: [u64; 4],
    pub(super) given: u64,
    pub(super) departures: u64,
    pub(super) last_departure: Option<u64>,
    pub(super) first_arrival: Option<u64>,
    pub(super) starved: u64,
    pub(super) blocked: u64,
    pub(super) awaiting: u64,
    pub(super) states: u64,
    pub(super) renewing: u64,
    pub(super) kept: u64,
    pub(super) skipped: u64,
    pub(super) skips: u64,
    pub(super) retried: u64,
    pub(super) replaced: u64,
    pub(super) began: u64,
    pub(super) left: Option<u64>,
    pub(super) is_fused: bool,
}

impl Recorder {
    pub(super) fn new(
        clock: Clock,
        timing: Timing,
        #[cfg(feature = "affinity")] berth: Arc<crate::sync::Berth>,
    ) -> Self {
        let cells = Cells::default();
        cells.began.set(clock.now());
        Recorder {
            clock,
            timing,
            team: None,
            worker: None,
            #[cfg(feature = "affinity")]
            berth,
            cells: CachePadded::new(cells),
        }
    }

    /// The recorder of a thread in a team: the worker of this number, or a thread that serves no items.
    pub(super) fn in_team(self, team: &Arc<Moments>, worker: Option<usize>) -> Self {
        Recorder { team: Some(Arc::clone(team)), worker, ..self }
    }

    /// Its thread, which calls this, moves to another processor if it should.
    #[inline]
    pub(super) fn settle(&self) {
        #[cfg(feature = "affinity")]
        self.berth.settle();
    }

    /// The processor that its thread stays on; none if it moves as the system likes.
    pub(super) fn processor(&self) -> Option<usize> {
        #[cfg(feature = "affinity")]
        return self.berth.at();
        #[cfg(not(feature = "affinity"))]
        None
    }

    /// What was recorded until now. It looks again while the replica's thread writes.
    pub(super) fn read(&self) -> Tally {
        loop {
            let before = self.cells.version.load(Acquire);
            let tally = self.cells.tally();
            fence(Acquire);
            if before.is_multiple_of(2) && self.cells.version.load(Relaxed) == before {
                return tally;
            }
            // A thread that lost its processor while it wrote needs it back.
            std::thread::yield_now();
        }
    }

    /// What is written here is seen together. Only the replica's thread may call it.
    #[inline]
    pub(super) fn write<T>(&self, write: impl FnOnce(&Cells) -> T) -> T {
        let version = self.cells.version.load(Relaxed);
        self.cells.version.store(version + 1, Relaxed);
        fence(Release);
        let written = write(&self.cells);
        self.cells.version.store(version + 2, Release);
        written
    }
}

impl Cell {
    #[inline]
    pub(super) fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }

    #[inline]
    pub(super) fn set(&self, value: u64) {
        self.0.store(value, Relaxed);
    }

    #[inline]
    pub(super) fn add(&self, more: u64) {
        self.set(self.get().wrapping_add(more));
    }

    #[inline]
    pub(super) fn set_moment(&self, moment: u64) {
        self.set(moment + 1);
    }

    #[inline]
    pub(super) fn moment(&self) -> Option<u64> {
        self.get().checked_sub(1)
    }
}

impl Sample {
    fn all(&self) -> [u64; 4] {
        [&self.service, &self.overhead, &self.starved, &self.blocked].map(Cell::get)
    }

    pub(super) fn waits(&self, what: For) -> &Cell {
        match what {
            For::Items => &self.starved,
            For::Room | For::Others => &self.blocked,
        }
    }
}

impl Cells {
    /// So many items were taken at a moment, and are served from now on.
    #[inline]
    pub(super) fn begin_service(&self, items: u64, now: u64) {
        self.taken.add(items);
        self.arrivals.add(now.wrapping_mul(items));
        self.set_waiting(None);
        if self.first_arrival.get() == 0 {
            self.first_arrival.set_moment(now);
        }
    }

    #[inline]
    pub(super) fn add_square(&self, of: u64) {
        let square = u128::from(of) * u128::from(of);
        let (low, is_carried) = self.squares[0].get().overflowing_add(square as u64);
        self.squares[0].set(low);
        let high = (square >> 64) as u64 + u64::from(is_carried);
        if high != 0 {
            self.squares[1].add(high);
        }
    }

    #[inline]
    pub(super) fn set_waiting(&self, waiting: Option<(For, u64)>) {
        self.waiting.set(match waiting {
            None => 0,
            Some((For::Items, since)) => since << 2 | 1,
            Some((For::Room, since)) => since << 2 | 2,
            Some((For::Others, since)) => since << 2 | 3,
        });
    }

    pub(super) fn waiting(&self) -> Option<(For, u64)> {
        let waiting = self.waiting.get();
        match waiting & 3 {
            0 => None,
            1 => Some((For::Items, waiting >> 2)),
            2 => Some((For::Room, waiting >> 2)),
            _ => Some((For::Others, waiting >> 2)),
        }
    }

    /// Where waits of this kind are summed up.
    pub(super) fn waits(&self, what: For) -> &Cell {
        match what {
            For::Items => &self.starved,
            For::Room => &self.blocked,
            For::Others => &self.awaiting,
        }
    }

    fn tally(&self) -> Tally {
        let served = self.served.get();
        Tally {
            taken: self.taken.get(),
            arrivals: self.arrivals.get(),
            waiting: self.waiting(),
            served,
            items: self.items.get(),
            timed: served.wrapping_sub(self.untimed.get()),
            service: self.service.get(),
            squares: u128::from(self.squares[0].get()) | u128::from(self.squares[1].get()) << 64,
            overhead: self.overhead.get(),
            unattributed: self.unattributed.get(),
            sample: self.sample.all(),
            given: self.given.get(),
            departures: self.departures.get(),
            last_departure: self.last_departure.moment(),
            first_arrival: self.first_arrival.moment(),
            starved: self.starved.get(),
            blocked: self.blocked.get(),
            awaiting: self.awaiting.get(),
            states: self.states.get(),
            renewing: self.renewing.get(),
            kept: self.kept.get(),
            skipped: self.skipped.get(),
            skips: self.skips.get(),
            retried: self.retried.get(),
            replaced: self.replaced.get(),
            began: self.began.get(),
            left: self.left.moment(),
            is_fused: self.is_fused.get() != 0,
        }
    }
}
