//! Block Gauss-Seidel as a preconditioner, whose blocks are eliminated.
//!
//! The states are given in blocks, between which transitions are slow, as those of machines that fail seldom
//! and of queues before them. `A = D - N` has the rates within a block, from earlier blocks and from later
//! ones, and `M` leaves out the last. A Krylov method then has left to find how the probability is split
//! between the blocks, and takes about as many iterations as there are blocks, or fewer. W. J. Stewart,
//! Introduction to the Numerical Solution of Markov Chains (1994), 6.2 and 4.4.
//!
//! Each block is eliminated as a chain of its own, with a last state for what leaves it. The same factors
//! serve the transposed equations. Cost of a solution: two passes over the factors, and one over the rates
//! from earlier blocks. Memory: that of the factors, and 12 bytes for such a rate.

use std::ops::ControlFlow;

use crate::chain::{Generator, Matrix};
use crate::limits::Watch;
use crate::linear::elimination::Unsolved;
use crate::linear::elimination::factors::Factors;
use crate::linear::preconditioner::Preconditioner;
use crate::operator::{RateOperator, TriangularSweep};

/// The bytes of a preconditioner for so many states, beside the blocks.
pub(crate) fn memory(states: u64) -> u64 {
    states * 3 * 8
}

/// A chain in blocks. Its states are numbered [in the order](Blocks::of) in which they are solved.
pub(crate) struct Blocks(Vec<Block>);

/// States that are eliminated together, numbered by their places in that.
struct Block {
    /// The number of the first.
    first: usize,
    factors: Factors,
    /// For each state the rates into it from states of earlier blocks.
    earlier: Matrix<f64>,
}

impl Blocks {
    /// Eliminates the blocks of a chain, given the number of its block for each state, within so many bytes
    /// and multiplications. Also returns the states in the order in which they are solved.
    pub(crate) fn of(
        chain: &dyn RateOperator,
        block_of: &[u32],
        [bytes, work]: [u64; 2],
        watch: &mut Watch<'_>,
    ) -> Result<(Blocks, Vec<u32>), Unsolved> {
        let apart = Apart::new(chain, block_of);
        let mut blocks = Blocks(Vec::with_capacity(apart.states.len()));
        let (mut order, mut left) = (Vec::with_capacity(block_of.len()), work);
        let mut number_of = vec![0; block_of.len()];
        for (number, states) in apart.states.iter().enumerate() {
            watch.prepare().map_err(|stopped| Unsolved::Stopped(stopped.into()))?;
            let bytes = bytes.checked_sub(blocks.memory()).ok_or(Unsolved::Refused)?;
            let (factors, earlier) = apart.eliminated(number, [bytes, left], watch)?;
            left = left.saturating_sub(factors.work());
            let first = order.len();
            let by_place = factors.states();
            for (number, &local) in (first..).zip(by_place) {
                let state = states[local as usize];
                number_of[state as usize] = number as u32;
                order.push(state);
            }
            let earlier = earlier.arranged(by_place, |from| number_of[from as usize]);
            blocks.0.push(Block { first, factors, earlier });
        }
        Ok((blocks, order))
    }

    /// The bytes that they take.
    pub(crate) fn memory(&self) -> u64 {
        let of_rates = |rates: &Matrix<f64>| 12 * rates.entries() as u64 + 8 * rates.rows() as u64;
        self.0.iter().map(|block| of_rates(&block.earlier) + block.factors.memory()).sum()
    }

    /// The preconditioner of the balance equations.
    pub(crate) fn preconditioner(&self) -> InBlocks<'_> {
        InBlocks::new(self, false)
    }

    /// The same for the [transposed](crate::operator::transposed::TransposedRates::dual) equations, in which
    /// the states are numbered the other way round.
    pub(crate) fn of_dual(&self) -> InBlocks<'_> {
        InBlocks::new(self, true)
    }
}

/// A chain whose blocks are to be eliminated one by one.
struct Apart<'c> {
    chain: &'c dyn RateOperator,
    block_of: &'c [u32],
    /// The states of each block, and for each state its number among those of its block.
    states: Vec<Vec<u32>>,
    number_in_block: Vec<u32>,
    /// For each state the rate at which it leaves its block.
    leaving: Vec<f64>,
}

impl<'c> Apart<'c> {
    fn new(chain: &'c dyn RateOperator, block_of: &'c [u32]) -> Apart<'c> {
        let count = block_of.iter().max().map_or(0, |last| *last as usize + 1);
        let mut states = vec![Vec::new(); count];
        let number = |(state, &block): (usize, &u32)| {
            let states: &mut Vec<u32> = &mut states[block as usize];
            states.push(state as u32);
            states.len() as u32 - 1
        };
        let number_in_block = block_of.iter().enumerate().map(number).collect();
        let mut leaving = vec![0.0; block_of.len()];
        chain.for_each_rate(&mut |from, to, rate| {
            if block_of[from] != block_of[to] {
                leaving[from] += rate;
            }
            ControlFlow::Continue(())
        });
        Apart { chain, block_of, states, number_in_block, leaving }
    }

    /// Eliminates a block, and returns the rates into its states from those of earlier blocks. Instead of
    /// leaving it, a state goes to one that is added as the last.
    fn eliminated(
        &self,
        block: usize,
        most: [u64; 2],
        watch: &mut Watch<'_>,
    ) -> Result<(Factors, Rows), Unsolved> {
        let states = &self.states[block];
        let [mut within, mut earlier] = [Rows::default(), Rows::default()];
        self.chain.for_each_rates_into(states, &mut |to, sources, rates| {
            let row = self.number_in_block[to] as usize;
            for (&from, &rate) in sources.iter().zip(rates) {
                match self.block_of[from as usize] as usize {
                    other if other == block => within.push(row, self.number_in_block[from as usize], rate),
                    other if other < block => earlier.push(row, from, rate),
                    _ => {}
                }
            }
            ControlFlow::Continue(())
        });
        for (number, &state) in states.iter().enumerate() {
            within.push(states.len(), number as u32, self.leaving[state as usize]);
        }
        let generator = Generator::new(within.into_matrix(states.len() + 1).transposed());
        Ok((Factors::of(&generator, most, watch)?, earlier))
    }
}

/// A matrix in compressed rows that is filled row by row.
#[derive(Default)]
struct Rows {
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Rows {
    /// Adds an entry that is not zero. Its row may be no less than those before.
    fn push(&mut self, row: usize, column: u32, value: f64) {
        if value > 0.0 {
            self.offsets.resize(row.max(self.offsets.len().saturating_sub(1)) + 1, self.columns.len());
            self.columns.push(column);
            self.values.push(value);
        }
    }

    /// The rows in an order, and their columns by other numbers.
    fn arranged(mut self, order: &[u32], number: impl Fn(u32) -> u32) -> Matrix<f64> {
        self.offsets.resize(order.len() + 1, self.columns.len());
        let mut arranged = Rows::default();
        for (row, &before) in order.iter().enumerate() {
            for at in self.offsets[before as usize]..self.offsets[before as usize + 1] {
                arranged.push(row, number(self.columns[at]), self.values[at]);
            }
        }
        arranged.into_matrix(order.len())
    }

    fn into_matrix(mut self, rows: usize) -> Matrix<f64> {
        self.offsets.resize(rows + 1, self.columns.len());
        Matrix::new(self.offsets, self.columns, self.values)
    }
}

/// The preconditioner of a chain in blocks.
pub(crate) struct InBlocks<'b> {
    blocks: &'b [Block],
    is_dual: bool,
    /// A solution, and what flows into its states.
    solution: Vec<f64>,
    inflow: Vec<f64>,
    /// The values of a block by places, and what its factors are solved with.
    values: Vec<f64>,
    work: Vec<f64>,
}

impl<'b> InBlocks<'b> {
    fn new(Blocks(blocks): &'b Blocks, is_dual: bool) -> InBlocks<'b> {
        let vector = || vec![0.0; blocks.iter().map(Block::states).sum()];
        let [solution, inflow] = [vector(), vector()];
        InBlocks { blocks, is_dual, solution, inflow, values: Vec::new(), work: Vec::new() }
    }

    /// `x := M^-1 x`
    fn solve_in_place(&mut self, x: &mut [f64]) {
        let InBlocks { blocks, is_dual, values, work, .. } = self;
        match is_dual {
            true => blocks.iter().rev().for_each(|block| block.solve_dual(x, values, work)),
            false => blocks.iter().for_each(|block| block.solve(x, values, work)),
        }
    }
}

impl Block {
    /// How many states it has.
    fn states(&self) -> usize {
        self.factors.states().len()
    }

    /// Solves for the block's states, given the solution for earlier blocks.
    fn solve(&self, x: &mut [f64], values: &mut Vec<f64>, work: &mut Vec<f64>) {
        let (before, x) = x.split_at_mut(self.first);
        let x = &mut x[..self.states()];
        values.clear();
        for (row, value) in x.iter().enumerate() {
            values.push(value + self.earlier.row(row).map(|(from, rate)| before[from] * rate).sum::<f64>());
        }
        self.factors.solve(values, work);
        x.copy_from_slice(values);
    }

    /// The same for the transposed equations, in which states are numbered the other way round; adds what
    /// follows to the right side of earlier blocks.
    fn solve_dual(&self, x: &mut [f64], values: &mut Vec<f64>, work: &mut Vec<f64>) {
        let last = x.len() - 1;
        let (x, before) = x.split_at_mut(x.len() - self.first);
        let start = x.len() - self.states();
        let x = &mut x[start..];
        values.clear();
        values.extend(x.iter().rev());
        self.factors.solve_dual(values, work);
        x.iter_mut().rev().zip(&*values).for_each(|(x, value)| *x = *value);
        let first_before = last + 1 - self.first;
        for (row, value) in values.iter().enumerate() {
            self.earlier.row(row).for_each(|(from, rate)| before[last - from - first_before] += rate * value);
        }
    }
}

impl Preconditioner for InBlocks<'_> {
    fn solve(&mut self, _: &dyn TriangularSweep, x: &mut [f64]) {
        self.solve_in_place(x);
    }

    fn rest(&mut self, chain: &dyn TriangularSweep, x: &mut [f64]) {
        let mut solution = std::mem::take(&mut self.solution);
        solution.copy_from_slice(x);
        self.solve_in_place(&mut solution);
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
        for (side, count, slow) in [(1, 4, 1e-2), (2, 3, 1e-2), (7, 5, 1e-2), (20, 2, 1e-2), (7, 5, 1e-9)] {
            let (lists, block_of) = lattices(side, count, slow);
            let chain = TransposedRates::of_lists(&lists, &mut watch);
            let (blocks, order) = Blocks::of(&chain, &block_of, [u64::MAX; 2], &mut watch)
                .unwrap_or_else(|_| panic!("no limit is reached"));
            let order = Order::of_states(order);
            let block_of = order.arranged(&block_of);
            let chain = TransposedRates::arranged(&chain, order.places(), budget, &mut watch);
            let chain = chain.unwrap_or_else(|_| panic!("no limit")).unwrap_or_else(|| panic!("it fits"));
            let of_later = |from: usize, to: usize| block_of[from] > block_of[to];
            let [off, rest] =
                differences(&mut blocks.preconditioner(), &chain, |from, to| !of_later(from, to));
            // As large as values are where blocks are hardly left.
            assert!(off < 1e-6 / slow && rest < 1e-14 / slow, "{side}, {count}: {off:e}, {rest:e}");
            let dual = TransposedRates::dual(&chain, budget, &mut watch);
            let dual = dual.unwrap_or_else(|_| panic!("no limit")).unwrap_or_else(|| panic!("it fits"));
            let last = block_of.len() - 1;
            let is_kept = |from: usize, to: usize| !of_later(last - to, last - from);
            let [off, rest] = differences(&mut blocks.of_dual(), &dual, is_kept);
            assert!(off < 1e-6 / slow && rest < 1e-14 / slow, "{side}, {count}, dual: {off:e}, {rest:e}");
        }
    }
}
