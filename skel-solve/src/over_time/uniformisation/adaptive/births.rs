//! The probabilities of the numbers of steps of adaptive uniformisation: those of a pure birth process.
//!
//! With different rates the closed form is a sum of terms with different signs, whose digits cancel. So the
//! birth process is uniformised itself, at the rate of the last step that matters, which is known before:
//! fast steps that are hardly ever reached don't count. Nothing is subtracted from a probability, and each
//! one keeps its relative accuracy. What moves beyond the last step is bounded by Chernoff's inequality, and
//! what is left out on both sides, since it is too small to matter, is added up.
//!
//! Time: the number of these steps, times how far their numbers are spread; there is no spread where all
//! rates are equal. Memory: 32 bytes for each step.

use super::rising::Rising;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Stopped, Watch};
use crate::over_time::uniformisation::UNIT;
use crate::over_time::uniformisation::poisson::poisson;
use crate::over_time::uniformisation::weights::{Exactness, Weights};

/// Values between two looks at the clock.
const BETWEEN_LOOKS: usize = 1 << 20;

/// About how many values are computed for the probabilities at a time. The number of steps after so many
/// steps of the faster process is spread over a few dozen times as many as the slowest step takes of these.
pub(crate) fn work(rates: &Rising, time: f64, missing: f64) -> f64 {
    const SPREAD: f64 = 40.0;
    let last = rates.last(time, missing);
    let fastest = rates.rate(last);
    let spread = if fastest > rates.rate(0) { SPREAD * fastest / rates.rate(0) } else { 1.0 };
    (fastest * time + last as f64) * spread.min(last as f64)
}

/// The weights at a time, but for the probability `missing` at most.
pub(crate) fn births(
    rates: &Rising,
    time: f64,
    missing: f64,
    budget: MemoryBudget,
    watch: &mut Watch<'_>,
) -> Result<Weights, Stopped> {
    let beyond = missing / 4.0;
    let last = rates.last(time, beyond);
    budget.check(32 * (last + 1))?;
    let fastest = rates.rate(last);
    let steps = poisson(fastest, time, missing / 4.0);
    let tiny = missing / 8.0 / (last + 1 + steps.last()) as f64;
    let mut process = Process::new(rates, last, fastest, tiny);
    let mut sums = vec![0.0; last as usize + 1];
    let mut since_look = 0;
    for step in 0..=steps.last() {
        process.add(steps.weight(step), &mut sums);
        process.step();
        since_look += process.values.len().min(process.end - process.first) + 64;
        if since_look >= BETWEEN_LOOKS {
            since_look = 0;
            watch.prepare()?;
        }
    }
    let (first, trimmed) = trim(&mut sums, missing / 8.0);
    // Four operations for each step, and the sum.
    let rounded = UNIT * (4.0 * steps.mean() + (steps.last() - steps.first() + 8) as f64);
    let error = (beyond + process.dropped + trimmed) * (1.0 + 1e-9) + steps.error() + rounded;
    let mean: f64 = sums.iter().enumerate().map(|(place, weight)| (first + place) as f64 * weight).sum();
    let exactness = Exactness {
        mean: mean * (1.0 + 1e-6) + last as f64 * error,
        error,
        error_of_time: (error * rates.time_of(last + 1) + beyond * time) * (1.0 + 1e-6),
    };
    Ok(Weights::new(first as u64, sums, exactness))
}

/// The uniformised birth process up to its last number that matters.
struct Process {
    /// The probability that a step goes on from each number, and that it doesn't.
    moves: Vec<f64>,
    stays: Vec<f64>,
    values: Vec<f64>,
    /// All values before the first and from the end on are zero.
    first: usize,
    end: usize,
    /// Smaller values at the ends are dropped.
    tiny: f64,
    dropped: f64,
}

impl Process {
    fn new(rates: &Rising, last: u64, fastest: f64, tiny: f64) -> Process {
        let (mut moves, mut stays) = (Vec::new(), Vec::new());
        let ends = rates.stages().iter().skip(1).map(|stage| stage.first).chain([u64::MAX]);
        for (stage, end) in rates.stages().iter().zip(ends) {
            let end = end.min(last + 1) as usize;
            moves.resize(end.max(moves.len()), stage.rate / fastest);
            stays.resize(end.max(stays.len()), (fastest - stage.rate) / fastest);
        }
        let mut values = vec![0.0; last as usize + 1];
        values[0] = 1.0;
        Process { moves, stays, values, first: 0, end: 1, tiny, dropped: 0.0 }
    }

    fn add(&self, weight: f64, sums: &mut [f64]) {
        if weight != 0.0 {
            let range = self.first..self.end;
            let values = &self.values[range.clone()];
            sums[range].iter_mut().zip(values).for_each(|(sum, value)| *sum += weight * value);
        }
    }

    fn step(&mut self) {
        if self.end < self.values.len() {
            self.end += 1;
        }
        for number in (self.first + 1..self.end).rev() {
            self.values[number] =
                self.values[number] * self.stays[number] + self.values[number - 1] * self.moves[number - 1];
        }
        self.values[self.first] *= self.stays[self.first];
        while self.first + 1 < self.end && self.values[self.first] <= self.tiny {
            self.dropped += std::mem::take(&mut self.values[self.first]);
            self.first += 1;
        }
        while self.first + 1 < self.end && self.values[self.end - 1] <= self.tiny {
            self.end -= 1;
            self.dropped += std::mem::take(&mut self.values[self.end]);
        }
    }
}

/// Leaves out small values at both ends that sum to `most` at most; the number of values left out before the
/// others, and the sum of all left out.
fn trim(values: &mut Vec<f64>, most: f64) -> (usize, f64) {
    let small = |values: &mut dyn Iterator<Item = &f64>| -> (usize, f64) {
        let (mut count, mut sum) = (0, 0.0);
        for value in values {
            if sum + value > most / 2.0 {
                break;
            }
            (count, sum) = (count + 1, sum + value);
        }
        (count, sum)
    };
    let (before, sum_before) = small(&mut values.iter());
    let (after, sum_after) = small(&mut values.iter().skip(before).rev());
    values.truncate(values.len() - after);
    values.drain(..before);
    (before, sum_before + sum_after)
}
