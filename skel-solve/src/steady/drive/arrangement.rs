//! How a chain is arranged to be solved: the order of its states, and the preconditioner.

use std::sync::Arc;

use super::{Answer, Problem};
use crate::limits::memory::MemoryBudget;
use crate::limits::{Stopped, Watch};
use crate::linear::bicgstab::BiCgStab;
use crate::linear::blocks::Blocks;
use crate::linear::elimination::{Unsolved, worth};
use crate::linear::iteration::{Halt, IterativeMethod};
use crate::linear::krylov::{Preconditioning, Source, Width};
use crate::operator::transposed::TransposedRates;
use crate::operator::{RateOperator, TriangularSweep, left_and_flow};
use crate::order::Order;
use crate::steady::decomposition::slowly_joined;
use crate::steady::drive::Given;
use crate::steady::former::{Certifying, Way};

/// How a chain is to be solved.
pub(super) struct Arrangement {
    pub(super) preconditioning: Preconditioning,
    /// Eliminated blocks, which take the place of that where the chain falls into blocks.
    blocks: Option<Blocks>,
    /// The chain as a list of its own, if it is none or if its states have another order.
    list: Option<TransposedRates>,
    /// The order of the states, if it is not theirs.
    order: Option<Arc<Order>>,
}

impl Arrangement {
    /// The states in their own order.
    pub(super) fn own(preconditioning: Preconditioning) -> Arrangement {
        Arrangement { preconditioning, blocks: None, list: None, order: None }
    }

    /// The states in another order; `None` if there is no room for it.
    pub(super) fn in_order(
        chain: &dyn TriangularSweep,
        (order, preconditioning): (Arc<Order>, Preconditioning),
        memory: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Arrangement>, Stopped> {
        let Some(arranged) = TransposedRates::arranged(chain, order.places(), memory, watch)? else {
            return Ok(None);
        };
        let list = Some(arranged.shared(memory, watch)?);
        Ok(Some(Arrangement { preconditioning, blocks: None, list, order: Some(order) }))
    }

    /// The same states with incomplete factors, for which they are a list.
    pub(super) fn with_dilu(self) -> Arrangement {
        let is_list = self.list.is_some();
        let preconditioning = if is_list { Preconditioning::Dilu } else { self.preconditioning };
        Arrangement { preconditioning, ..self }
    }

    /// BiCGSTAB with the preconditioner.
    pub(super) fn method(&self, width: Width) -> Box<dyn IterativeMethod> {
        Box::new(BiCgStab(self.preconditioning, width))
    }

    /// What preconditioners are made of.
    pub(super) fn source(&self) -> Source<'_> {
        self.blocks.as_ref().map_or(Source::Chain(self.preconditioning), Source::Blocks)
    }

    /// Whether blocks of the chain were eliminated.
    pub(super) fn is_in_blocks(&self) -> bool {
        self.blocks.is_some()
    }

    /// The chain as it is to be solved.
    pub(super) fn chain<'c>(&'c self, chain: &'c dyn TriangularSweep) -> &'c dyn TriangularSweep {
        match &self.list {
            Some(list) => list,
            None => chain,
        }
    }

    /// The order of the states, if it is not theirs.
    pub(super) fn order(&self) -> Option<&Arc<Order>> {
        self.order.as_ref()
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
        let of_order = |order: &Arc<Order>| Order::memory(order.places().len() as u64);
        self.list.as_ref().map_or(0, TransposedRates::memory)
            + self.order.as_ref().map_or(0, of_order)
            + self.blocks.as_ref().map_or(0, Blocks::memory)
    }
}

impl Problem<'_> {
    /// The chain as it is arranged, with a start that is arranged like it, if there is one, and so many bytes
    /// taken.
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
    ) -> Result<Option<Arrangement>, Halt> {
        let memory = self.budget.beside(8 * self.chain.states() as u64);
        if former.is_in_blocks {
            return self.in_blocks(watch);
        }
        match (&former.order, former.preconditioning) {
            (Some(order), preconditioning) => {
                Ok(Arrangement::in_order(self.chain, (Arc::clone(order), preconditioning), memory, watch)?)
            }
            (None, Preconditioning::Dilu) => Ok(Some(self.with_factors(watch)?)),
            (None, own) => Ok(Some(Arrangement::own(own))),
        }
    }

    /// The chain as incomplete factors need it: a list of the rates, whose states are in the order of their
    /// levels if it is made here. Where there is no room for it, sweeps take the place of factors.
    pub(super) fn with_factors(&self, watch: &mut Watch<'_>) -> Result<Arrangement, Stopped> {
        let copy = self.copy(watch)?;
        self.with_factors_of(copy, watch)
    }

    /// The same with the [copy](Self::copy) of the chain, if there is one.
    pub(super) fn with_factors_of(
        &self,
        copy: Option<TransposedRates>,
        watch: &mut Watch<'_>,
    ) -> Result<Arrangement, Stopped> {
        let Some(list) = copy else {
            let is_list = self.chain.kronecker().is_none();
            return Ok(Arrangement::own(if is_list {
                Preconditioning::Dilu
            } else {
                Preconditioning::Forward
            }));
        };
        let memory = self.room_for_copy();
        let list = list.by_level(memory, watch)?.shared(memory, watch)?;
        let order = list.order().map(|order| Arc::new(Order::of_states(order.to_vec())));
        Ok(Arrangement { preconditioning: Preconditioning::Dilu, blocks: None, list: Some(list), order })
    }

    /// The chain with its blocks eliminated. `None` if it does not fall into blocks, if they would take much
    /// time, or if there is no room for them.
    pub(super) fn in_blocks(&self, watch: &mut Watch<'_>) -> Result<Option<Arrangement>, Halt> {
        let copy = self.copy(watch)?;
        let Some(list) = copy.as_ref().or(self.chain.list()) else { return Ok(None) };
        let Some(block_of) = self.blocks(list, watch)? else { return Ok(None) };
        let states = list.states() as u64;
        let of_copy = copy.as_ref().map_or(0, TransposedRates::memory);
        let memory = self.budget.beside(of_copy + Order::memory(states) + 4 * states);
        let most = [memory.beside(worth::beside(list)).left(), worth::of_blocks(list)];
        let (blocks, order) = match Blocks::of(list, &block_of, most, watch) {
            Ok(found) => found,
            Err(Unsolved::Refused) => return Ok(None),
            Err(stopped) => return Err(stopped.into()),
        };
        let memory = memory.beside(blocks.memory());
        let order = (Arc::new(Order::of_states(order)), Preconditioning::Dilu);
        let arrangement = Arrangement::in_order(list, order, memory, watch)?;
        Ok(arrangement.map(|arrangement| Arrangement { blocks: Some(blocks), ..arrangement }))
    }

    /// The number of each state's block, if the chain falls into blocks and there is room to find them.
    pub(super) fn blocks(
        &self,
        chain: &dyn TriangularSweep,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Vec<u32>>, Halt> {
        // Sets of states, and the numbers of these.
        match self.budget.check(3 * 4 * chain.states() as u64) {
            Ok(()) => slowly_joined(chain, watch),
            Err(_) => Ok(None),
        }
    }

    /// The rates of a Kronecker descriptor as a list, if there is room for it; `None` if the chain is a list.
    pub(super) fn copy(&self, watch: &mut Watch<'_>) -> Result<Option<TransposedRates>, Stopped> {
        match self.chain.kronecker() {
            Some(kronecker) => TransposedRates::copied(kronecker, self.room_for_copy(), watch),
            None => Ok(None),
        }
    }

    fn room_for_copy(&self) -> MemoryBudget {
        self.budget.beside(2 * 8 * self.chain.states() as u64)
    }
}

/// What an estimate leaves of the balance equations: the sum of all that flows into states too much or too
/// little.
pub(super) fn left_by(chain: &dyn TriangularSweep, pi: &[f64]) -> f64 {
    let mut net = vec![0.0; pi.len()];
    chain.net(pi, &mut net);
    left_and_flow(chain, pi, &net)[0]
}
