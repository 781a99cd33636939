//! The stages of a program one behind the other, as a chain of counts has them: farms of tasks, with buffers
//! between them.
//!
//! A chain of steady times has many states: a farm of `n` workers of `k` phases has as many as there are ways
//! of `n` to be in `k`. How many is known before they are made. So the finest chain within a budget is
//! solved, in which times that vary less than `1/k` are taken for such that vary so much; and the service
//! time is then taken to be linear in the standard deviations, from the formula, where these are 0, through
//! that of the chain. Times that vary more than exponential ones are extrapolated likewise where their chain
//! is too large. Measured with pipes of a task, a farm of 1 to 6 workers and a task, with buffers of 0, 1 and
//! 4, where everything, the ends or the farm alone had this variation, against the chain with all variation
//! (250 programs):
//!
//! | scv | from the exponential chain: at worst | root of the mean square |
//! |---|---|---|
//! | 1/4, 1/2 | 4.7 % | 1.8 % |
//! | 2 | 7.2 % | 2.4 % |
//! | 4 | 21 % | 6.4 % |
//!
//! A stage counts by the square of the part of its time for which it is busy, and a farm by one over the root
//! of its number of workers: what many do side by side is more even. This was the best of twelve such weights
//! on the same programs, and hardly better than the others.

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
    /// Whether the variation is that of all stages. Else it is between the chain with other variations and
    /// the formula.
    pub(super) is_chain: bool,
}

/// What a chain may cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// The most states.
    pub(super) states: u64,
    /// The most work of an elimination: states times the square of how many of them are alike but for the
    /// longest of the numbers between two stages.
    pub(super) work: f64,
}

impl Budget {
    /// A chain takes 5 ms at the most, and a decision needs a handful of them: 3,000 states for a farm of 64
    /// between two tasks, fewer where several farms or phases make them less like a line.
    pub(super) const OF_A_PREDICTION: Budget = Budget { states: 3_000, work: 16e6 };
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

    /// The service time by the finest chain within a budget. Where that has other variations than the line,
    /// the service time is taken to be linear in the standard deviations, from the formula, where they are 0,
    /// through that of the chain.
    pub(super) fn solve(&self, budget: Budget) -> Option<Solved> {
        let least = self.least();
        if self.stages.len() == 1 || self.deviation(|time| time) == 0.0 {
            return Some(Solved { service_time: least, is_chain: true });
        }
        let grains = GRAINS.into_iter().map(Grain::Phases).chain([Grain::Exponential]);
        let (pipe, grain) =
            grains.map(|grain| (self.pipe(grain), grain)).find(|(pipe, _)| self.is_within(pipe, budget))?;
        let throughput = pipe.throughput(&Limits::default()).ok()?;
        let (here, there) = (self.deviation(|time| time), self.deviation(|time| grain.of(time)));
        let service_time = least + (1.0 / throughput - least).max(0.0) * here / there;
        let is_chain = self.stages.iter().all(|stage| grain.of(stage.time) == stage.time);
        Some(Solved { service_time, is_chain })
    }

    fn is_within(&self, pipe: &FarmPipe, budget: Budget) -> bool {
        let between = |pair: &[LineStage]| {
            u64::from(pair[0].workers) + u64::from(pair[1].workers) + u64::from(pair[1].buffer) + 1
        };
        let longest = self.stages.windows(2).map(between).max().unwrap_or(1);
        let states = pipe.states();
        states <= budget.states && states as f64 * (states as f64 / longest as f64).powi(2) <= budget.work
    }

    /// The service time of a program of which this is an approximation, by that with exponential times in all
    /// places.
    pub(super) fn interpolated(&self, exponential: f64) -> f64 {
        let least = self.least();
        let (here, there) = (self.deviation(|time| time), self.deviation(|time| Grain::Exponential.of(time)));
        least + (exponential - least) * here / there
    }

    /// The standard deviations by their weights.
    fn deviation(&self, of: impl Fn(Moments) -> Moments) -> f64 {
        let least = self.least();
        let weight = |stage: &LineStage| (stage.least() / least).powi(2) / f64::from(stage.workers).sqrt();
        self.stages.iter().map(|stage| weight(stage) * of(stage.time).scv.sqrt()).sum()
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

    /// The longest service time of neighbouring stages: of as many as a chain within the budget can have,
    /// from each stage on. It is too short, if anything, since the other stages are taken to be infinitely
    /// fast. None where not even two stages have such a chain.
    pub(super) fn neighbours(&self, budget: Budget) -> Option<f64> {
        let mut longest: Option<f64> = None;
        let mut reached = 0;
        for from in 0..self.stages.len() {
            let parts = (from + 2..=self.stages.len()).rev().map(|to| (to, self.part(from, to)));
            let is_small = |part: &Line| part.is_within(&part.pipe(Grain::Exponential), budget);
            let Some((to, part)) = parts.into_iter().find(|(_, part)| is_small(part)) else { continue };
            if to > reached {
                reached = to;
                let solved = part.solve(budget)?.service_time;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn line(stages: &[(u32, f64, f64)], buffer: u32) -> Line {
        let stage = |&(workers, mean, scv): &(u32, f64, f64)| LineStage {
            workers,
            time: Moments { mean, scv },
            buffer,
        };
        Line { stages: stages.iter().map(stage).collect() }
    }

    fn states(states: u64) -> Budget {
        Budget { states, work: f64::INFINITY }
    }

    /// `pipe(task, farm, task)` with one variation everywhere, at the ends alone, or in the farm alone.
    fn lines(scv: f64) -> Vec<Line> {
        let mut lines = Vec::new();
        for buffer in [0, 1, 4] {
            for (workers, mean) in [(1, 1.0), (2, 1.6), (4, 4.0), (4, 5.0)] {
                for scvs in [[scv; 3], [scv, 1.0, scv], [1.0, scv, 1.0]] {
                    lines.push(line(
                        &[(1, 1.0, scvs[0]), (workers, mean, scvs[1]), (1, 1.0, scvs[2])],
                        buffer,
                    ));
                }
            }
        }
        lines
    }

    /// The table of the module: how far interpolation from the exponential chain is from the chain with all
    /// variation.
    #[test]
    fn interpolation_is_near_the_chain() {
        for (scv, worst, typical) in
            [(0.25, 0.05, 0.025), (0.5, 0.04, 0.02), (2.0, 0.075, 0.03), (4.0, 0.21, 0.08)]
        {
            let mut errors = Vec::new();
            for line in lines(scv) {
                let Some(exact) = line.solve(states(6_000)).filter(|solved| solved.is_chain) else {
                    continue;
                };
                let exponential = 1.0 / line.pipe(Grain::Exponential).throughput(&Limits::default()).unwrap();
                errors.push(line.interpolated(exponential) / exact.service_time - 1.0);
            }
            let largest = errors.iter().fold(0.0, |largest: f64, error| largest.max(error.abs()));
            let mean_square = errors.iter().map(|error| error * error).sum::<f64>() / errors.len() as f64;
            let found = (errors.len(), largest, mean_square.sqrt());
            assert!(found.0 >= 25 && found.1 <= worst && found.2 <= typical, "{scv}: {found:?}");
        }
    }

    #[test]
    fn the_finest_chain_within_the_budget_is_the_nearest() {
        let steady = line(&[(1, 1.0, 0.25), (3, 3.0, 0.25), (1, 1.0, 0.25)], 1);
        let exact = steady.solve(states(10_000)).unwrap();
        assert!(exact.is_chain);
        let error = |most| {
            let solved = steady.solve(states(most)).unwrap();
            assert!(!solved.is_chain);
            (solved.service_time / exact.service_time - 1.0).abs()
        };
        assert!(
            error(steady.pipe(Grain::Phases(2)).states()) < error(steady.pipe(Grain::Exponential).states())
        );
    }

    #[test]
    fn neighbours_are_a_bound() {
        let long = line(&[(1, 1.0, 1.0), (3, 3.0, 1.0), (1, 1.0, 1.0), (2, 2.0, 1.0), (1, 1.0, 1.0)], 1);
        let whole = long.solve(states(100_000)).unwrap().service_time;
        let few = [10, 60, 200].map(|most| long.neighbours(states(most)).unwrap());
        assert!(few.is_sorted() && few[2] < whole, "{few:?} {whole}");
        assert!(few[0] > 1.2 && few[2] > 0.9 * whole, "{few:?} {whole}");
    }
}
