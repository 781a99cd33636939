//! Solves once more by the way that led to an answer for nearby rates.
//!
//! An attempt that gives no answer leaves nothing: then everything is done as for a chain of which nothing is
//! known. So a start that is of no use costs iterations, and no digits.

use super::sums::Beginning;
use super::sweeps::sweep_some;
use std::sync::Arc;

use super::arrangement::Arrangement;
use super::{Problem, Tried, Turns, methods};
use crate::error::Error;
use crate::limits::{Stopped, Watch};
use crate::linear::MethodUsed;
use crate::linear::bicgstab::BiCgStab;
use crate::linear::iteration::{Halt, Iterations, SMALL};
use crate::linear::krylov::{Preconditioning, Width};
use crate::steady::Method;
use crate::steady::decomposition::Decomposition;
use crate::steady::drive::{Answer, MOST_FOR_SUMS, PROBED};
use crate::steady::error_estimate::{self, Amplification, Estimate};
use crate::steady::former::{Former, Iterated, Way};

impl Problem<'_> {
    /// Solves for sums from a former solution for sums.
    pub(super) fn sums_again(
        &self,
        tried: &mut Tried,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Answer>, Error> {
        let (Some(start), Some((former, _))) = (self.given.start, self.given.former) else { return Ok(None) };
        match &former.way {
            Way::Sums(certifying) if self.options.method == Method::Automatic => {
                let most = self.limits.iterations.min(MOST_FOR_SUMS);
                let sums =
                    self.with_sums_instead(most, Beginning::Former(start, certifying), tried, watch)?;
                Ok(sums.answer())
            }
            _ => Ok(None),
        }
    }

    /// Solves from a given start, by the method that had the answer before.
    pub(super) fn again(
        &self,
        decomposition: &Decomposition,
        width: Width,
        tried: &mut Tried,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Answer>, Error> {
        let Some(start) = self.given.start else { return Ok(None) };
        let Some(arrangement) = self.known_arrangement(watch)? else {
            // What was left for another order is of no use in this one.
            return match self.known().is_some_and(|known| known.order.is_some()) {
                true => Ok(None),
                false => self.solve_from(start, decomposition, width, tried, watch),
            };
        };
        let start = arrangement.arranged(start);
        let of_order = arrangement.order().map(|order| decomposition.arranged(order));
        let decomposition = of_order.as_ref().unwrap_or(decomposition);
        let taken = 8 * start.len() as u64 + decomposition.memory();
        let arranged = self.in_arrangement(&arrangement, Some(&start), taken);
        let answer = arranged.solve_from(&start, decomposition, width, tried, watch)?;
        Ok(answer.map(|answer| arrangement.answer_by_state(answer)))
    }

    /// How the chain was arranged for the answer before, if it was and there is room for it.
    fn known_arrangement(&self, watch: &mut Watch<'_>) -> Result<Option<Arrangement>, Stopped> {
        let Some(known) = self.known() else { return Ok(None) };
        let by_factors = known.method == MethodUsed::BiCgStabDilu;
        let preconditioning = if by_factors { Preconditioning::Dilu } else { Preconditioning::Forward };
        match &known.order {
            Some(order) => {
                Arrangement::in_order(self.chain, (Arc::clone(order), preconditioning), self.budget, watch)
            }
            None if by_factors => self.with_factors(watch).map(Some),
            None => Ok(None),
        }
    }

    /// Solves from a start whose states are arranged as those of the chain.
    fn solve_from(
        &self,
        start: &[f64],
        decomposition: &Decomposition,
        width: Width,
        tried: &mut Tried,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Answer>, Error> {
        let known = self.known();
        let method = known.map(|known| known.method);
        let amplification = self.known_amplification();
        let mut methods = methods(self.options.method, width);
        methods.push(Box::new(BiCgStab(Preconditioning::Dilu, width)));
        let known = method.and_then(|known| methods.iter().position(|method| method.method() == known));
        let method = methods.swap_remove(known.unwrap_or(0));
        let mut pi = match amplification {
            Some(_) => {
                let mut pi = start.to_vec();
                self.chain.make_positive(&mut pi);
                // At first, a changed rate moves the probabilities of few states. Sweeps spread that, and
                // save two to four iterations.
                let mut budget = Iterations::new(watch, self.limits.iterations);
                let swept = sweep_some(self.chain, &mut pi, &mut || budget.look());
                swept.map_err(|halt| self.preparing(halt))?;
                self.chain.make_positive(&mut pi);
                pi
            }
            None => self.chain.near(start),
        };
        let is_probed = self.options.method == Method::Automatic && pi.len() >= PROBED;
        let probe = is_probed.then_some(SMALL);
        let turn = Turns::new((decomposition, width), self.most_of_each(), &mut pi, tried);
        let outcome = self.by_method(&*method, &mut Turns { probe, amplification, ..turn }, watch)?;
        Ok(outcome.answer())
    }

    /// How the answer before was found, if it was iterated for all probabilities.
    pub(super) fn known(&self) -> Option<&Iterated> {
        match self.given.former {
            Some((Former { way: Way::Probabilities(known), .. }, _)) => Some(known),
            _ => None,
        }
    }

    /// Whether no parts of the chain are likely to be joined by slow transitions alone, since none were where
    /// all rates were nearly the same.
    pub(super) fn was_in_one_part(&self) -> bool {
        self.known_amplification().is_some() && self.known().is_some_and(|known| known.is_in_one_part)
    }

    /// What the answer before left for estimates.
    pub(super) fn known_amplification(&self) -> Option<&Amplification> {
        let is_near = self.given.former.is_some_and(|(_, is_near)| is_near);
        self.known().filter(|_| is_near)?.amplification.as_ref()
    }

    /// The estimated error by the defects of a former estimate, for a chain in one part.
    pub(super) fn error_again(
        &self,
        task: &Turns<'_>,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Option<Estimate>, Halt> {
        let Some(former) = task.amplification.filter(|_| !task.are_in_parts()) else {
            return Ok(None);
        };
        let (width, states) = (self.width_of_estimate(task.decomposition), task.pi.len() as u64);
        let bytes = task.decomposition.memory() + 8 * states + error_estimate::memory_again(states, width);
        if bytes > self.budget.left() {
            return Ok(None);
        }
        error_estimate::again(self.chain, (task.pi, budget.defect), former, width, budget)
    }
}
