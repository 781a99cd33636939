//! Slow cuts of a chain: parts that are joined by slow transitions alone, and the balance between them.
//!
//! Where parts are joined by rates of `1e-12`, the split of the probability between them is seen in no state's balance
//! (see [`certainty`](super::certainty)), but in what flows from part to part: sums of positive numbers, in which no digits
//! cancel. If the flows out of a part and into it differ by a share, so do the probabilities of the parts.
//!
//! The parts are found in levels: at level `d` those that are connected by transitions which a state takes with
//! a probability of at least `10^-d`. Levels nest, so where the parts of one are again joined in groups by slower ones
//! still, the next level sees it. Time: a pass over the transitions for each level until all is connected,
//! two or three for a chain without slow cuts. Memory: three vectors.
//!
//! The split between the parts of a level is set right by *aggregation*: with a state for each part and the flows of
//! the estimate as its rates, a small chain whose steady state, by elimination, is what each part should have in all.
//! J. R. Koury, D. F. McAllister, W. J. Stewart, SIAM J. Alg. Disc. Meth. 5 (1984), after the nearly decomposable
//! systems of H. A. Simon and A. Ando, Econometrica 29 (1961).

use super::gth::{self, Unsolved};
use super::iterate::{Halt, Iterations};
use super::ordering::Price;
use crate::chain::{Generator, Matrix};
use crate::disjoint::DisjointSets;

/// The rarest transitions that join parts, in decades: those beyond are below all rounding.
const LEVELS: i32 = 30;

/// The most parts between which the split is set right: a full matrix of them is eliminated in a fraction of a second.
const MOST_PARTS: usize = 600;

/// The parts of one level after the other.
struct Levels<'g> {
    generator: &'g Generator<f64>,
    exits: &'g [f64],
    parts: DisjointSets,
    count: usize,
    level: i32,
}

impl<'g> Levels<'g> {
    fn of(generator: &'g Generator<f64>, exits: &'g [f64]) -> Self {
        let count = exits.len();
        Levels { generator, exits, parts: DisjointSets::new(count), count, level: 0 }
    }

    /// Goes on to the next level that has other parts, and more than one of them; `false` where there is none.
    fn next(&mut self, budget: &mut Iterations<'_, '_>) -> Result<bool, Halt> {
        let before = self.count;
        while self.level < LEVELS && self.count > 1 {
            budget.look()?;
            self.level += 1;
            self.join_likely(10.0_f64.powi(-self.level));
            if self.count < before {
                return Ok(self.count > 1);
            }
        }
        Ok(false)
    }

    fn join_likely(&mut self, probability: f64) {
        for state in 0..self.exits.len() {
            let least = probability * self.exits[state];
            for (target, _) in self.generator.rates_from(state).filter(|(_, rate)| **rate >= least) {
                self.count -= usize::from(self.parts.join(state, target));
            }
        }
    }
}

/// The worst relative difference of the flows out of a part and into it, over the parts of all levels.
pub(super) fn imbalance(
    generator: &Generator<f64>,
    exits: &[f64],
    pi: &[f64],
    budget: &mut Iterations<'_, '_>,
) -> Result<f64, Halt> {
    let mut levels = Levels::of(generator, exits);
    let mut worst = 0.0_f64;
    while levels.next(budget)? {
        let (mut out, mut into) = (vec![0.0; pi.len()], vec![0.0; pi.len()]);
        for (state, value) in pi.iter().enumerate() {
            let part = levels.parts.find(state);
            for (target, rate) in generator.rates_from(state) {
                let other = levels.parts.find(target);
                if other != part {
                    out[part] += value * rate;
                    into[other] += value * rate;
                }
            }
        }
        for (out, into) in out.into_iter().zip(into) {
            let difference = f64::abs(out - into);
            // Also true of what is no number.
            if difference != 0.0 {
                worst = super::worst(&[worst, difference / f64::min(out, into)]);
            }
        }
    }
    Ok(worst)
}

/// The parts of the finest level that has few of them.
pub(super) struct Parts {
    /// Of each state the number of its part.
    pub(super) of_state: Vec<u32>,
    pub(super) count: usize,
}

impl Parts {
    /// Finds them; one that is all states where there are no slow cuts.
    pub(super) fn find(
        generator: &Generator<f64>,
        exits: &[f64],
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Parts, Halt> {
        let mut levels = Levels::of(generator, exits);
        while levels.next(budget)? {
            if levels.count <= MOST_PARTS {
                let mut numbers = vec![u32::MAX; exits.len()];
                let mut count = 0;
                let of_state = (0..exits.len()).map(|state| {
                    let number = &mut numbers[levels.parts.find(state)];
                    if *number == u32::MAX {
                        *number = count;
                        count += 1;
                    }
                    *number
                });
                return Ok(Parts { of_state: of_state.collect(), count: count as usize });
            }
        }
        Ok(Parts { of_state: vec![0; exits.len()], count: 1 })
    }

    /// The sums of a vector over the parts.
    pub(super) fn sums(&self, values: impl Iterator<Item = f64>) -> Vec<f64> {
        let mut sums = vec![0.0; self.count];
        values.zip(&self.of_state).for_each(|(value, &part)| sums[part as usize] += value);
        sums
    }

    /// Sets the split of the probability between the parts right, given that within them.
    pub(super) fn balance(
        &self,
        generator: &Generator<f64>,
        pi: &mut [f64],
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(), Halt> {
        let masses = self.sums(pi.iter().copied());
        let between = self.aggregated(generator, pi, &masses);
        let any = Price { entries: u64::MAX, work: u64::MAX };
        let shares = gth::solve(&between, any, budget.watch()).map_err(|unsolved| match unsolved {
            Unsolved::Stopped(crate::Error::Stopped(stopped)) => Halt::Limit(stopped.limit),
            _ => Halt::Stagnated,
        })?;
        let total: f64 = shares.iter().sum();
        for (value, &part) in pi.iter_mut().zip(&self.of_state) {
            *value *= shares[part as usize] / total / masses[part as usize];
        }
        Ok(())
    }

    /// The chain between the parts.
    fn aggregated(&self, generator: &Generator<f64>, pi: &[f64], masses: &[f64]) -> Generator<f64> {
        let mut rates = vec![vec![0.0; self.count]; self.count];
        for (state, &part) in self.of_state.iter().enumerate() {
            let part = part as usize;
            for (target, rate) in generator.rates_from(state) {
                let other = self.of_state[target] as usize;
                if other != part {
                    let flow = pi[state] / masses[part] * rate;
                    rates[part][other] += flow;
                    rates[part][part] -= flow;
                }
            }
        }
        let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in rates {
            for (column, rate) in row.into_iter().enumerate().filter(|(_, rate)| *rate != 0.0) {
                columns.push(column as u32);
                values.push(rate);
            }
            offsets.push(columns.len());
        }
        Generator::new(Matrix::new(offsets, columns, values))
    }
}
