//! Moments: each is one system of equations more, `-T y_k = k y_(k-1)`.
//!
//! `y_0(i)` is the probability that a run from `i` comes to the end: one in every state, where that is sure.
//! `y_k(i)` is the expected `k`-th power of its time, counted as nothing for runs that never do. In fractions
//! half of the systems are solved forwards, since `alpha (-T)^-k y_0` is the product of `alpha (-T)^-a` and
//! `(-T)^-b y_0` for all `a + b = k`. In `f64` each system has a bound on its error. That of the system
//! before goes on in proportion: with `|f| <= c y_(k-1)` the change by `f` is at most `c y_k`, since the
//! inverse of `-T` is not negative.

use num_traits::{One, Zero};
use skel_core::number::Ratio;

use super::TimeToEnd;
use crate::error::Error;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::over_time::absorption::{Collected, Systems, fractions};
use crate::over_time::passage::{Figure, Moments};
use crate::over_time::uniformisation::UNIT;

impl TimeToEnd<Ratio> {
    /// So many moments in exact fractions.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn moments(
        &self,
        count: usize,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Moments<Ratio>, Error> {
        let mut collected = match self.is_sure {
            true => vec![Ratio::one(); self.states()],
            false => fractions::backwards(&self.before, &self.ends, budget, watch)?,
        };
        let mut spent = self.start.clone();
        let ends = match self.is_sure {
            true => Ratio::one(),
            false => product(&spent, &collected) + &self.at_once,
        };
        let mut factor = ends.recip();
        let mut raw = Vec::with_capacity(count);
        for power in 1..=count {
            // One more factor on the side that has fewer: so fractions are half as long.
            match power % 2 {
                1 => collected = fractions::backwards(&self.before, &collected, budget, watch)?,
                _ => spent = fractions::forwards(&self.before, &spent, budget, watch)?,
            }
            factor *= Ratio::from_integer(power.into());
            raw.push(product(&spent, &collected) * &factor);
        }
        let variance = (count >= 2).then(|| &raw[1] - &raw[0] * &raw[0]);
        Ok(Moments { ends, raw, variance })
    }
}

fn product(left: &[Ratio], right: &[Ratio]) -> Ratio {
    left.iter()
        .zip(right)
        .filter(|(one, other)| !one.is_zero() && !other.is_zero())
        .map(|(one, other)| one * other)
        .sum()
}

impl TimeToEnd<f64> {
    /// So many moments, each with a bound on its error.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn moments(
        &self,
        count: usize,
        limits: &Limits,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Moments<Figure>, Error> {
        let certain = Collected { values: vec![1.0; self.states()], errors: vec![0.0; self.states()] };
        if self.states() == 0 || (self.is_sure && count == 0) {
            let none = Figure { value: 0.0, error: 0.0 };
            let ends = if self.is_sure { 1.0 } else { self.at_once };
            let ends = Figure { value: ends, error: if self.is_sure { 0.0 } else { self.start_error } };
            return Ok(Moments { ends, raw: vec![none; count], variance: (count >= 2).then_some(none) });
        }
        let systems = Systems::new(&self.before, limits, budget, watch)?;
        let mut last = match self.is_sure {
            true => certain,
            false => systems.backwards(&self.ends, watch)?,
        };
        let ends = match self.is_sure {
            true => Figure { value: 1.0, error: 0.0 },
            false => self.probability(&last),
        };
        let mut raw = Vec::with_capacity(count);
        for power in 1..=count {
            let share = last.values.iter().zip(&last.errors).map(|(value, error)| error / value);
            let share = share.fold(0.0, f64::max);
            let times = power as f64;
            let right: Vec<f64> = last.values.iter().map(|value| value * times).collect();
            last = systems.backwards(&right, watch)?;
            for (value, error) in last.values.iter().zip(&mut last.errors) {
                *error += (share + 4.0 * UNIT) * (value + *error);
            }
            raw.push(quotient(self.expected(&last), ends));
        }
        let variance = (count >= 2).then(|| {
            let (mean, second) = (raw[0], raw[1]);
            let value = second.value - mean.value * mean.value;
            let error = second.error + (2.0 * mean.value + mean.error) * mean.error;
            Figure { value, error: (error + 2.0 * UNIT * second.value) * (1.0 + 1e-9) }
        });
        Ok(Moments { ends, raw, variance })
    }

    /// The probability that the end is reached, from those of each state.
    fn probability(&self, of_states: &Collected) -> Figure {
        let Figure { value, error } = self.expected(of_states);
        let value = (value + self.at_once).min(1.0);
        Figure { value, error: error + self.start_error + UNIT }
    }

    /// The mean of some values over the start.
    fn expected(&self, collected: &Collected) -> Figure {
        let (mut value, mut error, mut largest) = (0.0, 0.0, 0.0_f64);
        for (weight, (of_state, off)) in self.start.iter().zip(collected.values.iter().zip(&collected.errors))
        {
            value += weight * of_state;
            error += weight * off;
            largest = largest.max(of_state + off);
        }
        let rounding = (self.start.len() + 4) as f64 * UNIT * value;
        Figure { value, error: (error + self.start_error * largest + rounding) * (1.0 + 1e-9) }
    }
}

/// A quotient of a figure by a probability.
fn quotient(figure: Figure, by: Figure) -> Figure {
    if by.value == 1.0 && by.error == 0.0 {
        return figure;
    }
    let value = figure.value / by.value;
    let error = (figure.error + value * by.error) / (by.value - by.error).max(0.0) + 2.0 * UNIT * value;
    Figure { value, error: error * (1.0 + 1e-9) }
}
