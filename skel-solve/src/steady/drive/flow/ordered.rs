//! The order in which a chain is swept: its own if that is quick, and otherwise that of the flow.

use std::sync::Arc;

use crate::limits::memory::MemoryBudget;
use crate::limits::{Stopped, Watch};
use crate::linear::iteration::{Halt, Iterations};
use crate::linear::krylov::Preconditioning;
use crate::operator::TriangularSweep;
use crate::operator::transposed::TransposedRates;
use crate::order::{self, Order};
use crate::steady::drive::Problem;
use crate::steady::drive::arrangement::Arrangement;
use crate::steady::drive::likely::count_likely;
use crate::steady::drive::sweeps::{left, sweep_some};
use crate::team::{Member, led};

/// Sweeps are quick if a [few](crate::steady::drive::sweeps::SWEEPS) leave no more than this share of the
/// total defect.
const QUICK: f64 = 0.1;

/// Where a few sweeps in the order that the states have show at least this share of them below that of the
/// likeliest one, a truncation comes before the order of the flow. Clusters and chains of parts drawn at random
/// that it does not suit have up to 0.2 of such states, others that it solves in half of the time 0.28 to 0.6.
const MANY_RARE: f64 = 0.25;
const RARE_AFTER_SWEEPS: f64 = 1e-10;

/// What comes of the order of the flow.
pub(super) enum Flow<T> {
    Found(T),
    /// Few states are likely, which is of more use.
    FewAreLikely,
    /// There is no room for the order, or sweeps in it are no use.
    OfNoUse,
}

/// A chain in the order in which it is swept.
pub(super) struct Ordered {
    pub(super) arrangement: Arrangement,
    /// Whether probability flows in no direction, so that the states have the order that they had.
    pub(super) goes_back_and_forth: bool,
}

impl Problem<'_> {
    /// The states in their own order if sweeps are quick in it, and otherwise in that of the flow, unless sweeps
    /// show that few are likely and nothing came of that yet. Sweeps in an order that was found without regard
    /// to threads are the work of one. Another one, if there is one, finds the order meanwhile.
    pub(super) fn own_or_by_flow(
        &self,
        pi: &mut [f64],
        had_truncation: bool,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Flow<Ordered>, Halt> {
        let Some(memory) = self.room_for_order() else {
            let is_quick = is_quick(self.chain, pi, &mut || budget.look())?;
            let arrangement = is_quick.then(|| self.with_factors(budget.watch())).transpose()?;
            return Ok(found(arrangement));
        };
        let copy = self.copy(budget.watch())?;
        let chain: &dyn TriangularSweep = copy.as_ref().map_or(self.chain, |list| list);
        let (is_quick, found_meanwhile) = match self.chain.threads() {
            1 => (is_quick(self.chain, pi, &mut || budget.look())?, None),
            _ => {
                let mut quick = Ok(false);
                let sweeping = |(pi, quick): (&mut [f64], &mut Result<bool, Halt>), _: Member<'_>| {
                    *quick = is_quick(self.chain, pi, &mut || Ok(()));
                };
                let order = led(|_| flow(chain, budget.watch()), vec![(&mut *pi, &mut quick)], sweeping);
                budget.look()?;
                (quick?, Some(order?))
            }
        };
        if is_quick {
            return Ok(found(Some(self.with_factors_of(copy, budget.watch())?)));
        }
        if !had_truncation && self.chain.list().is_some() && are_many_rare(pi) {
            return Ok(Flow::FewAreLikely);
        }
        let order = match found_meanwhile {
            Some(order) => order,
            None => flow(chain, budget.watch())?,
        };
        let Some(order) = order else {
            let arrangement = self.with_factors_of(copy, budget.watch())?;
            return Ok(Flow::Found(Ordered { arrangement, goes_back_and_forth: true }));
        };
        self.in_order_of_flow(order, copy, memory, budget)
    }

    /// The chain in an order, made of its copy if it has one.
    fn in_order_of_flow(
        &self,
        order: Order,
        copy: Option<TransposedRates>,
        memory: MemoryBudget,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Flow<Ordered>, Halt> {
        let order = (Arc::new(order), Preconditioning::Forward);
        if let Some(list) = copy {
            let beside = memory.beside(list.memory());
            let arrangement = Arrangement::in_order(&list, order.clone(), beside, budget.watch())?;
            if arrangement.is_some() {
                return Ok(found(arrangement));
            }
        }
        // There is no room for both lists.
        Ok(found(Arrangement::in_order(self.chain, order, memory, budget.watch())?))
    }

    /// What is left for the states in another order, if there is room to find it.
    fn room_for_order(&self) -> Option<MemoryBudget> {
        let (states, rates) = (self.chain.states() as u64, self.chain.rates());
        let memory = self.budget.beside(Order::memory(states) + 4 * 8 * states);
        memory.check(order::memory(states, rates)).is_ok().then_some(memory)
    }
}

/// A chain in an order of use, if there was room for it.
fn found(arrangement: Option<Arrangement>) -> Flow<Ordered> {
    let ordered = |arrangement| Flow::Found(Ordered { arrangement, goes_back_and_forth: false });
    arrangement.map_or(Flow::OfNoUse, ordered)
}

/// The order of the flow, by level where levels are large; `None` if there is none.
fn flow(chain: &dyn TriangularSweep, watch: &mut Watch<'_>) -> Result<Option<Order>, Stopped> {
    let Some(order) = order::by_flow(chain, chain.threads(), watch)? else { return Ok(None) };
    let by_level = match chain.list() {
        Some(list) => list.levels_in(order.states(), order.places(), watch)?,
        None => None,
    };
    Ok(Some(by_level.map_or(order, Order::of_states)))
}

/// Whether many states are rare beside the likeliest one.
fn are_many_rare(pi: &[f64]) -> bool {
    let rare = pi.len() - count_likely(pi, RARE_AFTER_SWEEPS);
    rare as f64 >= MANY_RARE * pi.len() as f64
}

/// Whether sweeps make quick progress in the order that the states have.
fn is_quick(
    chain: &dyn TriangularSweep,
    pi: &mut [f64],
    look: &mut dyn FnMut() -> Result<(), Halt>,
) -> Result<bool, Halt> {
    sweep_some(chain, pi, look)?;
    let before = left(chain, pi).0;
    sweep_some(chain, pi, look)?;
    Ok(left(chain, pi).0 <= QUICK * before)
}
