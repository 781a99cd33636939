//! The estimated error of an answer of all probabilities: between the parts of a nearly decomposable chain,
//! and within them.

use std::iter;

use super::sweeps::sweep_some;
use super::{MANY_STATES, Problem, Turns};
use crate::limits::Watch;
use crate::linear::bicgstab;
use crate::linear::iteration::{Halt, Iterations};
use crate::linear::krylov::{Preconditioning, Width};
use crate::operator::TriangularSweep;
use crate::operator::transposed::TransposedRates;
use crate::steady::decomposition::Decomposition;
use crate::steady::error_estimate::{self, Estimate, FirstLook, Means};

impl Problem<'_> {
    /// The estimated error of an answer, after that of a worse one, whose defects were amplified just as
    /// much. If iterations go on, there may be a better answer.
    pub(super) fn error_after(
        &self,
        before: Estimate,
        (task, preconditioning): (&Turns<'_>, Preconditioning),
        goes_on: bool,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Estimate, Halt> {
        let mut first_look = None;
        if before.error.is_finite() {
            let estimate = before.with_defect(self.chain.balance(task.pi).defect);
            let between_parts = task.decomposition.imbalance(self.chain, task.pi, budget.watch())?;
            if between_parts <= self.options.tolerance && estimate.error <= self.options.tolerance {
                return Ok(Estimate { error: estimate.error.max(between_parts), ..estimate });
            }
            first_look = estimate.first_look;
        }
        let goes_on = goes_on && !task.are_in_parts();
        self.error((task.decomposition, preconditioning), task.pi, (goes_on, first_look), budget)
    }

    /// Whether sweeps over an answer are enough, where an estimate says how the chain amplifies defects. What
    /// a Krylov method leaves at last is rounding, of which sweeps leave half, and often much less. Where
    /// that is not enough, the answer stays as it is: iterations from there get no further than others.
    pub(super) fn sweeps_are_enough(
        &self,
        before: &Estimate,
        task: &mut Turns<'_>,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<bool, Halt> {
        if !before.error.is_finite() || task.are_in_parts() {
            return Ok(false);
        }
        let mut swept = task.pi.clone();
        sweep_some(self.chain, &mut swept, &mut || budget.look())?;
        self.chain.make_positive(&mut swept);
        let defect = self.chain.balance(&swept).defect;
        let is_enough = before.error_with(defect) <= self.options.tolerance;
        if is_enough {
            *task.pi = swept;
            budget.defect = defect;
        }
        Ok(is_enough)
    }

    /// The estimated error of an answer, with this preconditioner first; infinite where there is no estimate.
    /// If iterations go on, a second look may wait; what a first look at a worse answer showed is not looked
    /// at again.
    pub(super) fn error(
        &self,
        (decomposition, first): (&Decomposition, Preconditioning),
        pi: &[f64],
        (goes_on, mut first_look): (bool, Option<FirstLook>),
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Estimate, Halt> {
        let between_parts = decomposition.imbalance(self.chain, pi, budget.watch())?;
        if between_parts.is_nan() || between_parts > self.options.tolerance {
            let error = if between_parts.is_nan() { f64::INFINITY } else { between_parts };
            return Ok(Estimate { error, ..Estimate::NONE });
        }
        let mut estimate = Estimate::NONE;
        if let Some(within) = self.within_parts(decomposition, budget.watch())? {
            let chains: (_, &dyn TriangularSweep) = (self.chain, &within);
            let look = (Preconditioning::Dilu, goes_on, first_look.take());
            estimate = self.error_within(chains, decomposition, (pi, within.memory()), look, budget)?;
        }
        let second = (first != Preconditioning::Ilu0).then_some(Preconditioning::Ilu0);
        for preconditioning in iter::once(first).chain(second) {
            let bytes = preconditioning.memory(pi.len() as u64, self.chain.rates());
            if estimate.error.is_finite() || bytes > self.budget.left() {
                break;
            }
            let look = (preconditioning, goes_on, first_look.take());
            let chains = (self.chain, self.chain);
            estimate = self.error_within(chains, decomposition, (pi, bytes), look, budget)?;
        }
        Ok(Estimate { error: estimate.error.max(between_parts), ..estimate })
    }

    /// The chain without what connects parts, if there are several and there is room for it. The slow flows
    /// between parts, which the balance between them has set right, then do not hold up the estimate of the
    /// errors within them.
    fn within_parts(
        &self,
        decomposition: &Decomposition,
        watch: &mut Watch<'_>,
    ) -> Result<Option<TransposedRates>, Halt> {
        let (split, states) = (decomposition.split(), self.chain.states() as u64);
        if split.count() == 1 {
            return Ok(None);
        }
        let taken = decomposition.memory() + 9 * states + bicgstab::memory(states, Width::Double);
        let (part, budget) = (|state: usize| split.part(state), self.budget.beside(taken));
        let within = TransposedRates::within_parts(self.chain, &part, budget, watch);
        let shared = within.and_then(|within| within.map(|within| within.shared(budget, watch)).transpose());
        shared.map_err(|stopped| Halt::Limit(stopped.limit))
    }

    /// The estimated error within parts, with so many bytes taken.
    fn error_within(
        &self,
        chains: (&dyn TriangularSweep, &dyn TriangularSweep),
        decomposition: &Decomposition,
        (pi, taken): (&[f64], u64),
        (preconditioning, goes_on, first_look): (Preconditioning, bool, Option<FirstLook>),
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Estimate, Halt> {
        let (width, states) = (self.width_of_estimate(decomposition), pi.len() as u64);
        let taken = decomposition.memory() + 9 * states + bicgstab::memory(states, width) + taken;
        let (tolerance, bytes) = (self.options.tolerance, self.budget.left().saturating_sub(taken));
        let means = Means { preconditioning, width, tolerance, bytes, goes_on, first_look };
        error_estimate::error(chains, decomposition.split(), pi, means, budget)
    }

    /// The type in which vectors are stored for an estimate, which needs few digits: vectors of `f32` take
    /// half the time to read and write.
    pub(super) fn width_of_estimate(&self, decomposition: &Decomposition) -> Width {
        if self.chain.states() >= MANY_STATES { Width::Single } else { self.width(decomposition) }
    }
}
