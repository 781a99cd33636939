//! Nearly decomposable parts of a chain, which are connected by slow transitions alone, and the balance
//! between them.
//!
//! Where parts are joined by rates of `1e-12`, the split of the probability between them is seen in no
//! state's balance (see [`error_estimate`](crate::steady::error_estimate)), but in what flows from part to
//! part: sums of positive numbers, in which no digits cancel. If the flows out of a part and into it differ
//! by a share, so do the probabilities of the parts.
//!
//! The parts are found in levels: at level `d` those that are connected by transitions which a state takes
//! with a probability of at least `10^-d`. Levels nest, so where the parts of one are again joined in groups
//! by slower ones still, the next level sees it. Time: a pass over the rates for each level until all is
//! connected, one for a chain without such parts. Memory: 4 bytes a state, and as many for each level with
//! more than one part.
//!
//! The split between the parts of a level is set right by *aggregation*: with a state for each part and the
//! flows of the estimate as its rates, a small chain whose steady state, by elimination, is what each part
//! should have in all. J. R. Koury, D. F. McAllister, W. J. Stewart, SIAM J. Alg. Disc. Meth. 5 (1984), after
//! the nearly decomposable systems of H. A. Simon and A. Ando, Econometrica 29 (1961).

use std::ops::ControlFlow;

use crate::chain::{Generator, Matrix};
use crate::disjoint_sets::DisjointSets;
use crate::limits::Watch;
use crate::linear::elimination;
use crate::linear::iteration::{Halt, Iterations, check};
use crate::operator::RateOperator;
use crate::order::Order;
use crate::team::{on_each_of, sums};
use crate::vector::{dot, total, worst};

/// The levels, in decades. A transition that a state takes once in a hundred times does not separate parts;
/// one rarer than the last level is below the precision of `f64`.
const LEVELS: std::ops::RangeInclusive<i32> = 2..=30;

/// The most parts between which the split is set right: a full matrix of them is eliminated in a fraction of
/// a second.
const MOST_PARTS: usize = 600;

/// Parts that an earlier level than this joins are solved as one. A Krylov method finds the split between
/// them by itself, and to set it right in rounds takes longer. With that, queues whose servers fail seldom
/// take a ninth of the time, and two-phase commit among participants that crash takes three fifths.
const FAR_APART: i32 = 3;

/// For [blocks](slowly_joined): by how many decades the rates between them are smaller than the largest exit
/// rate, how many blocks there may be, and what share of the states one of them may have.
const SLOWER: std::ops::RangeInclusive<i32> = 2..=6;
const MOST_BLOCKS: usize = 200;
const LARGEST_BLOCK: f64 = 0.5;

/// The parts of all levels that have more than one; by default there are none.
#[derive(Default)]
pub(crate) struct Decomposition(Vec<Partition>);

/// The parts of a level, and of later ones as long as they stay the same.
struct Partition {
    /// Of each state the number of its part.
    of_state: Vec<u32>,
    count: usize,
    /// The last of these levels.
    last_level: i32,
}

impl Decomposition {
    /// Finds them, in at most so many bytes.
    pub(crate) fn find(
        chain: &dyn RateOperator,
        bytes: u64,
        watch: &mut Watch<'_>,
    ) -> Result<Decomposition, Halt> {
        if chain.least_rate() >= 10.0_f64.powi(-LEVELS.start()) * worst(chain.exits()) {
            // The first level joins all states of an irreducible chain.
            return Ok(Decomposition::default());
        }
        let mut sets = DisjointSets::new(chain.states());
        let mut count = chain.states();
        let mut levels = Vec::new();
        let per_level = 4 * chain.states() as u64;
        // Each thread has sets of its own. What several find at first, in pairs, takes no more.
        let threads = chain.threads();
        let threads = if threads as u64 * per_level <= bytes { threads } else { 1 };
        for level in LEVELS {
            check(watch)?;
            let before = count;
            let (probability, exits) = (10.0_f64.powi(-level), chain.exits());
            let least = |from: usize| probability * exits[from];
            count = Joining { chain, least, sets: &mut sets, count, threads }.join();
            check(watch)?;
            if count == 1 {
                break;
            }
            if count < before {
                // The sets, this level, and the numbers of its parts while they are given.
                if (levels.len() as u64 + 3) * per_level > bytes {
                    return Err(Halt::Memory);
                }
                levels.push(Partition::new(&mut sets, chain.states(), level));
            } else if let Some(parts) = levels.last_mut() {
                parts.last_level = level;
            }
        }
        Ok(Decomposition(levels))
    }

    /// Whether no parts are joined by slow transitions alone.
    pub(crate) fn is_of_one_part(&self) -> bool {
        self.0.is_empty()
    }

    /// The worst relative difference of the flows out of a part and into it, over the parts of all levels.
    pub(crate) fn imbalance(
        &self,
        chain: &dyn RateOperator,
        pi: &[f64],
        watch: &mut Watch<'_>,
    ) -> Result<f64, Halt> {
        let mut worst = 0.0_f64;
        for parts in &self.0 {
            let (mut out, mut into) = (vec![0.0; parts.count], vec![0.0; parts.count]);
            parts.for_each_between(chain, |from, part, other, rate| {
                out[part] += pi[from] * rate;
                into[other] += pi[from] * rate;
            });
            check(watch)?;
            for (out, into) in out.into_iter().zip(into) {
                let difference = f64::abs(out - into);
                // Also true of what is no number.
                if difference != 0.0 {
                    worst = crate::vector::worst(&[worst, difference / f64::min(out, into)]);
                }
            }
        }
        Ok(worst)
    }

    /// The bytes that they take.
    pub(crate) fn memory(&self) -> u64 {
        self.0.iter().map(|parts| 4 * parts.of_state.len() as u64).sum()
    }

    /// The same parts where the states are arranged in an order.
    pub(crate) fn arranged(&self, order: &Order) -> Decomposition {
        let arranged = |parts: &Partition| Partition {
            of_state: order.arranged(&parts.of_state),
            count: parts.count,
            last_level: parts.last_level,
        };
        Decomposition(self.0.iter().map(arranged).collect())
    }

    /// The finest parts that are few and far apart, or all states as one.
    pub(crate) fn split(&self) -> Split<'_> {
        let are_few_and_far = |parts: &&Partition| parts.count <= MOST_PARTS && parts.last_level >= FAR_APART;
        Split(self.0.iter().find(are_few_and_far))
    }
}

/// For each state the number of its block, where the chain falls into few large ones between which all rates
/// are small beside the largest exit rate.
pub(crate) fn slowly_joined(
    chain: &dyn RateOperator,
    watch: &mut Watch<'_>,
) -> Result<Option<Vec<u32>>, Halt> {
    let mut sets = DisjointSets::new(chain.states());
    let (mut count, largest) = (chain.states(), worst(chain.exits()));
    for level in SLOWER {
        check(watch)?;
        let least = largest * 10.0_f64.powi(-level);
        if least < chain.least_rate() {
            break;
        }
        count = Joining { chain, least: |_| least, sets: &mut sets, count, threads: 1 }.join();
        if count <= MOST_BLOCKS {
            let blocks = Partition::new(&mut sets, chain.states(), level);
            let largest = worst(&blocks.sums(std::iter::repeat(1.0)));
            let is_divided = largest <= LARGEST_BLOCK * chain.states() as f64;
            return Ok(is_divided.then_some(blocks.of_state));
        }
    }
    Ok(None)
}

/// What is connected by transitions whose rates are no less than some least one out of a state.
struct Joining<'j, L> {
    chain: &'j dyn RateOperator,
    least: L,
    sets: &'j mut DisjointSets,
    /// How many sets there are.
    count: usize,
    threads: usize,
}

impl<L: Fn(usize) -> f64 + Sync> Joining<'_, L> {
    /// Joins all of it; how many sets there are then.
    fn join(mut self) -> usize {
        self.join_to_earlier();
        if self.count > 1 {
            self.join_others();
        }
        self.count
    }

    /// Joins the least state of each set to an earlier one. Exploration found each state from an earlier one,
    /// so that all are mostly joined then. For that, no thread has to know what others have joined.
    fn join_to_earlier(&mut self) {
        let Joining { chain, least, sets, count, threads } = self;
        let (threads, least) = (*threads, &*least);
        let earlier = |to: usize, sources: &[u32], rates: &[f64]| {
            let sources = sources.iter().map(|&from| from as usize).zip(rates);
            let mut earlier = sources.filter(|&(from, _)| from < to);
            earlier.find(|&(from, rate)| *rate >= least(from)).map(|(from, _)| from)
        };
        // One thread joins at once, and needs no list of what it finds.
        if threads == 1 {
            chain.for_each_rates_in((0, 1), &mut |to, sources, rates| {
                let from = if sets.is_least(to) { earlier(to, sources, rates) } else { None };
                *count -= from.map_or(0, |from| usize::from(sets.join(from, to)));
                ControlFlow::Continue(())
            });
            return;
        }
        let found = on_each_of(threads, |part| {
            let mut found: Vec<(u32, u32)> = Vec::with_capacity(chain.states().div_ceil(threads));
            chain.for_each_rates_in((part, threads), &mut |to, sources, rates| {
                let is_found = found.last().is_some_and(|&(last, _)| last as usize == to);
                if !is_found && sets.is_least(to) {
                    let from = earlier(to, sources, rates);
                    found.extend(from.map(|from| (to as u32, from as u32)));
                }
                ControlFlow::Continue(())
            });
            found
        });
        for (to, from) in found.into_iter().flatten() {
            *count -= usize::from(sets.join(from as usize, to as usize));
        }
    }

    /// Joins what is still apart. Each thread joins what it sees, and then all of that is joined.
    fn join_others(&mut self) {
        let Joining { chain, least, sets, count, threads } = self;
        let (before, threads, least) = (*count, *threads, &*least);
        sets.settle();
        let join = |part: usize, mut sets: DisjointSets| {
            let mut left = before;
            chain.for_each_rates_in((part, threads), &mut |to, sources, rates| {
                for (from, rate) in sources.iter().map(|&from| from as usize).zip(rates) {
                    if !sets.are_joined(from, to) && *rate >= least(from) {
                        left -= usize::from(sets.join(from, to));
                    }
                }
                if left == 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            (sets, left)
        };
        let mut parts = on_each_of(threads, |part| join(part, sets.clone())).into_iter();
        if let Some((of_first, left)) = parts.next() {
            (**sets, *count) = (of_first, left);
        }
        for (mut of_other, _) in parts {
            *count -= sets.join_all(&mut of_other);
        }
    }
}

impl Partition {
    fn new(sets: &mut DisjointSets, states: usize, last_level: i32) -> Partition {
        let mut numbers = vec![u32::MAX; states];
        let mut count = 0;
        let of_state = (0..states).map(|state| {
            let number = &mut numbers[sets.find(state)];
            if *number == u32::MAX {
                *number = count;
                count += 1;
            }
            *number
        });
        Partition { of_state: of_state.collect(), count: count as usize, last_level }
    }

    /// Calls `visit(i, part of i, part of j, q(i, j))` for the rates between parts.
    fn for_each_between(&self, chain: &dyn RateOperator, mut visit: impl FnMut(usize, usize, usize, f64)) {
        chain.for_each_rate(&mut |from, to, rate| {
            let (part, other) = (self.of_state[from], self.of_state[to]);
            if part != other {
                visit(from, part as usize, other as usize, rate);
            }
            ControlFlow::Continue(())
        });
    }

    /// The sums of the values of each part.
    fn sums(&self, values: impl Iterator<Item = f64>) -> Vec<f64> {
        let mut sums = vec![0.0; self.count];
        self.of_state.iter().zip(values).for_each(|(&part, value)| sums[part as usize] += value);
        sums
    }

    /// The chain between the parts.
    fn aggregated(&self, chain: &dyn RateOperator, pi: &[f64], masses: &[f64]) -> Generator<f64> {
        let mut rates = vec![vec![0.0; self.count]; self.count];
        self.for_each_between(chain, |from, part, other, rate| {
            let flow = pi[from] / masses[part] * rate;
            rates[part][other] += flow;
            rates[part][part] -= flow;
        });
        let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in rates {
            for (column, rate) in row.into_iter().enumerate().filter(|(_, rate)| *rate != 0.0) {
                columns.push(column as u32);
                values.push(rate);
            }
            offsets.push(columns.len());
        }
        Generator::new(Matrix::new(offsets, columns, values))
    }
}

/// The states in parts, few enough to set the split between them right; or in one.
#[derive(Clone, Copy)]
pub(crate) struct Split<'c>(Option<&'c Partition>);

impl Split<'_> {
    /// How many parts there are.
    pub(crate) fn count(self) -> usize {
        self.0.map_or(1, |parts| parts.count)
    }

    /// The part of a state.
    pub(crate) fn part(self, state: usize) -> usize {
        self.0.map_or(0, |parts| parts.of_state[state] as usize)
    }

    /// The sums of a vector over the parts. Threads share them if there is one part.
    pub(crate) fn sums(self, values: &[f64], threads: usize) -> Vec<f64> {
        match self.0 {
            Some(parts) => parts.sums(values.iter().copied()),
            None => sums(threads, values.len(), |block| [total(&values[block])]).to_vec(),
        }
    }

    /// The same of the products of two vectors, element by element.
    pub(crate) fn sums_of_products(self, one: &[f64], other: &[f64], threads: usize) -> Vec<f64> {
        match self.0 {
            Some(parts) => parts.sums(one.iter().zip(other).map(|(one, other)| one * other)),
            None => sums(threads, one.len(), |block| [dot(&one[block.clone()], &other[block])]).to_vec(),
        }
    }

    /// Sets the split of the probability between the parts right, given that within them.
    pub(crate) fn balance(
        self,
        chain: &dyn RateOperator,
        pi: &mut [f64],
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(), Halt> {
        let Split(Some(parts)) = self else { return Ok(()) };
        let masses = parts.sums(pi.iter().copied());
        let between = parts.aggregated(chain, pi, &masses);
        check(budget.watch())?;
        let shares = elimination::solve(&between, u64::MAX, u64::MAX, budget.watch())?;
        let total: f64 = shares.iter().sum();
        for (value, &part) in pi.iter_mut().zip(&parts.of_state) {
            *value *= shares[part as usize] / total / masses[part as usize];
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Decomposition, slowly_joined};
    use crate::limits::{Limits, Watch};
    use crate::linear::iteration::{Halt, Iterations};
    use crate::operator::transposed::TransposedRates;
    use crate::random_chain::walk;

    /// Two walks of ten places each, between whose ends runs change at a rate.
    fn walks(between: f64, watch: &mut Watch<'_>) -> TransposedRates {
        let rates =
            |state: u32| [if state == 9 { between } else { 1.0 }, if state == 10 { between } else { 1.0 }];
        TransposedRates::of_lists(&walk(20, rates), watch)
    }

    /// Flows between parts that are too small for floats say nothing of their balance.
    #[test]
    fn parts_between_which_nothing_flows_are_not_balanced() {
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        let chain = walks(1e-6, &mut watch);
        let found = Decomposition::find(&chain, u64::MAX, &mut watch);
        let found = found.unwrap_or_else(|_| panic!("no limit is reached"));
        let mut pi = vec![1.0; 20];
        (pi[9], pi[10]) = (0.0, 0.0);
        let outcome = found.split().balance(&chain, &mut pi, &mut Iterations::new(&mut watch, 10));
        assert!(matches!(outcome, Err(Halt::Stagnated)));
    }

    /// The balance between parts is looked at wherever a hundredth of the transitions joins them, and set
    /// right where they are farther apart.
    #[test]
    fn parts_are_solved_one_by_one_where_they_are_far_apart() {
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        for (between, is_of_one_part, expected) in
            [(0.1, true, 1), (5e-3, false, 1), (5e-4, false, 2), (1e-6, false, 2)]
        {
            let chain = walks(between, &mut watch);
            let found = Decomposition::find(&chain, u64::MAX, &mut watch);
            let found = found.unwrap_or_else(|_| panic!("no limit is reached"));
            let seen = (found.is_of_one_part(), found.split().count());
            assert_eq!(seen, (is_of_one_part, expected), "{between}");
        }
    }

    /// Ten walks of ten places, between whose ends runs change at a rate.
    #[test]
    fn blocks_are_joined_by_rates_that_are_all_small() {
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        for (between, expected) in [(0.1, None), (5e-3, Some(10)), (1e-5, Some(10)), (1e-9, Some(10))] {
            let rates = |state: u32| {
                [
                    if state % 10 == 9 { between } else { 1.0 },
                    if state.is_multiple_of(10) { between } else { 1.0 },
                ]
            };
            let chain = TransposedRates::of_lists(&walk(100, rates), &mut watch);
            let found = slowly_joined(&chain, &mut watch).unwrap_or_else(|_| panic!("no limit is reached"));
            let of_walks = || (0..100).map(|state| state / 10).collect::<Vec<u32>>();
            assert_eq!(found, expected.map(|_: u32| of_walks()), "{between}");
        }
    }
}
