//! When a certificate is looked for, for which costs and states, and what it says of an estimate.

use super::{Bound, Certificate, Net, grown};
use crate::limits::memory::MemoryBudget;
use crate::linear::iteration::{Halt, Iterations};
use crate::linear::krylov::Source;
use crate::operator::{RateOperator, TriangularSweep};
use crate::steady::drive::arrangement::Arrangement;
use crate::steady::drive::likely::Likely;
use crate::steady::former::Function;

/// Iterations that take about as long as an elimination of few states.
const FEW_ITERATIONS: u64 = 60;

/// A certificate, and what it takes to find one.
pub(in crate::steady::drive) struct Certifier<'a> {
    pub(in crate::steady::drive) arrangement: &'a Arrangement,
    /// What is left beside the arrangement.
    memory: MemoryBudget,
    /// The error that sums may have.
    tolerance: f64,
    pub(in crate::steady::drive) certificate: Option<Certificate>,
    /// The distances of the states from sums that are known to be right to within what a certificate allows
    /// for.
    pub(in crate::steady::drive) distances: Option<Vec<f64>>,
    /// The likely states, if a function for them is to be extended.
    likely: Option<&'a Likely>,
    /// Whether the certificate was found for this chain.
    is_new: bool,
    /// Whether it was found for costs that grow.
    has_grown: bool,
}

impl<'a> Certifier<'a> {
    /// There is no certificate yet but one for nearly the same rates, if at all.
    pub(in crate::steady::drive) fn new(
        (arrangement, likely): (&'a Arrangement, Option<&'a Likely>),
        former: Option<&Function>,
        memory: MemoryBudget,
        tolerance: f64,
    ) -> Certifier<'a> {
        Certifier {
            arrangement,
            memory,
            tolerance,
            certificate: former.map(|former| Certificate(former.clone())),
            distances: None,
            likely,
            is_new: false,
            has_grown: false,
        }
    }

    /// Another certificate is to be found for all states at once, if this one was found for the likely ones.
    pub(in crate::steady::drive) fn forget_likely(&mut self) {
        if self.likely.take().is_some() && self.is_new {
            self.certificate = None;
            self.is_new = false;
        }
    }

    /// What the certificate says of an estimate. One is found if there is none, or if that of a former
    /// solution does not fit; and another one for costs that don't grow, where one for costs that grow says
    /// that the error is above some share of what it was.
    pub(in crate::steady::drive) fn bound(
        &mut self,
        chain: &dyn TriangularSweep,
        estimate: (&[f64], Net<'_>),
        (distances, enough): (&[f64], f64),
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Bound, Halt> {
        let bound = self.bound_of_any_costs(chain, estimate, distances, budget)?;
        if bound.error <= self.tolerance || bound.error <= enough && bound.error.is_finite() {
            return Ok(bound);
        }
        if !std::mem::take(&mut self.has_grown) {
            return Ok(bound);
        }
        let before = self.certificate.take();
        let other = self.found_bound(chain, estimate, (distances, distances), budget)?;
        if other.error < bound.error {
            return Ok(other);
        }
        self.certificate = before;
        Ok(bound)
    }

    fn bound_of_any_costs(
        &mut self,
        chain: &dyn TriangularSweep,
        (pi, net): (&[f64], Net<'_>),
        distances: &[f64],
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Bound, Halt> {
        if self.certificate.is_some() {
            let bound = self.known_bound(chain, (pi, net), distances);
            if self.is_new || bound.error.is_finite() {
                return Ok(bound);
            }
        }
        if let Some(costs) = grown(pi, net.of_states, distances) {
            let bound = self.found_bound(chain, (pi, net), (&costs, distances), budget)?;
            if bound.rounding <= self.tolerance {
                self.has_grown = true;
                return Ok(bound);
            }
        }
        self.found_bound(chain, (pi, net), (distances, distances), budget)
    }

    /// What a certificate for some costs says of sums with these distances: one for the likely states if that
    /// is enough.
    fn found_bound(
        &mut self,
        chain: &dyn TriangularSweep,
        (pi, net): (&[f64], Net<'_>),
        (costs, distances): (&[f64], &[f64]),
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Bound, Halt> {
        if let (Some(likely), Some(list)) = (self.likely, chain.list()) {
            if let Some(found) = self.of_likely(likely, (pi, costs), budget)? {
                self.certificate = Some(found.extended((list, likely), costs, budget)?);
                self.is_new = true;
                let bound = self.known_bound(chain, (pi, net), distances);
                if bound.error.is_finite() {
                    return Ok(bound);
                }
            }
            self.likely = None;
        }
        self.find(chain, (pi, costs), budget)?;
        Ok(self.known_bound(chain, (pi, net), distances))
    }

    /// A function for the likely states: by iterations if few are enough, else by elimination if that is
    /// cheap. Where some of these states are far rarer than others, iterations may not get there at all.
    fn of_likely(
        &self,
        likely: &Likely,
        (of_all, costs): (&[f64], &[f64]),
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Option<Certificate>, Halt> {
        let [pi, costs] = [likely.taken(of_all), likely.taken(costs)];
        // What there is meanwhile: of all states the estimate, that from before, net flows, distances, costs
        // and a former function; of likely states two of these.
        let beside = self.memory.beside(6 * 8 * of_all.len() as u64 + 2 * 8 * pi.len() as u64);
        let source = Source::Chain(self.arrangement.preconditioning);
        let task: (&dyn RateOperator, _) = (likely.chain(), source);
        let find = |budget: &mut Iterations<'_, '_>| {
            Certificate::find(task, None, (&pi, &costs), self.memory, budget)
        };
        if likely.may_be_eliminated() {
            if let Some(found) = budget.beside_with(FEW_ITERATIONS, find)?.flatten() {
                return Ok(Some(found));
            }
            let eliminated = Certificate::eliminated(likely, (&pi, &costs), beside, budget)?;
            if eliminated.is_some() {
                return Ok(eliminated);
            }
        }
        Ok(budget.beside(find)?.flatten())
    }

    /// What the certificate that there is says.
    fn known_bound(
        &self,
        chain: &dyn TriangularSweep,
        (pi, net): (&[f64], Net<'_>),
        distances: &[f64],
    ) -> Bound {
        self.certificate.as_ref().map_or(Bound::NONE, |known| known.bound(chain, pi, net, distances))
    }

    fn find(
        &mut self,
        chain: &dyn TriangularSweep,
        (pi, costs): (&[f64], &[f64]),
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(), Halt> {
        let former = self.certificate.take().map(|Certificate(function)| function);
        let task: (&dyn RateOperator, _) = (chain, self.arrangement.source());
        self.certificate = Certificate::find(task, former, (pi, costs), self.memory, budget)?;
        self.is_new = true;
        Ok(())
    }
}
