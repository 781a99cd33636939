//! A replica of a task, with what it did.

use std::time::Duration;

use skel_run::monitor::{For, ReplicaFigures};

/// Nanoseconds since the start.
pub(super) type Moment = u64;

/// What a replica does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    Starved,
    Busy,
    Blocked,
    Left,
}

/// A replica of a task, or of workers that serve an item together.
#[derive(Clone, Debug)]
pub(super) struct Replica {
    pub(super) place: usize,
    /// Which replica of each deal and farm around it it is in.
    pub(super) path: Vec<u32>,
    pub(super) doing: Doing,
    since: Moment,
    /// The buffers from which it takes, and the queue in which it waits there.
    pub(super) input: Option<usize>,
    pub(super) lane: usize,
    /// The deals in which it has to wait for its turn, and which member it is.
    pub(super) turns: Vec<(usize, u32)>,
    pub(super) output: Option<usize>,
    /// The buffer in which it puts items, if it has one of its own.
    pub(super) own_buffer: Option<usize>,
    /// How many deals and farms are around the one whose replica leaves, and it with it.
    pub(super) leaves: Option<usize>,
    /// The workers who serve an item together; one of a task.
    pub(super) workers: Vec<Worker>,
    taken: u64,
    given: u64,
    held: u64,
    first_arrival: Option<Moment>,
    last_departure: Option<Moment>,
}

/// One worker.
#[derive(Clone, Debug, Default)]
pub(super) struct Worker {
    began: Moment,
    left: Option<Moment>,
    /// When it ends its part of the item.
    until: Moment,
    busy: u64,
    starved: u64,
    blocked: u64,
    awaiting: u64,
    served: u64,
    /// The sum of the times of all services that have ended, and of their squares.
    service: u64,
    squares: u128,
}

impl Replica {
    pub(super) fn new(place: usize, path: Vec<u32>, now: Moment) -> Self {
        Replica {
            place,
            path,
            doing: Doing::Starved,
            since: now,
            input: None,
            lane: 0,
            turns: Vec::new(),
            output: None,
            own_buffer: None,
            leaves: None,
            workers: Vec::new(),
            taken: 0,
            given: 0,
            held: 0,
            first_arrival: None,
            last_departure: None,
        }
    }

    /// Another worker joins.
    pub(super) fn join(&mut self, now: Moment) {
        self.workers.push(Worker { began: now, ..Worker::default() });
    }

    /// Those behind the first so many workers leave.
    pub(super) fn dismiss_beyond(&mut self, workers: usize, now: Moment) {
        let (doing, since) = (self.doing, self.since);
        let present = self.workers.iter_mut().filter(|worker| worker.left.is_none());
        for worker in present.skip(workers) {
            worker.idle(doing, since, now);
            worker.left = Some(now);
        }
    }

    pub(super) fn present(&self) -> usize {
        self.workers.iter().filter(|worker| worker.left.is_none()).count()
    }

    /// It takes an item, and its workers serve it, each for so long. The answer is when it is done.
    pub(super) fn begin(&mut self, now: Moment, mut time: impl FnMut(usize) -> u64) -> Moment {
        let (doing, since) = (self.doing, self.since);
        let mut end = now;
        for (number, worker) in self.workers.iter_mut().filter(|worker| worker.left.is_none()).enumerate() {
            worker.idle(doing, since, now);
            worker.until = now + time(number);
            end = end.max(worker.until);
        }
        self.taken += 1;
        self.first_arrival.get_or_insert(now);
        (self.doing, self.since) = (Doing::Busy, now);
        end
    }

    /// Its item is served.
    pub(super) fn complete(&mut self, now: Moment) {
        for worker in self.workers.iter_mut().filter(|worker| worker.left.is_none()) {
            let time = worker.until - self.since;
            worker.busy += time;
            worker.awaiting += now - worker.until;
            worker.served += 1;
            worker.service += time;
            worker.squares += u128::from(time) * u128::from(time);
        }
        self.held += now - self.since;
        (self.doing, self.since) = (Doing::Blocked, now);
    }

    /// It handed its item over.
    pub(super) fn give(&mut self, now: Moment) {
        for worker in self.workers.iter_mut().filter(|worker| worker.left.is_none()) {
            worker.idle(Doing::Blocked, self.since, now);
        }
        self.held += now - self.since;
        self.given += 1;
        self.last_departure = Some(now);
        (self.doing, self.since) = (Doing::Starved, now);
    }

    pub(super) fn leave(&mut self, now: Moment) {
        self.dismiss_beyond(0, now);
        (self.doing, self.since) = (Doing::Left, now);
    }

    pub(super) fn figures(&self, worker: usize, now: Moment) -> ReplicaFigures {
        let mut until_now = self.workers[worker].clone();
        until_now.go_on(self.doing, self.since, now);
        let mut figures = until_now.figures();
        figures.waiting = self.waits_for().map(|what| (what, span(self.since)));
        if worker == 0 {
            let in_hand = self.taken - self.given;
            figures.items = self.taken - u64::from(self.doing == Doing::Busy);
            (figures.taken, figures.given, figures.in_hand) = (self.taken, self.given, in_hand);
            figures.held = span(self.held + in_hand * (now - self.since));
            figures.first_arrival = self.first_arrival.map(span);
            figures.last_departure = self.last_departure.map(span);
        }
        figures
    }

    fn waits_for(&self) -> Option<For> {
        match self.doing {
            Doing::Starved => Some(For::Items),
            Doing::Blocked => Some(For::Room),
            Doing::Busy | Doing::Left => None,
        }
    }
}

impl Worker {
    /// It waited since a moment, or since it began.
    fn idle(&mut self, doing: Doing, since: Moment, now: Moment) {
        let time = now - since.max(self.began);
        match doing {
            Doing::Starved => self.starved += time,
            Doing::Blocked => self.blocked += time,
            Doing::Busy | Doing::Left => {}
        }
    }

    /// What it does now counts until now.
    fn go_on(&mut self, doing: Doing, since: Moment, now: Moment) {
        if self.left.is_some() {
            return;
        }
        self.idle(doing, since, now);
        if doing == Doing::Busy {
            self.busy += now.min(self.until) - since;
            self.awaiting += now - now.min(self.until);
        }
    }

    fn figures(&self) -> ReplicaFigures {
        ReplicaFigures {
            served: self.served,
            busy: span(self.busy),
            starved: span(self.starved),
            blocked: span(self.blocked),
            awaiting: span(self.awaiting),
            service: span(self.service),
            timed: self.served,
            timed_service: span(self.service),
            squares: self.squares,
            scv: scv(self.served, self.service, self.squares),
            began: span(self.began),
            left: self.left.map(span),
            ..ReplicaFigures::default()
        }
    }
}

/// The squared coefficient of variation; none of fewer than two services.
fn scv(count: u64, sum: u64, squares: u128) -> Option<f64> {
    if count < 2 || sum == 0 {
        return None;
    }
    let square = u128::from(sum) * u128::from(sum) / u128::from(count);
    let mean = sum as f64 / count as f64;
    Some(squares.saturating_sub(square) as f64 / (count - 1) as f64 / (mean * mean))
}

pub(super) fn span(time: u64) -> Duration {
    Duration::from_nanos(time)
}
