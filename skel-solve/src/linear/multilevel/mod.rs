//! Multilevel aggregation: a chain is solved by means of smaller ones, in which groups of states are one
//! state each.
//!
//! What a sweep of Gauss-Seidel leaves wrong is smooth: neighbours that exchange much probability are wrong
//! by the same factor. So each state is paired with the neighbour that it exchanges most with, the pairs are
//! the states of a smaller chain, whose rates are those that the estimate implies, and the smaller chain is
//! improved in the same way. Its answer says by which factors the pairs are wrong. A *cycle* goes down to a
//! chain that is eliminated, and back up, with a forward sweep before and a backward sweep after. All numbers
//! are positive, so no digits cancel, and the smallest probabilities come out right too. The number of cycles
//! hardly depends on the number of states for queues in a line, nor on how slow the connections are for
//! chains in nearly decomposable parts.
//!
//! G. Horton, S. T. Leutenegger, SIGMETRICS 1994; H. De Sterck, T. A. Manteuffel, S. F. McCormick, Q. Nguyen,
//! J. Ruge, SIAM J. Sci. Comput. 30 (2008). Pairs: Y. Notay, Electron. Trans. Numer. Anal. 37 (2010).
//!
//! Convergence: the defects are computed after each cycle, and the method ends when none is above the target.
//! It stagnates if thirty cycles do not halve the worst of them. Cost of a cycle: as ten to thirty sweeps of
//! Gauss-Seidel. Memory: 16 bytes a rate and 56 a state, for the chain and all smaller ones, which are twice
//! as large together.

mod aggregates;
mod level;

use crate::chain::Generator;
use crate::limits::Watch;
use crate::linear::MethodUsed;
use crate::linear::elimination;
use crate::linear::iteration::{Halt, Iterations, IterativeMethod, check};
use crate::operator::{RateOperator, TriangularSweep};
use crate::vector::total;
use aggregates::Aggregates;
use level::Level;

/// The most states of a chain that is eliminated.
const ELIMINATED: usize = 50;

/// The most states of a last chain that is eliminated, where no smaller one is to be had.
const MOST_ELIMINATED: usize = 1000;

/// Sweeps for a larger last chain.
const SWEEPS: usize = 20;

/// The share of the states that a smaller chain must not exceed.
const SMALLER: f64 = 0.85;

/// Cycles in which the groups are made anew. Where a few cycles are all there are, [`FEW_WITH_NEW_GROUPS`] do
/// as well.
const CYCLES_WITH_NEW_GROUPS: usize = 5;
pub(crate) const FEW_WITH_NEW_GROUPS: usize = 2;

/// The method stagnates if so many cycles do not halve the defects.
const CYCLES_TO_HALVE: u32 = 30;

/// Cycles until no defect is above a target.
pub(crate) struct Cycles;

impl IterativeMethod for Cycles {
    fn method(&self) -> MethodUsed {
        MethodUsed::Multilevel
    }

    fn memory(&self, states: u64, rates: u64) -> u64 {
        memory(states, rates) + 2 * 8 * states
    }

    fn solve(
        &self,
        chain: &dyn TriangularSweep,
        pi: &mut [f64],
        target: f64,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(), Halt> {
        let mut multilevel = Multilevel::new(chain, CYCLES_WITH_NEW_GROUPS, budget.watch())?;
        let mut work = vec![0.0; pi.len()];
        let mut best = f64::INFINITY;
        let mut cycles_without_gain = 0;
        loop {
            let defect = chain.net(pi, &mut work).defect;
            budget.defect = defect;
            if defect <= target {
                return Ok(());
            }
            budget.count(defect)?;
            if defect <= 0.5 * best {
                (best, cycles_without_gain) = (defect, 0);
            } else {
                cycles_without_gain += 1;
            }
            if defect.is_nan() || cycles_without_gain > CYCLES_TO_HALVE {
                return Err(Halt::Stagnated);
            }
            work.copy_from_slice(pi);
            multilevel.cycle(pi, budget.watch())?;
            work.iter_mut().zip(&*pi).for_each(|(before, value)| *before = value - *before);
            budget.remember(defect, (&work, pi), chain.threads());
        }
    }
}

/// The chain and the smaller ones that are made of it.
pub(crate) struct Multilevel {
    /// The chain, smaller ones, and lists that are used again.
    levels: Vec<Level>,
    /// The last of the chains.
    last: usize,
    /// The cycles that are left in which groups are made anew.
    with_new_groups: usize,
}

/// The bytes that it takes, for all levels.
pub(crate) fn memory(states: u64, rates: u64) -> u64 {
    3 * 16 * rates + 3 * 56 * states
}

impl Multilevel {
    /// Copies the rates of a chain. Groups are made anew in so many cycles.
    pub(crate) fn new(
        chain: &dyn RateOperator,
        with_new_groups: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Multilevel, Halt> {
        let level = Level::of(chain);
        check(watch)?;
        Ok(Multilevel { levels: vec![level], last: 0, with_new_groups })
    }

    /// Improves an estimate with sum one by one cycle.
    pub(crate) fn cycle(&mut self, pi: &mut [f64], watch: &mut Watch<'_>) -> Result<(), Halt> {
        let is_new = self.with_new_groups > 0;
        self.with_new_groups = self.with_new_groups.saturating_sub(1);
        self.levels[0].values.copy_from_slice(pi);
        let mut last = 0;
        loop {
            check(watch)?;
            self.levels[last].sweep();
            let goes_on = if is_new { self.group(last) } else { last < self.last };
            if !goes_on {
                break;
            }
            if !is_new {
                let (finer, coarser) = self.levels.split_at_mut(last + 1);
                finer[last].restrict_to(&mut coarser[0]);
            }
            last += 1;
        }
        self.last = last;
        self.levels[last].solve(watch)?;
        for at in (0..last).rev() {
            check(watch)?;
            let (finer, coarser) = self.levels.split_at_mut(at + 1);
            finer[at].correct_by(&coarser[0]);
            finer[at].sweep_backwards();
        }
        let sum = total(&self.levels[0].values);
        pi.iter_mut().zip(&self.levels[0].values).for_each(|(value, improved)| *value = improved / sum);
        Ok(())
    }

    /// Makes a smaller chain of one, if that is large and its states can be paired; whether it did.
    fn group(&mut self, at: usize) -> bool {
        let states = self.levels[at].values.len();
        if states <= ELIMINATED {
            return false;
        }
        if self.levels.len() == at + 1 {
            self.levels.push(Level::default());
        }
        let (finer, coarser) = self.levels.split_at_mut(at + 1);
        let (level, coarser) = (&mut finer[at], &mut coarser[0]);
        let aggregates = Aggregates::pairs((&level.values, &level.inverses), |state| level.rates_into(state));
        let is_smaller = aggregates.count() as f64 <= SMALLER * states as f64;
        if is_smaller {
            level.group(aggregates, coarser);
        }
        is_smaller
    }
}

impl Level {
    /// Solves the chain of this level, or improves its estimate.
    fn solve(&mut self, watch: &mut Watch<'_>) -> Result<(), Halt> {
        if self.values.len() > MOST_ELIMINATED {
            (0..SWEEPS).for_each(|_| self.sweep());
            return Ok(());
        }
        self.values = elimination::solve(&self.generator(), u64::MAX, u64::MAX, watch)?;
        Ok(())
    }

    fn generator(&self) -> Generator<f64> {
        Generator::of_rates(&self.exits, |visit| self.for_each_rate(visit))
    }
}

#[cfg(test)]
mod tests;
