//! How a chain is arranged where the first method is slow: the order of its states, the preconditioner, and the estimate to start from.
//!
//! Where most transitions are unlikely, probability flows in a direction: queues that are nearly always full, machines that fail
//! seldom. Then a few cycles of [multilevel aggregation](crate::linear::multilevel) bring the probability to where it belongs, over
//! distances for which a Krylov method would need an iteration a step. And if sweeps in the [order of the flow](crate::order) reduce the
//! defects much faster, which ten of them show, the states are arranged in that order.

use std::sync::Arc;

use super::{PROBED, Problem};
use crate::limits::Stopped;
use crate::linear::iteration::{Halt, Iterations};
use crate::linear::krylov::Preconditioning;
use crate::linear::multilevel::{self, Multilevel};
use crate::operator::transposed::TransposedRates;
use crate::operator::{RateOperator, TriangularSweep};
use crate::order::{self, Order};
use crate::steady::former::Certifying;
use crate::vector::total;

/// From this share of unlikely transitions on, probability flows in a direction. Closed networks have none, tandem queues and clusters
/// more than half.
const DIRECTED: f64 = 0.25;

/// The cycles of multilevel aggregation to start with. With fewer, Krylov methods stall on tandem queues.
const CYCLES: usize = 5;

/// The sweeps by which orders are compared, and by which factor a better one leaves less.
const SWEEPS: usize = 10;
const BETTER: f64 = 0.25;

/// How a chain is to be solved.
pub(super) struct Arrangement {
    pub(super) preconditioning: Preconditioning,
    /// Another order of the states, and the chain in that order.
    in_order: Option<(Arc<Order>, TransposedRates)>,
}

impl Arrangement {
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

    /// The values of the arranged states, by state.
    pub(super) fn by_state(&self, pi: Vec<f64>) -> Vec<f64> {
        match self.order() {
            Some(order) => order.restored(&pi),
            None => pi,
        }
    }

    /// The bytes that it takes.
    pub(super) fn memory(&self) -> u64 {
        self.in_order.as_ref().map_or(0, |(_, list)| list.memory() + Order::memory(list.states() as u64))
    }
}

/// Whether probability flows in a direction.
pub(super) fn is_directed(chain: &dyn RateOperator) -> bool {
    order::share_of_unlikely(chain) >= DIRECTED
}

impl Problem<'_> {
    /// Arranges a chain that is large, and improves a first estimate, which is arranged in the same way.
    pub(super) fn arrangement(
        &self,
        pi: &mut Vec<f64>,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Arrangement, Halt> {
        let (states, rates) = (self.chain.states() as u64, self.chain.rates());
        if pi.len() < PROBED {
            return Ok(Arrangement { preconditioning: Preconditioning::Ilu0, in_order: None });
        }
        if !is_directed(self.chain) {
            return Ok(Arrangement { preconditioning: Preconditioning::Forward, in_order: None });
        }
        if self.budget.check(2 * 8 * states + multilevel::memory(states, rates)).is_ok() {
            let mut multilevel = Multilevel::new(self.chain, budget.watch())?;
            for _ in 0..CYCLES {
                budget.count(budget.defect)?;
                multilevel.cycle(pi, budget.watch())?;
            }
            self.chain.make_positive(pi);
        }
        let in_order = self.by_flow(pi, budget)?.map(|(order, arranged)| (Arc::new(order), arranged));
        let preconditioning =
            if in_order.is_some() { Preconditioning::Forward } else { Preconditioning::Ilu0 };
        Ok(Arrangement { preconditioning, in_order })
    }

    /// Arranges a chain as one with nearly the same rates was; `None` if there is no room for it.
    pub(super) fn arranged_as(
        &self,
        former: &Certifying,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Option<Arrangement>, Halt> {
        let preconditioning = former.preconditioning;
        let Some(order) = &former.order else {
            return Ok(Some(Arrangement { preconditioning, in_order: None }));
        };
        let stopped = |stopped: Stopped| Halt::Limit(stopped.limit);
        let memory = self.budget.beside(8 * self.chain.states() as u64);
        let arranged = TransposedRates::arranged(self.chain, order.places(), memory, budget.watch());
        let Some(arranged) = arranged.map_err(stopped)? else { return Ok(None) };
        let arranged = arranged.shared(memory, budget.watch()).map_err(stopped)?;
        Ok(Some(Arrangement { preconditioning, in_order: Some((Arc::clone(order), arranged)) }))
    }

    /// The order of the flow and the chain in that order, if sweeps are much better then; the estimate that they leave.
    fn by_flow(
        &self,
        pi: &mut Vec<f64>,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Option<(Order, TransposedRates)>, Halt> {
        let (states, rates) = (self.chain.states() as u64, self.chain.rates());
        let memory = self.budget.beside(Order::memory(states) + 4 * 8 * states);
        if memory.check(order::memory(states, rates)).is_err() {
            return Ok(None);
        }
        let stopped = |stopped: Stopped| Halt::Limit(stopped.limit);
        let order = order::by_flow(self.chain, budget.watch()).map_err(stopped)?;
        let arranged = TransposedRates::arranged(self.chain, order.places(), memory, budget.watch());
        let Some(arranged) = arranged.map_err(stopped)? else { return Ok(None) };
        let arranged = arranged.by_level(memory, budget.watch()).map_err(stopped)?;
        let order = if let Some(levels) = arranged.order() { order.then(levels) } else { order };
        let arranged = arranged.shared(memory, budget.watch()).map_err(stopped)?;
        let mut swept = order.arranged(pi);
        let better = BETTER * after_sweeps(self.chain, pi, budget)?;
        if after_sweeps(&arranged, &mut swept, budget)? > better {
            return Ok(None);
        }
        *pi = swept;
        Ok(Some((order, arranged)))
    }
}

/// What some sweeps leave of the defects in all.
fn after_sweeps(
    chain: &dyn TriangularSweep,
    pi: &mut [f64],
    budget: &mut Iterations<'_, '_>,
) -> Result<f64, Halt> {
    for _ in 0..SWEEPS {
        budget.look()?;
        chain.sweep(pi, 1.0);
    }
    chain.make_positive(pi);
    Ok(left_by(chain, pi))
}

/// What an estimate leaves of the balance equations: the sum of all that flows into states too much or too little.
pub(super) fn left_by(chain: &dyn TriangularSweep, pi: &[f64]) -> f64 {
    let mut net = vec![0.0; pi.len()];
    chain.net(pi, &mut net);
    net.iter_mut().for_each(|net| *net = net.abs());
    total(&net)
}
