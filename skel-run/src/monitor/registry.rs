//! The recorders of all replicas of a run, and what they say at a moment.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use skel_core::skeleton::StageId;

use super::clock::Clock;
use super::figures::{ReplicaFigures, Snapshot, TaskFigures, scv};
use super::recorder::{For, Recorder, Tally, Timing};

/// The monitors of a run: for each task those of its replicas.
#[derive(Debug)]
pub struct Monitors {
    clock: Clock,
    timing: Timing,
    tasks: Vec<TaskMonitor>,
}

#[derive(Debug)]
struct TaskMonitor {
    id: StageId,
    name: String,
    replicas: Mutex<Vec<Arc<Recorder>>>,
}

/// What the replicas of a task counted, for the queue behind it.
#[derive(Clone, Copy, Default)]
struct Flow {
    taken: u64,
    arrivals: u64,
    given: u64,
    departures: u64,
}

impl Monitors {
    /// Monitors for these tasks, whose time begins now. Every service is timed.
    pub fn of(tasks: impl IntoIterator<Item = (StageId, String)>) -> Arc<Self> {
        Monitors::timed(Timing::Every, tasks)
    }

    /// Monitors for these tasks, whose time begins now.
    pub fn timed(timing: Timing, tasks: impl IntoIterator<Item = (StageId, String)>) -> Arc<Self> {
        Arc::new(Monitors::with_clock(Clock::start(), timing, tasks))
    }

    pub(super) fn with_clock(
        clock: Clock,
        timing: Timing,
        tasks: impl IntoIterator<Item = (StageId, String)>,
    ) -> Self {
        let task = |(id, name)| TaskMonitor { id, name, replicas: Mutex::default() };
        Monitors { clock, timing, tasks: tasks.into_iter().map(task).collect() }
    }

    /// The recorder of another replica of a task, by the number of the task in the order of the skeleton.
    ///
    /// # Panics
    /// If there is no such task.
    pub fn replica(&self, task: usize) -> Arc<Recorder> {
        let recorder = Arc::new(Recorder::new(self.clock.clone(), self.timing));
        self.tasks[task].replicas().push(Arc::clone(&recorder));
        recorder
    }

    /// What was done until now. It delays no replica.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        // The last task first: then no queue has given what its task has not taken yet.
        let read = self.tasks.iter().rev().map(|task| self.read(task)).collect::<Vec<_>>();
        let at = self.clock.now();
        let mut before = None;
        let tasks = self.tasks.iter().zip(read.into_iter().rev()).map(|(task, (flow, replicas))| {
            let queue = before.replace(flow).map(|before| queue(before, flow, at));
            let (queue, queued) = queue.map_or((None, Duration::ZERO), |(now, sum)| (Some(now), sum));
            TaskFigures { id: task.id, name: task.name.clone(), queue, queued, replicas }
        });
        Snapshot { from: Duration::ZERO, at: Duration::from_nanos(at), tasks: tasks.collect() }
    }

    fn read(&self, task: &TaskMonitor) -> (Flow, Vec<ReplicaFigures>) {
        let recorders = task.replicas().clone();
        let mut flow = Flow::default();
        let figures = recorders.iter().map(|recorder| {
            let tally = recorder.read();
            flow.add(&tally);
            figures(&tally, self.clock.now())
        });
        let figures = figures.collect();
        (flow, figures)
    }
}

impl TaskMonitor {
    /// A list to which replicas are only added is whole also after a panic.
    fn replicas(&self) -> MutexGuard<'_, Vec<Arc<Recorder>>> {
        self.replicas.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Flow {
    fn add(&mut self, tally: &Tally) {
        self.taken += tally.taken;
        self.given += tally.given;
        self.arrivals = self.arrivals.wrapping_add(tally.arrivals);
        self.departures = self.departures.wrapping_add(tally.departures);
    }
}

/// How many items are between two tasks now, and for how long all of them together were.
fn queue(before: Flow, task: Flow, now: u64) -> (u64, Duration) {
    let queued = held((before.given, before.departures), (task.taken, task.arrivals), now);
    (before.given.saturating_sub(task.taken), queued)
}

/// The time that items spent inside until now: each that came in, and each that went out, is given by their number and the sum of the moments.
///
/// It is the integral of the number inside. Sums are modulo 2^64, and so is their difference, which is small.
fn held(came: (u64, u64), went: (u64, u64), now: u64) -> Duration {
    let inside = |(count, moments): (u64, u64)| count.wrapping_mul(now).wrapping_sub(moments);
    let held = inside(came).wrapping_sub(inside(went)) as i64;
    Duration::from_nanos(u64::try_from(held).unwrap_or(0))
}

/// What a replica did until now, with what it does now.
fn figures(tally: &Tally, now: u64) -> ReplicaFigures {
    let now = tally.left.unwrap_or(now);
    let wait = |what: For| match tally.waiting {
        Some((waiting, since)) if waiting == what => now.saturating_sub(since),
        _ => 0,
    };
    let (starved, blocked) = (tally.starved + wait(For::Items), tally.blocked + wait(For::Room));
    let rest = now.saturating_sub(tally.began).saturating_sub(starved + blocked + tally.overhead);
    let (busy, starved) = match typical_busy(tally) {
        Some(busy) if tally.is_fused => (busy.min(rest), starved + rest.saturating_sub(busy)),
        _ => (rest, starved),
    };
    let nanoseconds = Duration::from_nanos;
    let gone = (tally.given + tally.skipped, tally.departures.wrapping_add(tally.skips));
    ReplicaFigures {
        served: tally.served,
        items: tally.items,
        taken: tally.taken,
        given: tally.given,
        busy: nanoseconds(busy),
        starved: nanoseconds(starved),
        blocked: nanoseconds(blocked),
        overhead: nanoseconds(tally.overhead),
        timed: tally.timed,
        service: nanoseconds(tally.service),
        squares: tally.squares,
        scv: scv(tally.timed, nanoseconds(tally.service), tally.squares),
        held: held((tally.taken, tally.arrivals), gone, now),
        skipped: tally.skipped,
        retried: tally.retried,
        replaced: tally.replaced,
        first_arrival: tally.first_arrival.map(nanoseconds),
        last_departure: tally.last_departure.map(nanoseconds),
        waiting: tally.waiting.map(|(what, since)| (what, nanoseconds(since))),
        began: nanoseconds(tally.began),
        left: tally.left.map(nanoseconds),
    }
}

/// How long all services took, by those that were timed.
fn typical_busy(tally: &Tally) -> Option<u64> {
    let all = u128::from(tally.service) * u128::from(tally.served);
    all.checked_div(u128::from(tally.timed)).map(|busy| busy as u64)
}
