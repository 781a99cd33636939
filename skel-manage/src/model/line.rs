//! The stages of a program one behind the other, as a chain of counts has them: farms of tasks, with buffers between them.

use super::team::{Moments, phases};
use skel_solve::Limits;
use skel_solve::farms::FarmPipe;

/// Stages one behind the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Line {
    pub(super) stages: Vec<LineStage>,
}

/// Workers side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LineStage {
    pub(super) workers: u32,
    pub(super) time: Moments,
    /// The capacity of the buffer before it.
    pub(super) buffer: u32,
}

/// How the service time of a line was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Solved {
    pub(super) service_time: f64,
    /// Whether the variation is that of all stages. Else it is between the chain with other variations and the formula.
    pub(super) is_chain: bool,
}

/// The most phases that a time may have, from the finest chain to the coarsest.
const GRAINS: [u32; 7] = [64, 32, 16, 8, 4, 2, 1];

/// How the times of a chain vary.
#[derive(Clone, Copy, PartialEq)]
enum Grain {
    /// As they do, but at least as one over so many phases.
    Phases(u32),
    /// Like exponential times.
    Exponential,
}

impl Grain {
    fn of(self, time: Moments) -> Moments {
        match self {
            Grain::Phases(most) => Moments { scv: time.scv.max(1.0 / f64::from(most)), ..time },
            Grain::Exponential => Moments { scv: 1.0, ..time },
        }
    }
}

impl Line {
    /// The service time where times do not vary: that of the slowest stage.
    pub(super) fn least(&self) -> f64 {
        self.stages.iter().map(LineStage::least).fold(0.0, f64::max)
    }

    /// The service time by the finest chain of so many states at the most. Where that has other variations than the line, the service time is taken to
    /// be linear in the standard deviations, from the formula, where they are 0, through that of the chain.
    pub(super) fn solve(&self, most_states: u64) -> Option<Solved> {
        let least = self.least();
        if self.stages.len() == 1 || self.deviation(|time| time) == 0.0 {
            return Some(Solved { service_time: least, is_chain: true });
        }
        let grains = GRAINS.into_iter().map(Grain::Phases).chain([Grain::Exponential]);
        let (pipe, grain) =
            grains.map(|grain| (self.pipe(grain), grain)).find(|(pipe, _)| pipe.states() <= most_states)?;
        let throughput = pipe.throughput(&Limits::default()).ok()?;
        let (here, there) = (self.deviation(|time| time), self.deviation(|time| grain.of(time)));
        let service_time = least + (1.0 / throughput - least).max(0.0) * here / there;
        let is_chain = self.stages.iter().all(|stage| grain.of(stage.time) == stage.time);
        Some(Solved { service_time, is_chain })
    }

    /// The service time of a program of which this is an approximation, by that with exponential times in all places.
    pub(super) fn interpolated(&self, exponential: f64) -> f64 {
        let least = self.least();
        let (here, there) = (self.deviation(|time| time), self.deviation(|time| Grain::Exponential.of(time)));
        least + (exponential - least) * here / there
    }

    /// The standard deviations, with more weight for stages that are busy for more of their time.
    fn deviation(&self, of: impl Fn(Moments) -> Moments) -> f64 {
        let least = self.least();
        let weighted = |stage: &LineStage| (stage.least() / least).powi(2) * of(stage.time).scv.sqrt();
        self.stages.iter().map(weighted).sum()
    }

    fn pipe(&self, grain: Grain) -> FarmPipe {
        let most = match grain {
            Grain::Phases(most) => most,
            Grain::Exponential => 1,
        };
        let stages = self.stages.iter().map(|stage| (stage.workers, phases(grain.of(stage.time), most)));
        let buffers = self.stages[1..].iter().map(|stage| stage.buffer);
        FarmPipe::new(stages.collect(), buffers.collect())
    }

    /// Some neighbouring stages.
    fn part(&self, from: usize, to: usize) -> Line {
        Line { stages: self.stages[from..to].to_vec() }
    }

    /// The longest service time of neighbouring stages: of as many as a chain of so many states can have, from each stage on. It is too short, if anything,
    /// since the other stages are taken to be infinitely fast. None where not even two stages have such a chain.
    pub(super) fn neighbours(&self, most_states: u64) -> Option<f64> {
        let mut longest: Option<f64> = None;
        let mut reached = 0;
        for from in 0..self.stages.len() {
            let parts = (from + 2..=self.stages.len()).rev().map(|to| (to, self.part(from, to)));
            let is_small = |part: &Line| part.pipe(Grain::Exponential).states() <= most_states;
            let Some((to, part)) = parts.into_iter().find(|(_, part)| is_small(part)) else { continue };
            if to > reached {
                reached = to;
                let solved = part.solve(most_states)?.service_time;
                longest = Some(longest.map_or(solved, |longest| longest.max(solved)));
            }
        }
        longest.map(|longest| longest.max(self.least()))
    }
}

impl LineStage {
    /// The service time where times do not vary.
    pub(super) fn least(&self) -> f64 {
        self.time.mean / f64::from(self.workers)
    }
}
