//! Scaling and squaring for small stiff chains, without a subtraction.
//!
//! `E = exp(Q tau)` is made by uniformisation for a time so short that `q tau <= 1`, and then squared again
//! and again: `exp(Q 2 tau) = E E`. A time is a sum of such times, so a distribution is multiplied by the
//! squares that stand in the binary digits of `t / tau`. All entries are probabilities, so no digits cancel.
//! Each row is divided by its sum after every squaring: without that, rounding grows with `q t`, to 1e-7 at
//! `q t = 1e9`, and with it the relative error stays near 1e-15. The integral over `2 tau` is that over
//! `tau`, and then the same after `E`: `F(2 tau) = F(tau) + E F(tau)`.
//!
//! Cost: `n^3` multiplications for each doubling, twice that with integrals. Memory: three or five matrices.
//! The error is an estimate, `4 n (s + 40) 2^-53` after `s` squarings, since what a row loses is given back
//! in proportion, which proves nothing.

mod dense;

use std::ops::ControlFlow;

use crate::error::Error;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Stopped, Watch};
use crate::operator::RateOperator;
use crate::over_time::uniformisation::UNIT;
use crate::over_time::uniformisation::poisson::poisson;
use crate::over_time::uniformisation::vectors::{Asked, At, Receive};
use crate::over_time::uniformisation::weights::Weights;
use crate::refused::Refused;
use dense::{Dense, add};

/// What is left out of a short time. Rare states keep their digits.
const MISSING: f64 = 1e-40;

/// The largest number of states for which a dense matrix is squared.
pub(super) const MOST_DENSE: usize = 2000;

/// More squarings have no digits left for the shortest time.
pub(super) const MOST_SQUARINGS: u32 = 60;

/// The number of squarings for the longest time.
pub(super) fn squarings(mean: f64) -> u32 {
    mean.max(1.0).log2().ceil() as u32
}

/// The estimated error of a distribution, as the sum of the errors of all probabilities.
pub(super) fn error(states: usize, squarings: u32) -> f64 {
    4.0 * states as f64 * f64::from(squarings + 40) * UNIT
}

/// The bytes that it takes.
fn memory(states: usize, integrals: bool) -> u64 {
    (if integrals { 5 } else { 3 }) * 8 * (states * states) as u64
}

/// The rates of a chain by source, for steps of a row vector.
struct Steps {
    rate: f64,
    stays: Vec<f64>,
    to: Vec<Vec<(usize, f64)>>,
}

impl Steps {
    fn new(chain: &dyn RateOperator) -> Steps {
        let rate = chain.exits().iter().copied().fold(0.0, f64::max);
        let stays = chain.exits().iter().map(|exit| (1.0 - exit / rate).max(0.0)).collect();
        let mut to = vec![Vec::new(); chain.states()];
        chain.for_each_rate(&mut |from, target, value| {
            to[from].push((target, value / rate));
            ControlFlow::Continue(())
        });
        Steps { rate, stays, to }
    }

    fn step(&self, from: &[f64]) -> Vec<f64> {
        let mut next = vec![0.0; from.len()];
        for (state, &value) in from.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            next[state] += value * self.stays[state];
            for &(target, share) in &self.to[state] {
                next[target] += value * share;
            }
        }
        next
    }

    /// The distribution after a time, and the integral until then.
    fn after(&self, weights: &Weights, start: &[f64]) -> [Vec<f64>; 2] {
        let mut sums = [vec![0.0; start.len()], vec![0.0; start.len()]];
        let mut vector = start.to_vec();
        for step in 0..=weights.last() {
            add(weights.weight(step), &vector, &mut sums[0]);
            add(weights.after(step) / self.rate, &vector, &mut sums[1]);
            vector = self.step(&vector);
        }
        sums
    }

    /// What a time takes each state to, row by row, and the integrals until then.
    fn matrices(&self, time: f64, watch: &mut Watch<'_>) -> Result<[Dense; 2], Stopped> {
        let states = self.stays.len();
        let weights = poisson(self.rate, time, MISSING);
        let [mut power, mut integral] = [Dense::zero(states), Dense::zero(states)];
        let mut unit = vec![0.0; states];
        for state in 0..states {
            watch.prepare()?;
            unit[state] = 1.0;
            let [vector, sum] = self.after(&weights, &unit);
            unit[state] = 0.0;
            power.row_mut(state).copy_from_slice(&vector);
            integral.row_mut(state).copy_from_slice(&sum);
        }
        Ok([power, integral])
    }
}

/// A time on its way: where the chain is after the digits of the time that have been looked at, and the
/// integral until then.
struct Way {
    digits: u64,
    vector: Vec<f64>,
    integral: Vec<f64>,
}

impl Way {
    /// After what is left of a time beside so many short ones.
    fn begin(steps: &Steps, start: &[f64], time: f64, digits: f64, short: f64) -> Way {
        let rest = (time - digits * short).max(0.0);
        let [vector, integral] = steps.after(&poisson(steps.rate, rest, MISSING), start);
        Way { digits: digits as u64, vector, integral }
    }

    /// Goes on for the time to which a matrix belongs.
    fn go_on(&mut self, power: &Dense, integral: Option<&Dense>) {
        if let Some(integral) = integral {
            add(1.0, &integral.after(&self.vector), &mut self.integral);
        }
        self.vector = power.after(&self.vector);
    }
}

/// The distributions at some times; as [`vectors_at`](crate::over_time::uniformisation::vectors::vectors_at).
/// Returns the number of squarings.
pub(super) fn vectors_at(
    chain: &dyn RateOperator,
    start: &[f64],
    asked: &Asked<'_>,
    budget: MemoryBudget,
    watch: &mut Watch<'_>,
    receive: Receive<'_>,
) -> Result<u32, Error> {
    let states = start.len();
    if states > MOST_DENSE {
        return Err(Error::Unknown(format!(
            "{states} states are too many for a dense matrix, which is squared for {MOST_DENSE} at most; choose another method"
        )));
    }
    budget.check(memory(states, asked.integrals))?;
    let steps = Steps::new(chain);
    let longest = asked.times.last().copied().unwrap_or(0.0);
    let squarings = squarings(steps.rate * longest);
    if squarings > MOST_SQUARINGS {
        let steps = (steps.rate * longest) as u64;
        return Err(Refused::too_many_steps(steps, 1 << MOST_SQUARINGS).into());
    }
    let parts = 2_f64.powi(squarings as i32);
    let short = longest / parts;
    let way = |&time: &f64| Way::begin(&steps, start, time, (time / longest * parts).floor(), short);
    let mut ways: Vec<Way> = asked.times.iter().map(way).collect();
    let [mut power, mut integral] = steps.matrices(short, watch)?;
    let mut length = short;
    for squaring in 0..=squarings {
        power.scale_rows_to(1.0);
        integral.scale_rows_to(length);
        for way in ways.iter_mut().filter(|way| way.digits >> squaring & 1 == 1) {
            way.go_on(&power, asked.integrals.then_some(&integral));
        }
        if squaring < squarings {
            if asked.integrals {
                let later = power.times(&integral, watch)?;
                integral.add(&later);
            }
            power = power.times(&power, watch)?;
            length *= 2.0;
        }
    }
    watch.prepare()?;
    let error = error(states, squarings);
    for (number, (way, &time)) in ways.into_iter().zip(asked.times).enumerate() {
        let integral = asked.integrals.then_some((way.integral, error * time));
        receive(number, At { vector: way.vector, error, integral })?;
    }
    Ok(squarings)
}
