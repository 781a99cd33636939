//! Block Gauss-Seidel as a preconditioner, whose blocks are eliminated.
//!
//! The states are given in blocks, between which transitions are slow, as those of machines that fail seldom
//! and of queues before them. `A = D - N` has the rates within a block, from earlier blocks and from later
//! ones, and `M` leaves out the last. A Krylov method then has left to find how the probability is split
//! between the blocks, and takes about as many iterations as there are blocks, or fewer. W. J. Stewart,
//! Introduction to the Numerical Solution of Markov Chains (1994), 6.2 and 4.4.
//!
//! All blocks are eliminated at once, as those of one chain, with a last state for what leaves a block. The
//! same factors serve the transposed equations. Cost of a solution: two passes over the factors, and one over
//! the rates between blocks. Memory: that of the factors, and 12 bytes for a rate between blocks.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use crate::chain::Matrix;
use crate::limits::Watch;
use crate::linear::elimination::Unsolved;
use crate::linear::elimination::factors::Factors;
use crate::linear::elimination::fronts::Fronts;
use crate::linear::preconditioner::Preconditioner;
use crate::operator::assemble::generator;
use crate::operator::{RateOperator, TriangularSweep};

/// The bytes of a preconditioner for so many states, beside the blocks.
pub(crate) fn memory(states: u64) -> u64 {
    states * 2 * 8
}

/// A chain in blocks.
pub(crate) struct Blocks {
    factors: Factors,
    /// The fronts of each block, in the order in which blocks are solved.
    fronts: Vec<Vec<u32>>,
    /// Per place the rates into it from places of earlier blocks, and of later ones.
    earlier: Matrix<f64>,
    later: Matrix<f64>,
}

impl Blocks {
    /// Eliminates the blocks of a chain, given the number of its block for each state, within so many bytes
    /// and multiplications.
    pub(crate) fn of(
        chain: &dyn RateOperator,
        block_of: &[u32],
        [bytes, work]: [u64; 2],
        watch: &mut Watch<'_>,
    ) -> Result<Blocks, Unsolved> {
        let apart = Apart::new(chain, block_of);
        let generator = generator(&apart, watch).map_err(|stopped| Unsolved::Stopped(stopped.into()))?;
        drop(apart);
        let factors = Factors::of(&generator, [bytes, work], watch)?;
        drop(generator);
        let fronts = blocks(factors.fronts(), block_of);
        let [earlier, later] = between(chain, block_of, (factors.fronts(), &fronts));
        Ok(Blocks { factors, fronts, earlier, later })
    }

    /// The bytes that they take.
    pub(crate) fn memory(&self) -> u64 {
        let of_matrix = |matrix: &Matrix<f64>| 12 * matrix.entries() as u64 + 8 * matrix.rows() as u64;
        self.factors.memory() + of_matrix(&self.earlier) + of_matrix(&self.later)
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

/// The rates within blocks, as those of a chain with one more state, to which a state goes instead of leaving
/// its block.
struct Apart<'c> {
    chain: &'c dyn RateOperator,
    block_of: &'c [u32],
    exits: Vec<f64>,
    /// Per state the rate at which it leaves its block.
    leaving: Vec<f64>,
}

impl<'c> Apart<'c> {
    fn new(chain: &'c dyn RateOperator, block_of: &'c [u32]) -> Apart<'c> {
        let mut leaving = vec![0.0; chain.states()];
        chain.for_each_rate(&mut |from, to, rate| {
            if block_of[from] != block_of[to] {
                leaving[from] += rate;
            }
            ControlFlow::Continue(())
        });
        let exits = chain.exits().iter().copied().chain([0.0]).collect();
        Apart { chain, block_of, exits, leaving }
    }
}

impl RateOperator for Apart<'_> {
    fn exits(&self) -> &[f64] {
        &self.exits
    }

    fn rates(&self) -> u64 {
        self.chain.rates() + self.leaving.len() as u64
    }

    fn least_rate(&self) -> f64 {
        self.chain.least_rate()
    }

    fn inflow(&self, x: &[f64], inflow: &mut [f64]) {
        inflow.fill(0.0);
        self.for_each_rate(&mut |from, to, rate| {
            inflow[to] += x[from] * rate;
            ControlFlow::Continue(())
        });
    }

    fn for_each_rate(&self, visit: &mut dyn FnMut(usize, usize, f64) -> ControlFlow<()>) {
        self.chain.for_each_rate(&mut |from, to, rate| match self.block_of[from] == self.block_of[to] {
            true => visit(from, to, rate),
            false => ControlFlow::Continue(()),
        });
        let leaving = self.leaving.iter().enumerate().filter(|(_, rate)| **rate > 0.0);
        let _ = leaving.into_iter().try_for_each(|(from, &rate)| visit(from, self.leaving.len(), rate));
    }
}

/// The fronts of each block, ascending. Blocks of which some states go together with the last one count as one.
fn blocks(fronts: &Fronts, block_of: &[u32]) -> Vec<Vec<u32>> {
    let block_at = |place: usize| block_of.get(fronts.states[place] as usize).copied();
    let of_last: BTreeSet<u32> = fronts.places(fronts.count() - 1).filter_map(block_at).collect();
    let mut found: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for front in 0..fronts.count() {
        // A front of the last state alone has nothing to solve for.
        let Some(block) = block_at(fronts.places(front).start) else { continue };
        let block = of_last.first().filter(|_| of_last.contains(&block)).copied().unwrap_or(block);
        found.entry(block).or_default().push(front as u32);
    }
    found.into_values().collect()
}

/// Per place the rates into it from places of earlier blocks and of later ones.
fn between(
    chain: &dyn RateOperator,
    block_of: &[u32],
    (fronts, blocks): (&Fronts, &[Vec<u32>]),
) -> [Matrix<f64>; 2] {
    let mut order = vec![0_u32; fronts.states.len()];
    for (number, block) in blocks.iter().enumerate() {
        block.iter().for_each(|&front| order[fronts.places(front as usize)].fill(number as u32));
    }
    let place = |state: usize| fronts.places[state] as usize;
    [true, false].map(|of_earlier| {
        let is_one = |from: usize, to: usize| {
            block_of[from] != block_of[to] && (order[place(from)] < order[place(to)]) == of_earlier
        };
        let mut offsets = vec![0; fronts.states.len() + 1];
        let visit = |visit: &mut dyn FnMut(usize, usize, f64)| {
            chain.for_each_rate(&mut |from, to, rate| {
                if is_one(from, to) {
                    visit(place(from), place(to), rate);
                }
                ControlFlow::Continue(())
            });
        };
        visit(&mut |_, to, _| offsets[to + 1] += 1);
        (1..offsets.len()).for_each(|at| offsets[at] += offsets[at - 1]);
        let mut next = offsets.clone();
        let entries = offsets[offsets.len() - 1];
        let (mut columns, mut values) = (vec![0; entries], vec![0.0; entries]);
        visit(&mut |from, to, rate| {
            (columns[next[to]], values[next[to]]) = (from as u32, rate);
            next[to] += 1;
        });
        Matrix::new(offsets, columns, values)
    })
}

/// The preconditioner of a chain in blocks.
pub(crate) struct InBlocks<'b> {
    blocks: &'b Blocks,
    is_dual: bool,
    /// A solution by places, and what the rates from it, or into it, that `M` leaves out make of it.
    values: Vec<f64>,
    rest: Vec<f64>,
    /// What factors are solved with.
    work: Vec<f64>,
}

impl<'b> InBlocks<'b> {
    fn new(blocks: &'b Blocks, is_dual: bool) -> InBlocks<'b> {
        let values = vec![0.0; blocks.factors.fronts().states.len()];
        InBlocks { blocks, is_dual, rest: values.clone(), values, work: Vec::new() }
    }

    /// The places of the states in their order.
    fn place_of(&self) -> &'b [u32] {
        &self.blocks.factors.fronts().places
    }

    /// `M^-1 x`, by places.
    fn solve_by_places(&mut self, x: &[f64]) {
        let places = self.place_of().iter().map(|&place| place as usize);
        let InBlocks { blocks: Blocks { factors, fronts, earlier, .. }, is_dual, values, work, .. } = self;
        values.fill(0.0);
        match is_dual {
            true => places.zip(x.iter().rev()).for_each(|(place, value)| values[place] = *value),
            false => places.zip(x).for_each(|(place, value)| values[place] = *value),
        }
        let places =
            |block: &'b [u32]| block.iter().flat_map(|&front| factors.fronts().places(front as usize));
        match is_dual {
            true => fronts.iter().rev().for_each(|block| {
                factors.solve_dual(block, values, work);
                places(block).for_each(|to| hand_back(earlier, to, values[to], values));
            }),
            false => fronts.iter().for_each(|block| {
                places(block).for_each(|to| values[to] += inflow(earlier, to, values));
                factors.solve(block, values, work);
            }),
        }
    }

    /// Values by places, by state.
    fn by_state(&self, values: &[f64], x: &mut [f64]) {
        let values = self.place_of().iter().map(|&place| values[place as usize]);
        match self.is_dual {
            true => x.iter_mut().rev().zip(values).for_each(|(x, value)| *x = value),
            false => x.iter_mut().zip(values).for_each(|(x, value)| *x = value),
        }
    }
}

impl Preconditioner for InBlocks<'_> {
    fn solve(&mut self, _: &dyn TriangularSweep, x: &mut [f64]) {
        self.solve_by_places(x);
        self.by_state(&self.values, x);
    }

    fn rest(&mut self, _: &dyn TriangularSweep, x: &mut [f64]) {
        self.solve_by_places(x);
        let InBlocks { blocks: Blocks { later, .. }, is_dual, values, rest, .. } = self;
        if *is_dual {
            rest.fill(0.0);
            values.iter().enumerate().for_each(|(to, &value)| hand_back(later, to, value, rest));
        } else {
            rest.iter_mut().enumerate().for_each(|(to, rest)| *rest = inflow(later, to, values));
        }
        self.by_state(&self.rest, x);
    }
}

/// The sum of the values of the places from which rates lead to one, times these rates.
fn inflow(rates: &Matrix<f64>, to: usize, values: &[f64]) -> f64 {
    rates.row(to).map(|(from, rate)| values[from] * rate).sum()
}

/// Adds to the places from which rates lead to one its value, times these rates.
fn hand_back(rates: &Matrix<f64>, to: usize, value: f64, sums: &mut [f64]) {
    rates.row(to).for_each(|(from, rate)| sums[from] += rate * value);
}

#[cfg(test)]
mod tests {
    use super::Blocks;
    use crate::limits::memory::MemoryBudget;
    use crate::limits::{Limits, Watch};
    use crate::linear::preconditioner::Preconditioner;
    use crate::operator::transposed::TransposedRates;
    use crate::operator::{RateOperator, TriangularSweep};
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

    /// `A x`
    fn product(chain: &TransposedRates, x: &[f64]) -> Vec<f64> {
        let mut inflow = vec![0.0; x.len()];
        chain.inflow(x, &mut inflow);
        let known = x.iter().zip(chain.exits()).zip(&inflow);
        known.map(|((value, exit), inflow)| exit * value - inflow).collect()
    }

    /// The worst difference between `x - A M^-1 x` and what the preconditioner makes of `x`, and the largest
    /// value of that.
    fn difference(preconditioner: &mut dyn Preconditioner, chain: &TransposedRates) -> (f64, f64) {
        let x: Vec<f64> = (0..chain.states()).map(|state| random(state) - 1.0).collect();
        let (mut rest, mut solution) = (x.clone(), x.clone());
        preconditioner.rest(chain as &dyn TriangularSweep, &mut rest);
        preconditioner.solve(chain as &dyn TriangularSweep, &mut solution);
        let seen = product(chain, &solution);
        let differences: Vec<f64> =
            x.iter().zip(&seen).zip(&rest).map(|((x, seen), rest)| (x - seen - rest).abs()).collect();
        (worst(&differences), worst(&rest.iter().map(|rest| rest.abs()).collect::<Vec<_>>()))
    }

    #[test]
    fn what_is_left_of_a_product_is_that_of_later_blocks() {
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        for (side, count) in [(1, 4), (2, 3), (7, 5), (20, 2)] {
            let (lists, block_of) = lattices(side, count, 1e-2);
            let chain = TransposedRates::of_lists(&lists, &mut watch);
            let blocks = Blocks::of(&chain, &block_of, [u64::MAX; 2], &mut watch);
            let blocks = blocks.unwrap_or_else(|_| panic!("no limit is reached"));
            let (difference, rest) = self::difference(&mut blocks.preconditioner(), &chain);
            assert!(rest > 1e-3 && difference < 1e-11, "{side}, {count}: {difference:e} of {rest:e}");
            let dual = TransposedRates::dual(&chain, MemoryBudget::new(&limits), &mut watch);
            let dual = dual.unwrap_or_else(|_| panic!("no limit")).unwrap_or_else(|| panic!("it fits"));
            let (difference, rest) = self::difference(&mut blocks.of_dual(), &dual);
            assert!(rest > 1e-3 && difference < 1e-11, "{side}, {count}, dual: {difference:e} of {rest:e}");
        }
    }
}
