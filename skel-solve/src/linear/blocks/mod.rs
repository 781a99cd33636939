//! Block Gauss-Seidel as a preconditioner, whose blocks are eliminated.
//!
//! The states are given in blocks, between which transitions are slow, as those of machines that fail seldom
//! and of queues before them. `A = D - N` has the rates within a block, from earlier blocks and from later
//! ones, and `M` leaves out the last. A Krylov method then has left to find how the probability is split
//! between the blocks, and takes about as many iterations as there are blocks, or fewer. W. J. Stewart,
//! Introduction to the Numerical Solution of Markov Chains (1994), 6.2 and 4.4.
//!
//! Each block is eliminated as a chain of its own, with a last state for what leaves it. The same factors
//! serve the transposed equations. Blocks none of which needs another one are a level, and threads share the
//! blocks of a level. Cost of a solution: two passes over the factors, and one over the rates from earlier
//! blocks. Memory: that of the factors, and 12 bytes for such a rate.

mod apart;

use std::ops::Range;

use crate::chain::Matrix;
use crate::limits::Watch;
use crate::linear::elimination::Unsolved;
use crate::linear::elimination::factors::Factors;
use crate::linear::preconditioner::Preconditioner;
use crate::operator::TriangularSweep;
use crate::operator::transposed::TransposedRates;
use crate::team::{share, together};
use apart::Apart;

/// A thread has at least so many states of a level, so that it takes longer to solve for them than to start
/// it.
const LEAST_FOR_A_THREAD: usize = 1 << 12;

/// The bytes of a preconditioner for so many states, beside the blocks.
pub(crate) fn memory(states: u64) -> u64 {
    states * 3 * 8
}

/// A chain in blocks. Its states are numbered [in the order](Blocks::of) in which they are solved.
pub(crate) struct Blocks {
    blocks: Vec<Block>,
    /// The blocks of each level.
    levels: Vec<Range<usize>>,
}

/// States that are eliminated together, numbered by their places in that.
struct Block {
    /// The number of the first.
    first: usize,
    factors: Factors,
    /// For each state the rates into it from states of earlier levels.
    earlier: Matrix<f64>,
}

impl Blocks {
    /// Eliminates the blocks of a chain whose rates are a list. For each state, `block_of` has the number of
    /// its block. No more than so many bytes and multiplications are taken, of which each block has a share by
    /// its states. Also returns the states in the order in which they are solved.
    pub(crate) fn of(
        list: &TransposedRates,
        block_of: &[u32],
        [bytes, work]: [u64; 2],
        watch: &mut Watch<'_>,
    ) -> Result<(Blocks, Vec<u32>), Unsolved> {
        let apart = Apart::new(list, block_of);
        let mut blocks = Blocks { blocks: Vec::new(), levels: apart.levels.clone() };
        let mut order = Vec::with_capacity(block_of.len());
        let mut number_of = vec![0; block_of.len()];
        for block in 0..apart.states.len() {
            watch.prepare().map_err(|stopped| Unsolved::Stopped(stopped.into()))?;
            let bytes = bytes.checked_sub(blocks.memory()).ok_or(Unsolved::Refused)?;
            // So that what costs too much is known at the first large block.
            let work = work.saturating_mul(apart.states[block].len() as u64) / block_of.len() as u64;
            let (factors, earlier) = apart.eliminated(block, [bytes, work], watch)?;
            let first = order.len();
            for (number, &local) in (first..).zip(factors.states()) {
                let state = apart.states[block][local as usize];
                number_of[state as usize] = number as u32;
                order.push(state);
            }
            let earlier = earlier.arranged(factors.states(), |from| number_of[from as usize]);
            blocks.blocks.push(Block { first, factors, earlier });
        }
        Ok((blocks, order))
    }

    /// The bytes that they take.
    pub(crate) fn memory(&self) -> u64 {
        let of_rates = |rates: &Matrix<f64>| 12 * rates.entries() as u64 + 8 * rates.rows() as u64;
        self.blocks.iter().map(|block| of_rates(&block.earlier) + block.factors.memory()).sum()
    }

    /// How many states there are.
    fn states(&self) -> usize {
        self.blocks.last().map_or(0, |block| block.first + block.states())
    }

    /// The preconditioner of the balance equations, by so many threads.
    pub(crate) fn preconditioner(&self, threads: usize) -> InBlocks<'_> {
        InBlocks::new(self, false, threads)
    }

    /// The same for the [transposed](crate::operator::transposed::TransposedRates::dual) equations, in which
    /// the states are numbered the other way round.
    pub(crate) fn of_dual(&self, threads: usize) -> InBlocks<'_> {
        InBlocks::new(self, true, threads)
    }
}

/// The preconditioner of a chain in blocks.
pub(crate) struct InBlocks<'b> {
    blocks: &'b Blocks,
    is_dual: bool,
    threads: usize,
    /// A solution, and what flows into its states.
    solution: Vec<f64>,
    inflow: Vec<f64>,
}

/// A block, and values of its states.
type Values<'v> = (&'v Block, &'v mut [f64]);

impl<'b> InBlocks<'b> {
    fn new(blocks: &'b Blocks, is_dual: bool, threads: usize) -> InBlocks<'b> {
        let [solution, inflow] = [(); 2].map(|()| vec![0.0; blocks.states()]);
        InBlocks { blocks, is_dual, threads, solution, inflow }
    }

    /// `x := M^-1 x`
    fn solve_in_place(&self, x: &mut [f64]) {
        for level in &self.blocks.levels {
            let blocks = &self.blocks.blocks[level.clone()];
            let (earlier, mut x) = x.split_at_mut(blocks[0].first);
            let mut values = Vec::with_capacity(blocks.len());
            for block in blocks {
                let own;
                (own, x) = x.split_at_mut(block.states());
                values.push((block, own));
            }
            self.for_each(values, |block, x, buffers| block.solve(earlier, x, buffers));
        }
    }

    /// The same for the transposed equations, in which states are numbered the other way round.
    fn solve_dual_in_place(&self, x: &mut [f64]) {
        for level in self.blocks.levels.iter().rev() {
            let blocks = &self.blocks.blocks[level.clone()];
            let states: usize = blocks.iter().map(Block::states).sum();
            let (x, earlier) = x.split_at_mut(x.len() - blocks[0].first);
            let own = x.len() - states;
            let (mut x, mut values) = (&mut x[own..], Vec::with_capacity(blocks.len()));
            for block in blocks.iter().rev() {
                let own;
                (own, x) = x.split_at_mut(block.states());
                values.push((block, own));
            }
            let solved = self.for_each(values, Block::solve_dual);
            solved.into_iter().for_each(|(block, x)| block.hand_back(x, earlier));
        }
    }

    /// Does something with the values of each block of a level. Threads have some blocks each.
    fn for_each<'v>(
        &self,
        mut values: Vec<Values<'v>>,
        work: impl Fn(&Block, &mut [f64], &mut [Vec<f64>; 2]) + Sync,
    ) -> Vec<Values<'v>> {
        let states: usize = values.iter().map(|(block, _)| block.states()).sum();
        let threads = self.threads.min(states / LEAST_FOR_A_THREAD).clamp(1, values.len());
        let (count, mut left) = (values.len(), &mut *values);
        let mut parts = Vec::with_capacity(threads);
        for thread in 0..threads {
            let part;
            (part, left) = left.split_at_mut(share(count, thread, threads).len());
            parts.push(part);
        }
        together(parts, |part, _| {
            let mut buffers = [Vec::new(), Vec::new()];
            part.iter_mut().for_each(|(block, x)| work(block, x, &mut buffers));
        });
        values
    }
}

impl Block {
    /// How many states it has.
    fn states(&self) -> usize {
        self.factors.states().len()
    }

    /// Solves for the block's states, given the solution for those of earlier levels.
    fn solve(&self, earlier: &[f64], x: &mut [f64], [values, work]: &mut [Vec<f64>; 2]) {
        values.clear();
        for (row, value) in x.iter().enumerate() {
            values.push(value + self.earlier.row(row).map(|(from, rate)| earlier[from] * rate).sum::<f64>());
        }
        self.factors.solve(values, work);
        x.copy_from_slice(values);
    }

    /// The same for the transposed equations, in which states are numbered the other way round.
    fn solve_dual(&self, x: &mut [f64], [values, work]: &mut [Vec<f64>; 2]) {
        values.clear();
        values.extend(x.iter().rev());
        self.factors.solve_dual(values, work);
        x.iter_mut().rev().zip(&*values).for_each(|(x, value)| *x = *value);
    }

    /// Adds what follows from that to the right side of earlier levels.
    fn hand_back(&self, x: &[f64], earlier: &mut [f64]) {
        let count = earlier.len();
        for (row, value) in x.iter().rev().enumerate() {
            self.earlier.row(row).for_each(|(from, rate)| earlier[count - 1 - from] += rate * value);
        }
    }
}

impl Preconditioner for InBlocks<'_> {
    fn solve(&mut self, _: &dyn TriangularSweep, x: &mut [f64]) {
        match self.is_dual {
            true => self.solve_dual_in_place(x),
            false => self.solve_in_place(x),
        }
    }

    fn rest(&mut self, chain: &dyn TriangularSweep, x: &mut [f64]) {
        let mut solution = std::mem::take(&mut self.solution);
        solution.copy_from_slice(x);
        self.solve(chain, &mut solution);
        // Factors have fewer digits, so that what `M` leaves out is not all that is left.
        chain.inflow(&solution, &mut self.inflow);
        let flows = solution.iter().zip(chain.exits()).zip(&self.inflow);
        x.iter_mut().zip(flows).for_each(|(x, ((value, exit), inflow))| *x -= value * exit - inflow);
        self.solution = solution;
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::Blocks;
    use crate::limits::memory::MemoryBudget;
    use crate::limits::{Limits, Watch};
    use crate::linear::preconditioner::Preconditioner;
    use crate::operator::transposed::TransposedRates;
    use crate::operator::{RateOperator, TriangularSweep};
    use crate::order::Order;
    use crate::random_chain::Lists;
    use crate::vector::{random, worst};

    /// Lattices of so many places each way, one for each block. From each place a run may change to the same
    /// place of another block, at a rate that is small beside the others.
    fn lattices(side: u32, blocks: u32, slow: f64) -> (Lists, Vec<u32>) {
        let size = side * side;
        let rate = |from: u32, to: u32| 0.5 + random((7 * from + to) as usize);
        let row = |state: u32| {
            let (block, place) = (state / size, state % size);
            let (x, y) = (place % side, place / side);
            let steps = [
                (x + 1 < side).then_some(state + 1),
                (x > 0).then(|| state - 1),
                (y + 1 < side).then_some(state + side),
                (y > 0).then(|| state - side),
            ];
            let within = steps.into_iter().flatten().map(|to| (to, rate(state, to)));
            let others = (0..blocks).filter(|&other| other != block).map(|other| other * size + place);
            within.chain(others.map(|to| (to, slow * rate(state, to)))).collect()
        };
        ((0..blocks * size).map(row).collect(), (0..blocks * size).map(|state| state / size).collect())
    }

    /// How far off a solution is by a preconditioner, with the rates between two numbers that it keeps; and
    /// how far off what is left of a product is.
    fn differences(
        preconditioner: &mut dyn Preconditioner,
        chain: &TransposedRates,
        is_kept: impl Fn(usize, usize) -> bool,
    ) -> [f64; 2] {
        let x: Vec<f64> = (0..chain.states()).map(|state| random(state) - 1.0).collect();
        let (mut rest, mut solution) = (x.clone(), x.clone());
        preconditioner.rest(chain as &dyn TriangularSweep, &mut rest);
        preconditioner.solve(chain as &dyn TriangularSweep, &mut solution);
        let of_exits = || solution.iter().zip(chain.exits()).map(|(value, exit)| value * exit);
        let [mut kept, mut all] = [of_exits().collect::<Vec<_>>(), of_exits().collect()];
        chain.for_each_rate(&mut |from, to, rate| {
            all[to] -= rate * solution[from];
            kept[to] -= if is_kept(from, to) { rate * solution[from] } else { 0.0 };
            ControlFlow::Continue(())
        });
        let left = x.iter().zip(&all).map(|(x, seen)| x - seen);
        let worst = |differences: &mut dyn Iterator<Item = f64>| {
            worst(&differences.map(f64::abs).collect::<Vec<_>>())
        };
        let off = worst(&mut x.iter().zip(&kept).map(|(x, seen)| x - seen));
        [off, worst(&mut left.zip(&rest).map(|(left, rest)| left - rest))]
    }

    #[test]
    fn rates_from_later_blocks_are_left_out() {
        let limits = Limits::default();
        let (mut watch, budget) = (Watch::start(&limits), MemoryBudget::new(&limits));
        let chains = [(1, 4, 1e-2), (2, 3, 1e-2), (7, 5, 1e-2), (20, 2, 1e-2), (7, 5, 1e-9)];
        let in_units = |unit: f64| chains.map(|(side, count, slow)| (side, count, slow, unit));
        for (side, count, slow, unit) in [1.0, 1e60, 1e-60].into_iter().flat_map(in_units) {
            let (mut lists, block_of) = lattices(side, count, slow);
            lists.iter_mut().flatten().for_each(|(_, rate)| *rate *= unit);
            let chain = TransposedRates::of_lists(&lists, &mut watch);
            let (blocks, order) = Blocks::of(&chain, &block_of, [u64::MAX; 2], &mut watch)
                .unwrap_or_else(|_| panic!("no limit is reached"));
            let order = Order::of_states(order);
            let block_of = order.arranged(&block_of);
            let chain = TransposedRates::arranged(&chain, order.places(), budget, &mut watch);
            let chain = chain.unwrap_or_else(|_| panic!("no limit")).unwrap_or_else(|| panic!("it fits"));
            let of_later = |from: usize, to: usize| block_of[from] > block_of[to];
            let [off, rest] =
                differences(&mut blocks.preconditioner(1), &chain, |from, to| !of_later(from, to));
            // Where blocks are hardly left, values are large, and so is their rounding.
            assert!(off < 1e-6 / slow && rest < 1e-14 / slow, "{side}, {count}: {off:e}, {rest:e}");
            let dual = TransposedRates::dual(&chain, budget, &mut watch);
            let dual = dual.unwrap_or_else(|_| panic!("no limit")).unwrap_or_else(|| panic!("it fits"));
            let last = block_of.len() - 1;
            let is_kept = |from: usize, to: usize| !of_later(last - to, last - from);
            let [off, rest] = differences(&mut blocks.of_dual(1), &dual, is_kept);
            assert!(off < 1e-6 / slow && rest < 1e-14 / slow, "{side}, {count}, dual: {off:e}, {rest:e}");
        }
    }

    /// Each block leads into the one after four, so that levels have four of them.
    #[test]
    fn threads_solve_blocks_of_a_level_to_the_same_bits() {
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        let (mut lists, block_of) = lattices(64, 12, 1e-3);
        let does_lead = |from: u32, to: u32| to == (from + 4) % 12;
        for (rates, &block) in lists.iter_mut().zip(&block_of) {
            rates
                .retain(|&(to, _)| block_of[to as usize] == block || does_lead(block, block_of[to as usize]));
        }
        let chain = TransposedRates::of_lists(&lists, &mut watch);
        let (blocks, _) = Blocks::of(&chain, &block_of, [u64::MAX; 2], &mut watch)
            .unwrap_or_else(|_| panic!("no limit is reached"));
        assert_eq!(blocks.levels, [0..4, 4..8, 8..12]);
        let solutions = |threads: usize| {
            [blocks.preconditioner(threads), blocks.of_dual(threads)].map(|mut preconditioner| {
                let mut x: Vec<f64> = (0..chain.states()).map(|state| random(state) - 1.0).collect();
                preconditioner.solve(&chain, &mut x);
                x.into_iter().map(f64::to_bits).collect::<Vec<_>>()
            })
        };
        let by_one = solutions(1);
        for threads in [2, 3, 16] {
            assert!(solutions(threads) == by_one, "{threads}");
        }
    }
}
