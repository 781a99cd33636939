//! Grassmann, Taksar and Heyman's elimination: a direct method without subtraction.
//!
//! States are eliminated from the last to the first; each elimination replaces the ways through a state by
//! direct rates. Only sums, products and quotients of positive numbers occur, so no digits cancel: in `f64` every
//! probability is right to a few units in the last place, however stiff the chain; in rationals it is exact.
//!
//! Cost: `n^3 / 3` multiplications for a full matrix, less where it stays sparse. In rationals the digits grow
//! too. W. K. Grassmann, M. I. Taksar, D. P. Heyman, Operations Research 33 (1985).

use skel_core::number::Number;

use crate::chain::Generator;
use crate::error::{Error, Reached, Stopped};
use crate::limits::{Progress, Watch};

/// The steady state of an irreducible chain.
pub(super) fn solve<N: Number>(generator: &Generator<N>, watch: &mut Watch<'_>) -> Result<Vec<N>, Error> {
    let count = generator.states();
    let of = count as u64;
    let mut rows: Vec<Vec<N>> = Vec::with_capacity(count);
    for state in 0..count {
        look(watch, 0, of)?;
        let mut row = vec![N::zero(); count];
        for (target, rate) in generator.rates_from(state) {
            row[target] = rate.clone();
        }
        rows.push(row);
    }
    for last in (1..count).rev() {
        let done = (count - 1 - last) as u64;
        let (kept, eliminated) = rows.split_at_mut(last);
        let through = &eliminated[0][..last];
        let exit = through.iter().fold(N::zero(), |sum, rate| sum + rate.clone());
        let onward: Vec<usize> = (0..last).filter(|&target| !through[target].is_zero()).collect();
        for (state, row) in kept.iter_mut().enumerate() {
            if row[last].is_zero() {
                continue;
            }
            look(watch, done, of)?;
            row[last] = row[last].clone() / exit.clone();
            for &target in onward.iter().filter(|&&target| target != state) {
                row[target] = row[target].clone() + row[last].clone() * through[target].clone();
            }
        }
    }
    let mut pi = vec![N::one()];
    for state in 1..count {
        look(watch, of - 1, of)?;
        let inflow = pi
            .iter()
            .zip(&rows)
            .filter(|(_, row)| !row[state].is_zero())
            .fold(N::zero(), |sum, (value, row)| sum + value.clone() * row[state].clone());
        pi.push(inflow);
    }
    let sum = pi.iter().fold(N::zero(), |sum, value| sum + value.clone());
    Ok(pi.into_iter().map(|value| value / sum.clone()).collect())
}

/// The bytes that the rows of an elimination take, but for the digits of fractions.
pub(super) fn memory<N>(states: usize) -> u64 {
    (states as u64).saturating_mul(states as u64).saturating_mul(size_of::<N>() as u64)
}

fn look(watch: &mut Watch<'_>, done: u64, of: u64) -> Result<(), Error> {
    let stopped = |limit| Error::Stopped(Stopped { limit, reached: Reached::Eliminating { done, of } });
    watch.check(|| Progress::Eliminating { done, of }).map_err(stopped)
}
