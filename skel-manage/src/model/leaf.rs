//! A task or a team by its measured times, and its times with other numbers of workers.
//!
//! The workers of a map serve parts of an item. So with `n` workers in the place of `n0` each takes `n0/n` of
//! its time: those that are there keep their proportions, and another one is like their mean. That is also so
//! for their parts of a state. A fault-tolerant stage has as many workers as it has algorithms, which is a
//! choice of safety: their number stays.

use skel_core::number::Number;
use skel_core::skeleton::{Stage, StageId, TeamKind, Tree};
use skel_run::report::time_of;

use super::team::{Moments, until_replies};
use crate::behaviour::formula;
use crate::measure::{StageMeasures, StateMeasures};

/// A task or a team.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub(super) id: StageId,
    pub(super) name: String,
    pub(super) kind: Kind,
    /// The mean time of each worker, in seconds for an item; of a task its own.
    pub(super) times: Vec<f64>,
    /// The squared coefficient of variation of each worker's times.
    pub(super) scv: f64,
    /// How many items it serves for each that leaves the program.
    pub(super) visits: f64,
    /// The wait for the source or the output that belongs to each service, in seconds; it is taken for
    /// exponential.
    pub(super) wait: f64,
}

/// What a leaf is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Task,
    /// A map, and what its workers do for states if it has some.
    Map(Option<StateMeasures>),
    /// A fault-tolerant stage, and how many replies make an item complete.
    FaultTolerant {
        replies: u32,
    },
}

/// Differences of workers below so many standard errors are chance.
const SURE: f64 = 3.0;

impl Leaf {
    /// A leaf as it was measured. A time that is none is taken for that of the skeleton.
    pub(super) fn of(tree: &Tree, stage: &StageMeasures) -> Leaf {
        let kind = match tree.stage(stage.id) {
            Stage::Team(team) => match &team.kind {
                TeamKind::FaultTolerant { .. } => Kind::FaultTolerant { replies: team.replies() },
                TeamKind::Map => Kind::Map(None),
                TeamKind::MapWithState(_) => Kind::Map(stage.state),
            },
            _ => Kind::Task,
        };
        let is_time = |time: &f64| *time > 0.0 && time.is_finite();
        let written = tree.time(stage.id).map_or(1.0, |time| time.mean().to_float());
        let mean = if is_time(&stage.time) { stage.time } else { written };
        let workers = stage.workers.max(1) as usize;
        let measured = stage.worker_times.len() == workers && stage.worker_times.iter().all(is_time);
        let times = if measured { stage.worker_times.clone() } else { vec![mean; workers] };
        let visits = if is_time(&stage.visits) { stage.visits } else { 1.0 };
        let leaf = Leaf { id: stage.id, name: stage.name.clone(), kind, times, scv: 1.0, visits, wait: 0.0 };
        Leaf { scv: leaf.scv_of_each(stage), ..leaf }
    }

    /// The variation of each worker, from that of all together: differences between their means are a part of
    /// that.
    fn scv_of_each(&self, stage: &StageMeasures) -> f64 {
        let workers = self.times.len() as f64;
        let mean = self.mean();
        let squares = self.times.iter().map(|time| time * time).sum::<f64>() / workers;
        let scv = stage.scv.map(|scv| ((1.0 + scv) * mean * mean / squares - 1.0).max(0.0));
        match (scv, time_of(mean, scv, stage.services).scv().to_float()) {
            // What no chain has is kept: the formula has it.
            (Some(scv), least) if scv < least && least < 0.02 => scv,
            (_, scv) => scv,
        }
    }

    fn mean(&self) -> f64 {
        self.times.iter().sum::<f64>() / self.times.len() as f64
    }

    /// Whether other numbers of workers make a difference.
    pub(super) fn may_have_other_workers(&self) -> bool {
        matches!(self.kind, Kind::Map(_))
    }

    /// By what factor the part of each worker changes with so many.
    pub(super) fn factor(&self, workers: u32) -> f64 {
        if self.may_have_other_workers() { self.times.len() as f64 / f64::from(workers) } else { 1.0 }
    }

    /// The mean times of so many workers.
    pub(super) fn times_of(&self, workers: u32) -> Vec<f64> {
        if !self.may_have_other_workers() {
            return self.times.clone();
        }
        let mean = self.mean();
        let each = (0..workers as usize).map(|number| self.times.get(number).copied().unwrap_or(mean));
        each.map(|time| time * self.factor(workers)).collect()
    }

    /// The service time by the paper's formula, with so many workers.
    pub(super) fn formula(&self, workers: u32) -> f64 {
        let times = self.times_of(workers);
        match self.kind {
            Kind::Task | Kind::Map(None) => formula::map(&times),
            Kind::Map(Some(state)) => formula::map_with_state(
                &formula::map(&times),
                &(state.time * self.factor(workers)),
                &state.items,
            ),
            Kind::FaultTolerant { replies } => formula::majority(&times, replies as usize),
        }
    }

    /// The time for which each of so many workers works for an item at the least.
    pub(super) fn least(&self, workers: u32) -> f64 {
        let times = self.times_of(workers);
        match self.kind {
            Kind::Task | Kind::Map(None) => formula::map(&times),
            Kind::Map(Some(state)) => formula::map(&times) + state.time * self.factor(workers) / state.items,
            Kind::FaultTolerant { replies } => {
                // Workers that are late miss items, and so many have to reply for each.
                let rate: f64 = times.iter().map(|time| 1.0 / time).sum();
                (replies as f64 / rate)
                    .max(times.iter().copied().fold(f64::INFINITY, f64::min) / times.len() as f64)
            }
        }
    }

    /// The service time of the whole leaf for an item that comes to it, with so many workers and with the
    /// wait that belongs to it.
    pub(super) fn moments(&self, workers: u32, services: u64) -> Moments {
        let times = self.without_chance(self.times_of(workers), services);
        let all = times.len();
        let served = match self.kind {
            Kind::Task | Kind::Map(None) => until_replies(&times, self.scv, all),
            Kind::FaultTolerant { replies } => until_replies(&times, self.scv, replies as usize),
            Kind::Map(Some(state)) => {
                let renewing = until_replies(&vec![state.time * self.factor(workers); all], 1.0, all);
                until_replies(&times, self.scv, all).plus(renewing.geometric(1.0 / state.items))
            }
        };
        served.plus(Moments { mean: self.wait, scv: 1.0 })
    }

    /// The mean of all in the place of each, where they differ no more than by chance.
    fn without_chance(&self, times: Vec<f64>, services: u64) -> Vec<f64> {
        let count = times.len() as f64;
        let mean = times.iter().sum::<f64>() / count;
        let error = mean * (self.scv * count / services.max(1) as f64).sqrt();
        let differ = times.iter().any(|time| (time - mean).abs() > SURE * error + 1e-12 * mean);
        if differ { times } else { vec![mean; times.len()] }
    }
}
