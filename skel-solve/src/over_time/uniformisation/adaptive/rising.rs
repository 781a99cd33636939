//! The rates of the steps, by a search from the states of the first vector, level by level.

use std::ops::ControlFlow;

use crate::limits::memory::MemoryBudget;
use crate::limits::{Stopped, Watch};
use crate::operator::RateOperator;
use crate::over_time::uniformisation::UNIT;

/// So many steps are as good as infinitely many.
const ENDLESS: u64 = 1 << 60;

/// The rates of steps, none less than the one before.
#[derive(Clone, Debug)]
pub(crate) struct Rising {
    stages: Vec<Stage>,
}

/// Steps in a row at one rate, up to those of the next stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stage {
    /// The number of steps before.
    pub(crate) first: u64,
    pub(crate) rate: f64,
}

impl Rising {
    /// The rates for a first vector. The search takes 4 bytes for each rate of the chain and 16 for each
    /// state, which must fit the budget.
    pub(crate) fn new(
        chain: &dyn RateOperator,
        start: &[f64],
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Rising, Stopped> {
        budget.check(4 * chain.rates() + 16 * chain.states() as u64)?;
        let successors = Successors::new(chain, watch)?;
        let fastest = chain.exits().iter().copied().fold(0.0, f64::max);
        let mut is_reached: Vec<bool> = start.iter().map(|&value| value != 0.0).collect();
        let mut level: Vec<u32> =
            (0..start.len() as u32).filter(|&state| is_reached[state as usize]).collect();
        let (mut stages, mut steps): (Vec<Stage>, u64) = (Vec::new(), 0);
        loop {
            let rate = level.iter().map(|&state| chain.exits()[state as usize]).fold(0.0, f64::max);
            if stages.last().is_none_or(|stage| stage.rate < rate) {
                stages.push(Stage { first: steps, rate });
            }
            if level.is_empty() || rate == fastest {
                return Ok(Rising { stages });
            }
            watch.prepare()?;
            let mut next = Vec::new();
            for &successor in level.iter().flat_map(|&state| successors.of(state)) {
                if !std::mem::replace(&mut is_reached[successor as usize], true) {
                    next.push(successor);
                }
            }
            (level, steps) = (next, steps + 1);
        }
    }

    /// Rates as they are given.
    #[cfg(test)]
    pub(crate) fn of(stages: &[(u64, f64)]) -> Rising {
        Rising { stages: stages.iter().map(|&(first, rate)| Stage { first, rate }).collect() }
    }

    /// The stages, by their numbers of steps.
    pub(crate) fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// The number of the stage of a step.
    pub(crate) fn stage(&self, step: u64) -> usize {
        self.stages.partition_point(|stage| stage.first <= step).max(1) - 1
    }

    /// The rate of a step, by the number of steps before it.
    pub(crate) fn rate(&self, step: u64) -> f64 {
        self.stages[self.stage(step)].rate
    }

    /// The number of steps and the rate of each stage, among so many steps.
    fn among(&self, steps: u64) -> impl Iterator<Item = (f64, f64)> + '_ {
        let ends = self.stages.iter().skip(1).map(|stage| stage.first).chain([u64::MAX]);
        let stages = self.stages.iter().zip(ends).take_while(move |(stage, _)| stage.first < steps);
        stages.map(move |(stage, end)| ((end.min(steps) - stage.first) as f64, stage.rate))
    }

    /// The expected time of so many steps.
    pub(crate) fn time_of(&self, steps: u64) -> f64 {
        self.among(steps).map(|(count, rate)| count / rate).sum()
    }

    /// The logarithm of a bound on the probability that so many steps or more are taken until a time.
    fn log_of_reaching(&self, steps: u64, time: f64) -> f64 {
        const MOST_ROUNDS: usize = 200;
        let mut s = 0.0_f64;
        for _ in 0..MOST_ROUNDS {
            let (mut later, mut slope) = (-time, 0.0);
            for (count, rate) in self.among(steps) {
                later += count / (rate + s);
                slope += count / (rate + s).powi(2);
            }
            let further = later / slope;
            if further.is_nan() || further <= 1e-6 * s {
                break;
            }
            s += further;
        }
        let (mut log, mut magnitude, mut terms) = (s * time, s * time, 8.0);
        for (count, rate) in self.among(steps) {
            let term = count * (s / rate).ln_1p();
            log -= term;
            magnitude += term;
            terms += 1.0;
        }
        log + magnitude * terms * UNIT
    }

    /// Whether it is proved that more steps are taken until a time with the probability `missing` at most.
    pub(crate) fn is_rare(&self, steps: u64, time: f64, missing: f64) -> bool {
        self.log_of_reaching(steps + 1, time) <= missing.ln()
    }

    /// A number of steps that is exceeded until a time with the probability `missing` at most.
    pub(crate) fn last(&self, time: f64, missing: f64) -> u64 {
        let is_rare = |steps: u64| self.is_rare(steps, time, missing);
        let mut enough = 16;
        while !is_rare(enough) {
            enough *= 2;
            if enough >= ENDLESS {
                return ENDLESS;
            }
        }
        let mut too_few = if enough == 16 { 0 } else { enough / 2 };
        while enough - too_few > 1 {
            let middle = too_few + (enough - too_few) / 2;
            if is_rare(middle) {
                enough = middle;
            } else {
                too_few = middle;
            }
        }
        enough
    }
}

/// The states to which transitions lead, by source.
struct Successors {
    /// The place of the first successor of each state, and the end.
    places: Vec<usize>,
    states: Vec<u32>,
}

impl Successors {
    fn new(chain: &dyn RateOperator, watch: &mut Watch<'_>) -> Result<Successors, Stopped> {
        let mut places = vec![0; chain.states() + 1];
        chain.for_each_rate(&mut |from, _, _| {
            places[from] += 1;
            ControlFlow::Continue(())
        });
        watch.prepare()?;
        let mut end = 0;
        for place in &mut places {
            end += *place;
            *place = end;
        }
        // Filled from the end of each row, each place becomes that of the first.
        let mut states = vec![0; end];
        chain.for_each_rate(&mut |from, to, _| {
            places[from] -= 1;
            states[places[from]] = to as u32;
            ControlFlow::Continue(())
        });
        watch.prepare()?;
        Ok(Successors { places, states })
    }

    fn of(&self, state: u32) -> &[u32] {
        &self.states[self.places[state as usize]..self.places[state as usize + 1]]
    }
}
