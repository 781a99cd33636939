//! The recorders of all replicas of a run, and what they say at a moment.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use skel_core::skeleton::StageId;

use super::clock::Clock;
use super::figures::{ReplicaFigures, Snapshot, TaskFigures, scv};
use super::moments::Moments;
use super::recorder::{For, Recorder, SHORTEST_WAIT, Tally, Timing};

/// The monitors of a run: for each task those of its replicas.
#[derive(Debug)]
pub struct Monitors {
    clock: Clock,
    pub(super) timing: Timing,
    tasks: Vec<TaskMonitor>,
    #[cfg(feature = "affinity")]
    processors: crate::sync::Processors,
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
    /// Monitors for these tasks, whose time begins now, with [`Timing::Every`].
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
        Monitors {
            clock,
            timing,
            tasks: tasks.into_iter().map(task).collect(),
            #[cfg(feature = "affinity")]
            processors: crate::sync::Processors::new(),
        }
    }

    /// The recorder of another replica of a task, by the number of the task in the order of the skeleton.
    ///
    /// # Panics
    /// If there is no such task.
    pub fn replica(&self, task: usize) -> Arc<Recorder> {
        self.add(task, self.recorder())
    }

    /// The recorders of a thread that serves so many tasks in turn, the first ones.
    pub(crate) fn line(&self, tasks: usize) -> Vec<Arc<Recorder>> {
        #[cfg(feature = "affinity")]
        let berth = self.processors.berth();
        let recorder = |task| {
            #[cfg(feature = "affinity")]
            let recorder = Recorder::new(self.clock.clone(), self.timing, Arc::clone(&berth));
            #[cfg(not(feature = "affinity"))]
            let recorder = self.recorder();
            self.add(task, recorder)
        };
        (0..tasks).map(recorder).collect()
    }

    /// The recorder of another worker of several that serve an item together, as [`Self::replica`]. `number`
    /// says which of them it is.
    pub(crate) fn member(&self, task: usize, team: &Arc<Moments>, number: usize) -> Arc<Recorder> {
        self.recorder_of_team(task, team, Some(number))
    }

    /// The recorder of a thread that hands out items to such workers, and is none of them.
    pub(crate) fn coordinator(&self, task: usize, team: &Arc<Moments>) -> Arc<Recorder> {
        self.recorder_of_team(task, team, None)
    }

    fn recorder_of_team(&self, task: usize, team: &Arc<Moments>, worker: Option<usize>) -> Arc<Recorder> {
        self.add(task, self.recorder().in_team(team, worker))
    }

    fn recorder(&self) -> Recorder {
        Recorder::new(
            self.clock.clone(),
            self.timing,
            #[cfg(feature = "affinity")]
            self.processors.berth(),
        )
    }

    fn add(&self, task: usize, recorder: Recorder) -> Arc<Recorder> {
        let recorder = Arc::new(recorder);
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
            let now = self.clock.now();
            let figures = match &recorder.team {
                None => figures(&tally, now),
                Some(team) if recorder.worker.is_some() => of_member(&tally, team, now),
                Some(_) => of_coordinator(&tally, now),
            };
            ReplicaFigures { worker: recorder.worker, processor: recorder.processor(), ..figures }
        });
        let figures = figures.collect();
        (flow, figures)
    }
}

#[cfg(feature = "affinity")]
impl Monitors {
    /// From now on each thread that begins stays on a processor: the first on the first, and so on around.
    pub(crate) fn pin(&self) {
        self.processors.give_out();
    }

    /// How many processors the run may use.
    pub(crate) fn processors(&self) -> usize {
        self.processors.count()
    }

    /// Has the thread of a replica move to this processor, by its place among the replicas of the task.
    /// Whether it is there.
    pub(crate) fn move_replica(&self, task: StageId, replica: usize, processor: usize) -> bool {
        let task = self.tasks.iter().find(|known| known.id == task);
        let recorder = task.and_then(|task| task.replicas().get(replica).cloned());
        let present = recorder.filter(|recorder| recorder.read().left.is_none());
        present.map(|recorder| recorder.berth.want(processor)).is_some()
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

/// The time that items spent inside until now: each that came in, and each that went out, is given by their
/// number and the sum of the moments.
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
    let waiting = tally.waiting.filter(|&(_, since)| now.saturating_sub(since) >= SHORTEST_WAIT);
    let gone = gone(tally);
    let nanoseconds = Duration::from_nanos;
    let Parts { service, busy, starved, blocked, overhead } = Parts::of(tally, waiting, now);
    ReplicaFigures {
        worker: None,
        processor: None,
        served: tally.served,
        items: tally.items,
        taken: tally.taken,
        given: tally.given,
        busy: nanoseconds(busy),
        starved: nanoseconds(starved),
        blocked: nanoseconds(blocked),
        awaiting: nanoseconds(tally.awaiting),
        overhead: nanoseconds(overhead),
        service: nanoseconds(service),
        timed: tally.timed,
        timed_service: nanoseconds(tally.service),
        squares: tally.squares,
        scv: scv(tally.timed, nanoseconds(tally.service), tally.squares),
        in_hand: if tally.left.is_some() { 0 } else { tally.taken.saturating_sub(gone.0) },
        held: held((tally.taken, tally.arrivals), gone, now),
        states: tally.states,
        renewing: nanoseconds(tally.renewing),
        kept: tally.kept,
        skipped: tally.skipped,
        retried: tally.retried,
        replaced: tally.replaced,
        first_arrival: tally.first_arrival.map(nanoseconds),
        last_departure: tally.last_departure.map(nanoseconds),
        waiting: waiting.map(|(what, since)| (what, nanoseconds(since))),
        began: nanoseconds(tally.began),
        left: tally.left.map(nanoseconds),
    }
}

/// What one of several workers did that serve an item together. What it waits for, the moments of the team
/// tell.
fn of_member(tally: &Tally, team: &Moments, now: u64) -> ReplicaFigures {
    let Some((For::Others, since)) = tally.waiting else { return figures(tally, now) };
    let (idle, what) = team.idle(since, tally.left.unwrap_or(now));
    let tally = Tally {
        starved: tally.starved + idle.starved,
        blocked: tally.blocked + idle.blocked,
        awaiting: tally.awaiting + idle.awaiting,
        overhead: tally.overhead + idle.overhead,
        waiting: None,
        ..*tally
    };
    ReplicaFigures { waiting: Some((what, Duration::from_nanos(since))), ..figures(&tally, now) }
}

/// How many items a replica has no more, and the sum of the moments at which they went.
fn gone(tally: &Tally) -> (u64, u64) {
    (tally.given + tally.kept + tally.skipped, tally.departures.wrapping_add(tally.skips))
}

/// What a thread counted that serves no items. It takes no part in the times of the task, and counts as one
/// that has left.
fn of_coordinator(tally: &Tally, now: u64) -> ReplicaFigures {
    let counted = figures(&Tally { left: Some(tally.began), waiting: None, ..*tally }, now);
    let gone = gone(tally);
    let held = held((tally.taken, tally.arrivals), gone, now);
    ReplicaFigures { held, in_hand: tally.taken.saturating_sub(gone.0), ..counted }
}

/// How long a replica did what, in nanoseconds.
struct Parts {
    /// The services that have ended.
    service: u64,
    /// With what goes on.
    busy: u64,
    starved: u64,
    blocked: u64,
    overhead: u64,
}

impl Parts {
    fn of(tally: &Tally, waiting: Option<(For, u64)>, now: u64) -> Self {
        let wait = |what: For| match waiting {
            Some((waiting, since)) if waiting == what => now.saturating_sub(since),
            _ => 0,
        };
        let there = now.saturating_sub(tally.began);
        let (starved, blocked) = (tally.starved + wait(For::Items), tally.blocked + wait(For::Room));
        let parts = match tally.is_fused {
            true => Parts::of_fused(tally, starved, blocked, there),
            false => Parts::with_shares(tally, starved, blocked, there),
        };
        Parts { service: parts.service.min(there), ..parts }
    }

    /// Time of which only the sum is known is shared out as in the samples.
    fn with_shares(tally: &Tally, starved: u64, blocked: u64, there: u64) -> Self {
        let all: u128 = tally.sample.iter().map(|&part| u128::from(part)).sum();
        let share = |part: u64| {
            let product = u128::from(tally.unattributed) * u128::from(part);
            product.checked_div(all).map_or(0, |share| share as u64)
        };
        let [_, moving, waiting, waiting_for_room] = tally.sample.map(share);
        let service = tally.service + tally.unattributed - moving - waiting - waiting_for_room;
        let (starved, blocked) = (starved + waiting, blocked + waiting_for_room);
        let overhead = tally.overhead + moving;
        let busy = there.saturating_sub(starved + blocked + tally.awaiting + overhead);
        Parts { service, busy, starved, blocked, overhead }
    }

    /// A thread that serves other tasks as well is starved of this one while it does.
    fn of_fused(tally: &Tally, starved: u64, blocked: u64, there: u64) -> Self {
        let all = u128::from(tally.service) * u128::from(tally.served);
        let service = all.checked_div(u128::from(tally.timed)).map_or(0, |service| service as u64);
        let rest = there.saturating_sub(starved + blocked + tally.overhead);
        let busy = service.min(rest);
        Parts { service, busy, starved: starved + rest - busy, blocked, overhead: tally.overhead }
    }
}
