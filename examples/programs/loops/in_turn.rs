//! Loops whose workers are played in turn, on one processor: what a cluster with a processor for each worker
//! would do.
//!
//! Every chunk is really computed and every message is really sent, and the processor time of that is
//! measured. What is not real is that the workers work at the same time: each has a clock of its own, and
//! whoever would ask first is served first, as in the simulation of `skel::distribute`. So the time of a
//! program does not depend on how many processors the machine has, and little on what else it does.

use std::error::Error;
use std::ops::Range;

use skel::distribute::{Schedule, Scheduler};
use skel::fit::timer::{ProcessTimer, Segment, Timer};

use super::{Loops, Team, Wire};

/// How a loop is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Manner {
    pub(crate) schedule: Schedule,
    /// Whether a master sends and receives all messages, one after the other, and items one by one. Otherwise
    /// workers send theirs to each other, all at the same time.
    pub(crate) has_master: bool,
}

/// Workers that are played in turn.
pub(crate) struct InTurn<'t> {
    team: &'t Team,
    manner: Manner,
    /// How many tenths an item takes, on a worker and at a time since the loop began.
    pace: &'t dyn Fn(usize, f64) -> u32,
    wire: &'t mut Wire,
    segments: [Segment; 2],
    timers: Vec<ProcessTimer<'t>>,
    played: Played,
}

/// What was played.
#[derive(Clone, Debug, Default)]
pub(crate) struct Played {
    /// How long all loops took, one after the other.
    pub(crate) seconds: f64,
    /// How many items each worker did.
    pub(crate) items: Vec<u64>,
    /// How many numbers were sent in messages.
    pub(crate) values: usize,
}

/// A worker at a moment of a loop.
#[derive(Clone, Debug)]
struct Worker {
    /// When it asks for items.
    asks: f64,
    /// How many items it has just finished, in which time.
    finished: Option<(u64, f64)>,
    is_home: bool,
}

impl<'t> InTurn<'t> {
    /// The segments of the timer are those of the work and of the messages.
    pub(crate) fn new(
        team: &'t Team,
        manner: Manner,
        pace: &'t dyn Fn(usize, f64) -> u32,
        wire: &'t mut Wire,
        (timer, segments): (&'t Timer, [Segment; 2]),
    ) -> Self {
        let timers =
            team.machines.iter().enumerate().map(|(number, machine)| timer.process(number, machine.name));
        let played = Played { items: vec![0; team.machines.len()], ..Played::default() };
        InTurn { team, manner, pace, wire, segments, timers: timers.collect(), played }
    }

    /// What was played. The timer has all times then.
    pub(crate) fn end(self) -> Played {
        self.played
    }

    /// The processor time of a message between a worker and another process.
    fn message(&mut self, worker: usize, values: usize) -> Result<f64, Box<dyn Error>> {
        if values == 0 {
            return Ok(0.0);
        }
        let [_, message] = self.segments;
        let (timer, wire) = (&self.timers[worker], &mut self.wire);
        let before = timer.seconds(message);
        timer.time(message, || wire.carry(values))?;
        self.played.values += values;
        Ok(timer.seconds(message) - before)
    }

    /// The processor time of some work of a worker, and what it returned.
    fn work<R>(&self, worker: usize, work: impl FnOnce() -> R) -> (f64, R) {
        let [segment, _] = self.segments;
        let timer = &self.timers[worker];
        let before = timer.seconds(segment);
        let result = timer.time(segment, work);
        (timer.seconds(segment) - before, result)
    }
}

impl Loops for InTurn<'_> {
    fn each<R: Send + 'static>(
        &mut self,
        items: usize,
        values: impl Fn(usize) -> [usize; 2],
        work: impl Fn(u32, Range<usize>) -> R + Sync,
    ) -> Result<Vec<R>, Box<dyn Error>> {
        let mut scheduler =
            Scheduler::<f64>::new(&self.manner.schedule, items as u64, &self.team.performance)?;
        let mut workers =
            vec![Worker { asks: 0.0, finished: None, is_home: false }; self.team.machines.len()];
        let mut pieces: Vec<(usize, R)> = Vec::new();
        let (mut master_is_free, mut end) = (0.0_f64, 0.0_f64);
        while let Some(next) = first_to_ask(&workers) {
            let asks = workers[next].asks;
            let mut now = if self.manner.has_master { asks.max(master_is_free) } else { asks };
            if let Some((done, seconds)) = workers[next].finished.take() {
                scheduler.finished(next, done, seconds);
                now += self.message(next, values(done as usize)[1])?;
                end = end.max(now);
            }
            let Some(chunk) = scheduler.next(next) else {
                workers[next].is_home = true;
                master_is_free = master_is_free.max(now);
                continue;
            };
            now += self.message(next, values(chunk.items() as usize)[0])?;
            master_is_free = master_is_free.max(now);
            let mut worked = 0.0;
            for range in chunk.ranges() {
                for part in self.parts(range.start as usize..range.end as usize) {
                    let tenths = (self.pace)(next, now + worked);
                    let start = part.start;
                    let (seconds, result) = self.work(next, || work(tenths, part));
                    worked += seconds;
                    pieces.push((start, result));
                }
            }
            self.played.items[next] += chunk.items();
            workers[next] =
                Worker { asks: now + worked, finished: Some((chunk.items(), worked)), is_home: false };
        }
        self.played.seconds += end;
        pieces.sort_by_key(|(start, _)| *start);
        Ok(pieces.into_iter().map(|(_, result)| result).collect())
    }
}

impl InTurn<'_> {
    /// The parts of a chunk that are worked on at one pace. Items that a master sends are large, and a
    /// worker's speed may change between two of them; those of neighbours are small beside the time that it
    /// takes to read the clock.
    fn parts(&self, range: Range<usize>) -> Vec<Range<usize>> {
        if self.manner.has_master { range.map(|item| item..item + 1).collect() } else { vec![range] }
    }
}

/// The worker that asks first; of several the one with the lowest number.
fn first_to_ask(workers: &[Worker]) -> Option<usize> {
    let asking = workers.iter().enumerate().filter(|(_, worker)| !worker.is_home);
    asking.min_by(|(_, one), (_, other)| one.asks.total_cmp(&other.asks)).map(|(number, _)| number)
}
