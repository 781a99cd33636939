//! Elimination of a chain whose transitions lead only to states with numbers close by, such as a queue with a
//! few phases.
//!
//! Between two states that are left there may come to be a rate only if both are joined with the same
//! eliminated state, so all rates stay within the band of the matrix. It is eliminated in the order that
//! states have, without looking for a better one: a birth-death chain of 100,000 states takes a few
//! milliseconds, a fifth of what fronts and their lists do. Cost: for each state the square of the width.
//! Memory: a number for each entry of the band, `2 w + 1` for each state.

use std::ops::ControlFlow;

use num_traits::Zero;

use super::extended_float::ExtendedFloat;
use super::number::Scalar;
use super::{Unsolved, look};
use crate::limits::BETWEEN_LOOKS;
use crate::limits::Watch;
use crate::operator::RateOperator;

/// The widest band that is eliminated so. In wider ones fronts leave out more of what is empty.
const WIDEST: usize = 8;

/// The steady state of an irreducible chain with a narrow band, within so many bytes; none where the band is
/// wide, the memory too small, or a number beyond the range of `f64`.
pub(crate) fn solve(
    chain: &dyn RateOperator,
    bytes: u64,
    watch: &mut Watch<'_>,
) -> Result<Option<Vec<f64>>, Unsolved> {
    let Some(width) = width(chain) else { return Ok(None) };
    let states = chain.states();
    let of_state = size_of::<f64>() * (2 * width + 3) + size_of::<ExtendedFloat>();
    if (states * of_state) as u64 > bytes {
        return Ok(None);
    }
    look(watch, 0, states as u64)?;
    let mut band = Band::of(chain, width);
    let exits = band.eliminate(watch)?;
    let pi = band.substitute(&exits, watch)?;
    // Rates at the ends of the range of floats may have left it.
    Ok(pi.iter().all(|value| value.is_finite()).then_some(pi))
}

/// The largest distance between two states with a rate between them, unless it is too large.
fn width(chain: &dyn RateOperator) -> Option<usize> {
    let mut width = 0;
    chain.for_each_rate(&mut |from, to, _| {
        width = width.max(from.abs_diff(to));
        if width > WIDEST { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    (width <= WIDEST).then_some(width)
}

/// Rates between states that are at most `width` apart.
struct Band {
    width: usize,
    states: usize,
    /// Row by row the rates to the states from `width` before to `width` behind; the one in the middle says
    /// nothing.
    rates: Vec<f64>,
}

impl Band {
    fn of(chain: &dyn RateOperator, width: usize) -> Band {
        let states = chain.states();
        let mut band = Band { width, states, rates: vec![0.0; states * (2 * width + 1)] };
        chain.for_each_rate(&mut |from, to, rate| {
            let at = band.at(from, to);
            band.rates[at] = rate;
            ControlFlow::Continue(())
        });
        band
    }

    fn at(&self, from: usize, to: usize) -> usize {
        from * (2 * self.width + 1) + to + self.width - from
    }

    /// The states that are joined with one and go after it.
    fn later(&self, state: usize) -> std::ops::Range<usize> {
        state + 1..self.states.min(state + self.width + 1)
    }

    /// Eliminates all states but the last; the rate at which each leaves for those behind it.
    fn eliminate(&mut self, watch: &mut Watch<'_>) -> Result<Vec<f64>, Unsolved> {
        let mut exits = Vec::with_capacity(self.states);
        let mut next = [0.0; WIDEST];
        for state in 0..self.states - 1 {
            if state.is_multiple_of(BETWEEN_LOOKS) {
                look(watch, state as u64, self.states as u64)?;
            }
            let later = self.later(state);
            let start = self.at(state, later.start);
            let onward = &self.rates[start..start + later.len()];
            let exit: f64 = onward.iter().sum();
            next.iter_mut().zip(onward).for_each(|(next, rate)| *next = rate / exit);
            exits.push(exit);
            for from in later.clone() {
                let back = self.rates[self.at(from, state)];
                if back != 0.0 {
                    let start = self.at(from, later.start);
                    let sums = &mut self.rates[start..start + later.len()];
                    sums.iter_mut().zip(&next).for_each(|(sum, next)| *sum += back * next);
                }
            }
        }
        Ok(exits)
    }

    /// The probabilities.
    fn substitute(&self, exits: &[f64], watch: &mut Watch<'_>) -> Result<Vec<f64>, Unsolved> {
        let mut pi = vec![ExtendedFloat::zero(); self.states];
        pi[self.states - 1] = 1.0.unscaled();
        for state in (0..self.states - 1).rev() {
            if state.is_multiple_of(BETWEEN_LOOKS) {
                look(watch, self.states as u64, self.states as u64)?;
            }
            let inflow = |from: usize| pi[from] * self.rates[self.at(from, state)].unscaled();
            let sum = self.later(state).map(inflow).fold(ExtendedFloat::zero(), |sum, more| sum + more);
            pi[state] = sum / exits[state].unscaled();
        }
        let sum = pi.iter().fold(ExtendedFloat::zero(), |sum, &value| sum + value);
        Ok(pi.into_iter().map(|value| f64::scaled(value / sum)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::solve;
    use crate::limits::memory::MemoryBudget;
    use crate::limits::{Limits, Watch};
    use crate::linear::elimination;
    use crate::operator::assemble::generator;
    use crate::operator::transposed::TransposedRates;

    /// A queue of so many places, in which each customer has two phases, as rates out of each state.
    fn queue(states: usize, lead: usize) -> Vec<Vec<(u32, f64)>> {
        let row = |state: usize| {
            let up = (state + 2 < states).then(|| (state as u32 + 2, 0.7 + 0.01 * (state % 5) as f64));
            let phase = state.is_multiple_of(2).then(|| (state as u32 + 1, 1.3));
            let down = (!state.is_multiple_of(2)).then(|| (state.saturating_sub(lead) as u32, 2.0));
            let mut row: Vec<_> = down.into_iter().chain(phase).chain(up).collect();
            row.retain(|&(target, _)| (target as usize) < states && target as usize != state);
            row
        };
        (0..states).map(row).collect()
    }

    fn chain<'l>(rows: &[Vec<(u32, f64)>], watch: &mut Watch<'l>, limits: &Limits) -> TransposedRates {
        let given: crate::operator::transposed::Rows<'_> = &|_, visit| {
            rows.iter().enumerate().for_each(|(state, row)| visit(state, row));
            Ok(())
        };
        TransposedRates::new(rows.len(), given, MemoryBudget::new(limits), watch)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn a_band_has_the_probabilities_of_fronts() {
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        for (states, lead) in [(2, 1), (3, 1), (40, 1), (41, 3), (3000, 3), (3000, 7)] {
            let states = states + states % 2;
            let chain = chain(&queue(states, lead), &mut watch, &limits);
            let Ok(Some(found)) = solve(&chain, u64::MAX, &mut watch) else { panic!("a narrow band") };
            let Ok(generator) = generator(&chain, &mut watch) else { panic!("a matrix") };
            let by_fronts = elimination::solve(&generator, u64::MAX, u64::MAX, &mut watch);
            let Ok(by_fronts) = by_fronts else { panic!("a solution") };
            for (one, other) in found.iter().zip(&by_fronts) {
                assert!((one - other).abs() <= 1e-12 * other, "{states} {lead}: {one} {other}");
            }
        }
    }

    #[test]
    fn a_wide_band_and_little_memory_are_refused() {
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        let wide = chain(&queue(100, 9), &mut watch, &limits);
        assert!(matches!(solve(&wide, u64::MAX, &mut watch), Ok(None)));
        let narrow = chain(&queue(100, 1), &mut watch, &limits);
        assert!(matches!(solve(&narrow, 1000, &mut watch), Ok(None)));
    }
}
