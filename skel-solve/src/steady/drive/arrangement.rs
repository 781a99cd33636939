//! How a chain is arranged to be solved: the order of its states, and the preconditioner.

use std::sync::Arc;

use super::{Answer, Problem};
use crate::limits::memory::MemoryBudget;
use crate::limits::{Stopped, Watch};
use crate::linear::krylov::Preconditioning;
use crate::operator::transposed::TransposedRates;
use crate::operator::{RateOperator, TriangularSweep};
use crate::order::Order;
use crate::steady::drive::Given;
use crate::steady::former::{Certifying, Way};
use crate::vector::total;

/// How a chain is to be solved.
pub(super) struct Arrangement {
    pub(super) preconditioning: Preconditioning,
    /// Another order of the states, and the chain in that order.
    in_order: Option<(Arc<Order>, TransposedRates)>,
}

impl Arrangement {
    /// The states in their own order.
    pub(super) fn own(preconditioning: Preconditioning) -> Arrangement {
        Arrangement { preconditioning, in_order: None }
    }

    /// The states in another order; `None` if there is no room for it.
    pub(super) fn in_order(
        chain: &dyn TriangularSweep,
        order: Arc<Order>,
        memory: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Arrangement>, Stopped> {
        let Some(arranged) = TransposedRates::arranged(chain, order.places(), memory, watch)? else {
            return Ok(None);
        };
        Ok(Some(Arrangement::of(arranged.shared(memory, watch)?, order)))
    }

    fn of(arranged: TransposedRates, order: Arc<Order>) -> Arrangement {
        Arrangement { preconditioning: Preconditioning::Forward, in_order: Some((order, arranged)) }
    }

    /// The chain as it is to be solved.
    pub(super) fn chain<'c>(&'c self, chain: &'c dyn TriangularSweep) -> &'c dyn TriangularSweep {
        match &self.in_order {
            Some((_, arranged)) => arranged,
            None => chain,
        }
    }

    /// The order of the states, if it is not theirs.
    pub(super) fn order(&self) -> Option<&Arc<Order>> {
        self.in_order.as_ref().map(|(order, _)| order)
    }

    /// The values of the states, as they are arranged.
    pub(super) fn arranged(&self, of_states: &[f64]) -> Vec<f64> {
        self.order().map_or_else(|| of_states.to_vec(), |order| order.arranged(of_states))
    }

    /// The values of the arranged states, by state.
    pub(super) fn by_state(&self, pi: Vec<f64>) -> Vec<f64> {
        match self.order() {
            Some(order) => order.restored(&pi),
            None => pi,
        }
    }

    /// An answer for the arranged chain, by state.
    pub(super) fn answer_by_state(&self, mut answer: Answer) -> Answer {
        answer.pi = self.by_state(answer.pi);
        if let Way::Probabilities(found) = &mut answer.way {
            found.order = self.order().cloned();
        }
        answer
    }

    /// The bytes that it takes.
    pub(super) fn memory(&self) -> u64 {
        self.in_order.as_ref().map_or(0, |(_, list)| list.memory() + Order::memory(list.states() as u64))
    }
}

impl Problem<'_> {
    /// The chain as it is arranged, with a start that is arranged like it, if there is one, and so many bytes taken.
    pub(super) fn in_arrangement<'a>(
        &'a self,
        arrangement: &'a Arrangement,
        start: Option<&'a [f64]>,
        bytes: u64,
    ) -> Problem<'a> {
        Problem {
            chain: arrangement.chain(self.chain),
            given: Given { start, former: self.given.former, ..Given::default() },
            budget: self.budget.beside(arrangement.memory() + bytes),
            ..*self
        }
    }

    /// Arranges a chain as one with nearly the same rates was; `None` if there is no room for it.
    pub(super) fn arranged_as(
        &self,
        former: &Certifying,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Arrangement>, Stopped> {
        let preconditioning = former.preconditioning;
        let Some(order) = &former.order else {
            return Ok(Some(Arrangement::own(preconditioning)));
        };
        let memory = self.budget.beside(8 * self.chain.states() as u64);
        Arrangement::in_order(self.chain, Arc::clone(order), memory, watch)
    }
}

/// What an estimate leaves of the balance equations: the sum of all that flows into states too much or too little.
pub(super) fn left_by(chain: &dyn TriangularSweep, pi: &[f64]) -> f64 {
    let mut net = vec![0.0; pi.len()];
    chain.net(pi, &mut net);
    net.iter_mut().for_each(|net| *net = net.abs());
    total(&net)
}
