//! The simulation: requests in the order of their times, each answered by the scheduler.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use skel_core::number::{Number, Ratio};

use super::outcome::{Load, Outcome, Piece, Unfinished};
use super::scenario::Scenario;
use super::speed::Speed;
use crate::arithmetic::Arithmetic;
use crate::schedule::{Chunk, Schedule, Scheduler};

/// The most chunks of a simulation: a few seconds of computing in floats.
const MOST_CHUNKS: u64 = 20_000_000;

/// The most chunks of an exact simulation, of which each takes many times longer.
const MOST_EXACT_CHUNKS: u64 = 1_000_000;

/// Ticks of a second.
const TICKS: f64 = 1e9;

/// Ticks of the shortest time for an item, at least.
const TICKS_OF_ITEM: f64 = 1e3;

impl Scenario {
    /// When the work ends under a schedule.
    ///
    /// The time is proportional to the number of chunks, and to the logarithm of the number of machines: some
    /// 0.1 us a chunk.
    ///
    /// # Errors
    /// If every machine was lost before the end, a parameter of the schedule cannot be, or there are more
    /// than 20 million chunks.
    ///
    /// # Examples
    /// ```
    /// use skel_distribute::{Scenario, Schedule};
    /// let scenario = Scenario::new(100, [1.0, 3.0])?;
    /// let outcome = scenario.simulate(&Schedule::Vrp)?;
    /// assert_eq!((*outcome.makespan(), outcome.chunks()), (75.0, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn simulate(&self, schedule: &Schedule) -> Result<Outcome, Unfinished> {
        self.observe(schedule, |_| ())
    }

    /// The same in exact rationals: some microseconds a chunk.
    ///
    /// # Errors
    /// As those of [`Scenario::simulate`], and if there are more than a million chunks.
    ///
    /// # Examples
    /// ```
    /// use skel_core::number::ratio;
    /// use skel_distribute::{Scenario, Schedule};
    /// let scenario = Scenario::new(100, [1, 3])?.with_overhead(ratio(1, 3))?;
    /// assert_eq!(scenario.simulate_exact(&Schedule::Vrp)?.makespan(), &ratio(227, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn simulate_exact(&self, schedule: &Schedule) -> Result<Outcome<Ratio>, Unfinished> {
        self.observe(schedule, |_| ())
    }

    /// The simulation in either type of numbers, which shows each chunk as soon as it has ended: in the order
    /// in which the simulation comes to it, which is nearly that of the ends.
    ///
    /// # Errors
    /// As those of [`Scenario::simulate`] and [`Scenario::simulate_exact`].
    ///
    /// # Examples
    /// ```
    /// use skel_distribute::{Scenario, Schedule};
    /// let scenario = Scenario::new(100, [1.0, 3.0])?.with_overhead(0.5)?;
    /// let mut bars = Vec::new();
    /// scenario.observe::<f64>(&Schedule::Vrp, |piece| bars.push((piece.machine, piece.started, piece.ended)))?;
    /// assert_eq!(bars, [(0, 0.5, 75.5), (1, 1.0, 76.0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn observe<N: Arithmetic>(
        &self,
        schedule: &Schedule,
        mut observer: impl FnMut(&Piece<N>),
    ) -> Result<Outcome<N>, Unfinished> {
        let scheduler = Scheduler::new(schedule, self.items(), self.performance())?;
        let mut simulation = Simulation::new(self, scheduler, &mut observer);
        simulation.run()?;
        Ok(simulation.outcome())
    }

    /// A time as simulations compare it.
    pub(super) fn moment<N: Arithmetic>(&self, time: &N) -> N::Moment {
        time.moment(self.ticks())
    }

    /// How many ticks a second has.
    fn ticks(&self) -> f64 {
        let steps = (0..self.machines()).flat_map(|machine| self.steps(machine));
        let shortest = steps.map(|(_, seconds)| seconds.to_float());
        TICKS.max(TICKS_OF_ITEM / shortest.fold(f64::INFINITY, f64::min))
    }
}

/// Where a machine is.
#[derive(Clone, Debug)]
enum State<N: Arithmetic> {
    /// It asked for work at this time, and the master has not taken the request up.
    Asking(N),
    /// It has a chunk, and will ask again when it has finished.
    Working(Piece<N>),
    /// It asked when nothing was left for it.
    SentHome,
    /// It was lost.
    Lost,
}

struct Simulation<'s, N: Arithmetic> {
    scheduler: Scheduler<N>,
    speeds: Vec<Speed<N>>,
    overhead: N,
    ticks: f64,
    /// The losses that are still to come, the last one first.
    losses: Vec<(N, usize)>,
    states: Vec<State<N>>,
    /// When each machine asks next.
    requests: BinaryHeap<Reverse<(N::Moment, usize)>>,
    /// From when on the master is free.
    free: N,
    makespan: N,
    items_given: u64,
    chunks: u64,
    most_chunks: u64,
    loads: Vec<Load<N>>,
    /// When machines were lost.
    lost_at: Vec<Option<N>>,
    observer: &'s mut dyn FnMut(&Piece<N>),
}

impl<'s, N: Arithmetic> Simulation<'s, N> {
    fn new(
        scenario: &Scenario,
        scheduler: Scheduler<N>,
        observer: &'s mut dyn FnMut(&Piece<N>),
    ) -> Simulation<'s, N> {
        let machines = scenario.machines();
        let ticks = scenario.ticks();
        let losses = scenario.losses().iter().rev().map(|loss| (N::from_ratio(&loss.at), loss.machine));
        let nothing = Load { items: 0, chunks: 0, busy: N::zero(), idle: N::zero(), is_lost: false };
        Simulation {
            scheduler,
            speeds: (0..machines).map(|machine| Speed::new(&scenario.steps(machine))).collect(),
            overhead: N::from_ratio(scenario.overhead()),
            ticks,
            losses: losses.collect(),
            states: vec![State::Asking(N::zero()); machines],
            requests: (0..machines).map(|machine| Reverse((N::zero().moment(ticks), machine))).collect(),
            free: N::zero(),
            makespan: N::zero(),
            items_given: 0,
            chunks: 0,
            most_chunks: if N::zero().to_exact().is_some() { MOST_EXACT_CHUNKS } else { MOST_CHUNKS },
            loads: vec![nothing; machines],
            lost_at: vec![None; machines],
            observer,
        }
    }

    fn run(&mut self) -> Result<(), Unfinished> {
        if self.scheduler.least_chunks() > self.most_chunks {
            return Err(Unfinished::TooManyChunks { most: self.most_chunks });
        }
        while let Some(Reverse((_, machine))) = self.requests.peek() {
            let machine = *machine;
            let asked = match &self.states[machine] {
                State::Asking(at) => at.clone(),
                State::Working(piece) => piece.ended.clone(),
                State::SentHome | State::Lost => {
                    self.requests.pop();
                    continue;
                }
            };
            // The master may still be busy. If nothing is left, it says so at once.
            let taken = if self.scheduler.left() > 0 { later(&asked, &self.free) } else { asked.clone() };
            if self.next_loss_is_until(&taken) {
                self.lose();
                continue;
            }
            self.requests.pop();
            self.answer(machine, asked, taken)?;
        }
        match self.scheduler.left() {
            0 => Ok(()),
            left => Err(Unfinished::AllLost { left }),
        }
    }

    fn next_loss_is_until(&self, time: &N) -> bool {
        self.losses.last().is_some_and(|(at, _)| at.moment(self.ticks) <= time.moment(self.ticks))
    }

    /// The master takes up a request.
    fn answer(&mut self, machine: usize, asked: N, taken: N) -> Result<(), Unfinished> {
        if let State::Working(piece) = std::mem::replace(&mut self.states[machine], State::SentHome) {
            let time = piece.ended.clone() - piece.started.clone();
            self.scheduler.finished(machine, piece.chunk.items(), time);
            self.end(&piece);
        }
        let Some(chunk) = self.scheduler.next(machine) else { return Ok(()) };
        if self.chunks == self.most_chunks {
            return Err(Unfinished::TooManyChunks { most: self.most_chunks });
        }
        self.give(machine, chunk, asked, taken);
        Ok(())
    }

    fn give(&mut self, machine: usize, chunk: Chunk, asked: N, taken: N) {
        let items = chunk.items();
        let started = taken.clone() + self.overhead.clone();
        let ended = self.speeds[machine].finish(&started, items);
        self.free = started.clone();
        self.chunks += 1;
        self.items_given += items;
        self.loads[machine].chunks += 1;
        self.requests.push(Reverse((ended.moment(self.ticks), machine)));
        let piece = Piece { machine, chunk, asked, taken, started, ended, is_finished: true };
        self.states[machine] = State::Working(piece);
    }

    /// A chunk has ended, finished or not.
    fn end(&mut self, piece: &Piece<N>) {
        let load = &mut self.loads[piece.machine];
        if piece.is_finished {
            load.items += piece.chunk.items();
            self.makespan = later(&self.makespan, &piece.ended);
        }
        load.busy = load.busy.clone() + (piece.ended.clone() - piece.started.clone());
        (self.observer)(piece);
    }

    /// The next loss happens.
    fn lose(&mut self) {
        let Some((at, machine)) = self.losses.pop() else { return };
        let moment = at.moment(self.ticks);
        let unfinished = match std::mem::replace(&mut self.states[machine], State::Lost) {
            State::Working(piece) if piece.ended.moment(self.ticks) > moment => {
                let chunk = piece.chunk.clone();
                // It may be lost before the master has told it what to do.
                let started = piece.started.lesser(&at);
                self.end(&Piece { started, ended: at.clone(), is_finished: false, ..piece });
                Some(chunk)
            }
            State::Working(piece) => {
                self.end(&piece);
                None
            }
            _ => None,
        };
        self.scheduler.lost(machine, unfinished);
        self.lost_at[machine] = Some(at.clone());
        for (other, state) in self.states.iter_mut().enumerate() {
            if matches!(state, State::SentHome) {
                *state = State::Asking(at.clone());
                self.requests.push(Reverse((moment.clone(), other)));
            }
        }
    }

    fn outcome(self) -> Outcome<N> {
        let Simulation { makespan, chunks, items_given, mut loads, lost_at, .. } = self;
        for (load, lost_at) in loads.iter_mut().zip(lost_at) {
            let until = lost_at.filter(|at| *at < makespan);
            load.is_lost = until.is_some();
            let until = until.unwrap_or_else(|| makespan.clone());
            // Rounding may leave a little less than nothing.
            load.idle = later(&(until - load.busy.clone()), &N::zero());
        }
        Outcome { makespan, chunks, items_given, loads }
    }
}

fn later<N: Arithmetic>(one: &N, other: &N) -> N {
    if one >= other { one.clone() } else { other.clone() }
}
