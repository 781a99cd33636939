//! The likely states of a chain most of whose states are rare, as a chain of their own.
//!
//! Queues that are nearly always full, or nearly always empty, have few likely states: of a tandem queue of 130,000 states one in a hundred is as likely as `1e-30` of
//! the likeliest. Rates among these alone make a chain whose solution differs from that of the whole by about what flows to rare states, which is less than rounding.
//! So it is solved first, in as much less time as it is smaller. Sweeps over all states then bring the rare ones to their balance.
//!
//! None of that is believed: the equations of all states are looked at afterwards, and solved as ever where too much is left. Which states are
//! likely is taken from an estimate, which may be wrong. This is a truncation of the state space as in E. Seneta, Non-negative Matrices and Markov Chains (1981), 7, that
//! does not have to be right.

use crate::limits::memory::MemoryBudget;
use crate::linear::iteration::{Halt, Iterations};
use crate::operator::transposed::TransposedRates;
use crate::operator::{RateOperator, TriangularSweep};
use crate::vector::place_of_largest;

/// A state is rare if it is less likely than this, relative to the likeliest one.
const RARE: f64 = 1e-25;

/// The largest share of the states that may be likely.
const FEW: f64 = 0.5;

/// How often sweeps go back and forth over all states.
const SPREADING: usize = 3;

/// The likely states, in ascending order, and their chain.
pub(super) struct Likely {
    states: Vec<u32>,
    chain: TransposedRates,
}

impl Likely {
    /// The likely states by an estimate, if they are few, the chain is a list, and there is room for theirs.
    pub(super) fn of(
        chain: &dyn TriangularSweep,
        pi: &[f64],
        memory: MemoryBudget,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Option<Likely>, Halt> {
        let largest = place_of_largest(pi);
        let least = RARE * pi[largest];
        let is_likely = |value: &f64| *value >= least;
        let count = pi.iter().filter(|value| is_likely(value)).count();
        let Some(list) = chain.list() else { return Ok(None) };
        if count as f64 > FEW * pi.len() as f64 {
            return Ok(None);
        }
        let mut states: Vec<u32> =
            (0..).zip(pi).filter(|(_, value)| is_likely(value)).map(|(state, _)| state).collect();
        let memory = memory.beside(4 * count as u64);
        let Some(mut chain) = list.among(&states, memory, budget.watch())? else { return Ok(None) };
        let likeliest = states.partition_point(|&state| (state as usize) < largest);
        let connected = chain.strongly_connected_with(likeliest, budget.watch())?;
        if connected.len() < 2 {
            return Ok(None);
        }
        if connected.len() < states.len() {
            let Some(among) = chain.among(&connected, memory, budget.watch())? else { return Ok(None) };
            chain = among;
            states = connected.iter().map(|&state| states[state as usize]).collect();
        }
        let chain = chain.shared(memory, budget.watch())?;
        Ok(Some(Likely { states, chain }))
    }

    pub(super) fn states(&self) -> &[u32] {
        &self.states
    }

    pub(super) fn chain(&self) -> &TransposedRates {
        &self.chain
    }

    /// The bytes that it takes.
    pub(super) fn memory(&self) -> u64 {
        4 * self.states.len() as u64 + self.chain.memory()
    }

    /// The values of the likely states.
    pub(super) fn taken(&self, of_all: &[f64]) -> Vec<f64> {
        self.states.iter().map(|&state| of_all[state as usize]).collect()
    }

    /// The values of all states from those of the likely ones, for a list that has all. Probability flows from likely states to rare ones, which are behind them against the
    /// flow; so sweeps go against the order of the states, and along it in turn.
    pub(super) fn spread(
        &self,
        list: &TransposedRates,
        of_likely: &[f64],
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Vec<f64>, Halt> {
        let mut of_all = vec![0.0; list.states()];
        self.restore(of_likely, &mut of_all);
        for _ in 0..SPREADING {
            budget.look()?;
            list.sweep_backwards(&mut of_all);
            budget.look()?;
            list.sweep(&mut of_all, 1.0);
        }
        list.make_positive(&mut of_all);
        Ok(of_all)
    }

    /// Puts the values of the likely states back among all.
    pub(super) fn restore(&self, of_likely: &[f64], of_all: &mut [f64]) {
        self.states.iter().zip(of_likely).for_each(|(&state, value)| of_all[state as usize] = *value);
    }
}
