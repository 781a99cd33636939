//! Builds the chain of the blocks. One state of each block gives its rates and rewards, since all states of a
//! block have the same.

use skel_core::number::Ratio;

use crate::chain::{Generator, Matrix};
use crate::error::Error;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::quotient::measure::Reward;
use crate::quotient::number_type::QuotientNumber;
use crate::quotient::reading::no_memory;
use crate::quotient::refinement::check_limits;
use crate::space::{Labelled, StateSpace};

/// The chain of the blocks.
pub(super) struct LumpedChain<N> {
    pub(super) generator: Generator<N>,
    /// The measures, each with its reward in every block.
    pub(super) kept: Vec<(String, Vec<N>)>,
}

/// Sums the transitions of a state by block, in memory that is reused.
pub(super) struct Rows<'q, N> {
    space: &'q StateSpace,
    block_of: &'q [u32],
    rewards: &'q [Reward],
    /// A row of the generator: the rates into the other blocks, and minus their sum, sorted by block.
    lumped: Vec<(u32, N)>,
    columns: Vec<u32>,
    /// For each block the rate into it; zero between two states.
    sums: Vec<N>,
}

impl<'q, N: QuotientNumber> Rows<'q, N> {
    pub(super) fn new(
        space: &'q StateSpace,
        block_of: &'q [u32],
        rewards: &'q [Reward],
        blocks: usize,
    ) -> Self {
        let (lumped, columns) = (Vec::new(), Vec::new());
        Rows { space, block_of, rewards, lumped, columns, sums: vec![N::zero(); blocks] }
    }

    /// The chain of the blocks, computed from their first states.
    pub(super) fn of_blocks(
        &mut self,
        firsts: &[u32],
        limits: &Limits,
        watch: &mut Watch<'_>,
    ) -> Result<LumpedChain<N>, Error> {
        let budget = MemoryBudget::new(limits).beside(self.space.memory());
        let entries = self.most_entries(firsts, budget, watch)?;
        let mut offsets = Vec::with_capacity(firsts.len() + 1);
        offsets.push(0);
        let (mut columns, mut values) = (Vec::with_capacity(entries), Vec::with_capacity(entries));
        let empty = |reward: &Reward| (reward.name.clone(), Vec::with_capacity(firsts.len()));
        let mut kept: Vec<(String, Vec<N>)> = self.rewards.iter().map(empty).collect();
        let space = self.space;
        let states = firsts.iter().map(|&first| first as usize);
        let count = self.block_of.len();
        let pause = || check_limits(watch, firsts.len(), count);
        space.for_each_row_of::<N, Error>(states, pause, |first, row| {
            self.lump(first, row);
            for (reward, (_, of_blocks)) in self.rewards.iter().zip(&mut kept) {
                of_blocks.push(self.value(reward, first, row));
            }
            for (column, value) in self.lumped.drain(..) {
                columns.push(column);
                values.push(value);
            }
            offsets.push(columns.len());
            Ok(())
        })?;
        Ok(LumpedChain { generator: Generator::new(Matrix::new(offsets, columns, values)), kept })
    }

    /// A bound on the entries of the generator, if they fit the budget that is left beside the space.
    fn most_entries(
        &self,
        firsts: &[u32],
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<usize, Error> {
        let pause = || check_limits(watch, firsts.len(), self.block_of.len());
        let entries = Generator::<N>::most_entries(self.space, firsts, pause)?;
        let per_entry = size_of::<u32>() + size_of::<N>();
        let per_block = size_of::<usize>() + (self.rewards.len() + 1) * size_of::<N>();
        let taken = entries * per_entry + firsts.len() * per_block + size_of_val(self.block_of);
        if budget.check(taken as u64).is_err() {
            return Err(no_memory(budget, firsts.len(), self.block_of.len()));
        }
        Ok(entries)
    }

    /// Compares every state with its block.
    ///
    /// # Panics
    /// A state has other rates or rewards than its block.
    pub(super) fn verify(&mut self, of_blocks: &LumpedChain<N>, watch: &mut Watch<'_>) -> Result<(), Error> {
        let (space, states) = (self.space, self.block_of.len());
        let pause = || check_limits(watch, of_blocks.generator.states(), states);
        space.for_each_row::<N, Error>(pause, |state, row| {
            let block = self.block_of[state] as usize;
            self.lump(state, row);
            let rates = self.lumped.iter().map(|(column, value)| (*column as usize, value));
            assert!(rates.eq(of_blocks.generator.matrix().row(block)), "a block's states have its rates");
            for (reward, (_, values)) in self.rewards.iter().zip(&of_blocks.kept) {
                assert!(self.value(reward, state, row) == values[block], "a block's states have its rewards");
            }
            Ok(())
        })
    }

    /// Adds up the transitions of a state by the blocks that they lead into.
    fn lump(&mut self, state: usize, row: &[Labelled<N>]) {
        let own = self.block_of[state];
        self.columns.clear();
        self.columns.push(own);
        let mut exit = N::zero();
        for Labelled { target, rate, .. } in row {
            let block = self.block_of[*target as usize];
            if block == own {
                continue;
            }
            exit = exit + rate.clone();
            let sum = &mut self.sums[block as usize];
            if sum.is_zero() {
                self.columns.push(block);
            }
            *sum = sum.clone() + rate.clone();
        }
        self.sums[own as usize] = N::zero() - exit;
        self.columns.sort_unstable();
        self.lumped.clear();
        for &column in &self.columns {
            let sum = std::mem::replace(&mut self.sums[column as usize], N::zero());
            self.lumped.push((column, sum));
        }
    }

    /// The reward of a state with the given transitions.
    fn value(&self, reward: &Reward, state: usize, row: &[Labelled<N>]) -> N {
        let mut value = N::zero();
        for (count, factor) in &reward.parts {
            let number = match count.action() {
                Some(wanted) => {
                    let rates = row.iter().filter(|transition| transition.action == wanted);
                    rates.fold(N::zero(), |sum, transition| sum + transition.rate.clone())
                }
                None => N::from_ratio(&Ratio::from_integer(count.number(self.space, state).into())),
            };
            value = value + N::from_ratio(factor) * number;
        }
        value
    }
}
