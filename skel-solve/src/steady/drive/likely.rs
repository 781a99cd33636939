//! The likely states of a chain most of whose states are rare, as a chain of their own.
//!
//! Queues that are nearly always full, or nearly always empty, have few likely states: of a tandem queue of
//! 130,000 states 900 are as likely as `1e-25` of the likeliest, and after twenty sweeps 4,000 seem to be.
//! The rates among these alone make a smaller chain, whose solution differs from that of the whole by what
//! flows to rare states, times how long a run stays there. That is mostly less than rounding. So the smaller
//! chain is solved first. Sweeps over all states then bring the rare ones to their balance.
//!
//! Which states are likely is taken from an estimate, which may be wrong. So the result is checked: if the
//! equations of all states are not solved well enough by it, all states are solved for. Such truncations of
//! the state space: E. Seneta, Non-negative Matrices and Markov Chains (1981), 7.

use crate::chain::Generator;
use crate::limits::Watch;
use crate::limits::memory::MemoryBudget;
use crate::linear::elimination::worth::FAR_DEARER;
use crate::linear::elimination::{self, Unsolved, profile, worth};
use crate::linear::iteration::{Halt, Iterations};
use crate::operator::assemble::generator;
use crate::operator::transposed::TransposedRates;
use crate::operator::{RateOperator, TriangularSweep};
use crate::vector::{place_of_largest, total, worst};

/// A state is rare if it is less likely than this, relative to the likeliest one.
pub(super) const RARE: f64 = 1e-25;

/// The same where an estimate is to be improved that is still far from the solution.
pub(super) const RARE_AT_FIRST: f64 = 1e-16;

/// The largest share of the states that may be likely.
pub(super) const FEW: f64 = 0.5;

/// So many multiplications of an elimination for each rate take less time than cycles of aggregation and the
/// iterations after them, and than iterations for a comparison function that are not few.
const ELIMINATED: u64 = 400;

/// The share of the probability that is nearly all.
const NEARLY_ALL: f64 = 0.999;

/// The bytes of a state while it is found which of them are connected.
const GRAPH: u64 = 64;

/// How often sweeps go back and forth over all states.
const SPREADING: usize = 3;

/// The likely states, in ascending order, and their chain.
pub(super) struct Likely {
    states: Vec<u32>,
    chain: TransposedRates,
    /// Whether there may be an order in which elimination takes little time.
    may_be_eliminated: bool,
}

impl Likely {
    /// The likely states by an estimate, if they are few, the chain is a list, and there is room for theirs.
    /// Those that do not come from the likeliest one and back to it by way of likely ones are not among them.
    pub(super) fn of(
        chain: &dyn TriangularSweep,
        (pi, rare): (&[f64], f64),
        memory: MemoryBudget,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Option<Likely>, Halt> {
        let Some(list) = chain.list() else { return Ok(None) };
        let count = count_likely(pi, rare);
        if count < 2 || count as f64 > FEW * pi.len() as f64 {
            return Ok(None);
        }
        let states = likely_states(pi, rare).collect();
        Likely::of_states(list, (states, place_of_largest(pi)), memory, budget)
    }

    /// Some states, in ascending order, that are taken for the likely ones, and one among them: those that do
    /// not come from this one and back to it by way of the others are left out.
    pub(super) fn of_states(
        list: &TransposedRates,
        (mut states, likeliest): (Vec<u32>, usize),
        memory: MemoryBudget,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Option<Likely>, Halt> {
        let count = states.len();
        let memory = memory.beside(4 * count as u64);
        let Some(mut chain) = list.among(&states, memory, budget.watch())? else { return Ok(None) };
        let beside = memory.beside(chain.memory());
        if beside.check(GRAPH * count as u64 + 2 * 4 * chain.rates()).is_err() {
            return Ok(None);
        }
        let likeliest = states.partition_point(|&state| (state as usize) < likeliest);
        let connected = chain.strongly_connected_with(likeliest, budget.watch())?;
        if connected.len() < 2 {
            return Ok(None);
        }
        if connected.len() < states.len() {
            let Some(among) = chain.among(&connected, beside, budget.watch())? else { return Ok(None) };
            chain = among;
            states = connected.iter().map(|&state| states[state as usize]).collect();
        }
        let chain = chain.shared(memory, budget.watch())?;
        let may_be_eliminated = profile::price(&chain).work / FAR_DEARER <= ELIMINATED * chain.rates();
        Ok(Some(Likely { states, chain, may_be_eliminated }))
    }

    /// The probabilities of their chain, if elimination takes little time.
    pub(super) fn probabilities(
        &self,
        memory: MemoryBudget,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Option<Vec<f64>>, Halt> {
        self.eliminated(memory, budget, |generator, bytes, work, watch| {
            elimination::solve(generator, bytes, work, watch)
        })
    }

    /// What a run among them collects before it comes to the `origin`, at these costs per unit of time, if
    /// elimination takes little time.
    pub(super) fn costs_before(
        &self,
        (costs, origin): (&[f64], u32),
        memory: MemoryBudget,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Option<Vec<f64>>, Halt> {
        self.eliminated(memory, budget, |generator, bytes, work, watch| {
            elimination::costs_before(generator, (costs, origin), bytes, work, watch)
        })
    }

    /// Whether there may be an order in which elimination takes little time.
    pub(super) fn may_be_eliminated(&self) -> bool {
        self.may_be_eliminated
    }

    /// What an elimination of their chain gives, within so many bytes and multiplications.
    fn eliminated(
        &self,
        memory: MemoryBudget,
        budget: &mut Iterations<'_, '_>,
        eliminate: impl FnOnce(&Generator<f64>, u64, u64, &mut Watch<'_>) -> Result<Vec<f64>, Unsolved>,
    ) -> Result<Option<Vec<f64>>, Halt> {
        let Some(bytes) = memory.left().checked_sub(worth::beside(&self.chain)) else { return Ok(None) };
        if !self.may_be_eliminated {
            return Ok(None);
        }
        let work = ELIMINATED * self.chain.rates();
        let generator = generator(&self.chain, budget.watch())?;
        match eliminate(&generator, bytes, work, budget.watch()) {
            Ok(found) => Ok(Some(found)),
            Err(Unsolved::Refused) => Ok(None),
            Err(unsolved) => Err(unsolved.into()),
        }
    }

    /// Whether nearly all probability is theirs. If not, only the chain of all states can tell how it is
    /// split between those that are likely.
    pub(super) fn have_nearly_all(&self, pi: &[f64]) -> bool {
        let theirs: f64 = self.states.iter().map(|&state| pi[state as usize]).sum();
        theirs >= NEARLY_ALL * total(pi)
    }

    /// The states, in ascending order.
    pub(super) fn states(&self) -> &[u32] {
        &self.states
    }

    /// Their chain, whose states are numbered in this order.
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

    /// The values of all states from those of the likely ones, for a list that has all. Probability flows
    /// from likely states to rare ones, which are behind them against the flow; so sweeps go against the
    /// order of the states, and along it in turn. They begin with an estimate of the rare states, if there is
    /// a good one, and otherwise with none of them.
    pub(super) fn spread(
        &self,
        list: &TransposedRates,
        of_likely: (&[f64], Option<&[f64]>),
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Vec<f64>, Halt> {
        self.spread_in(SPREADING, list, of_likely, budget)
    }

    /// The same in so many sweeps to and fro.
    pub(super) fn spread_in(
        &self,
        times: usize,
        list: &TransposedRates,
        (of_likely, estimate): (&[f64], Option<&[f64]>),
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Vec<f64>, Halt> {
        let mut of_all = estimate.map_or_else(|| vec![0.0; list.states()], <[f64]>::to_vec);
        self.restore(of_likely, &mut of_all);
        for _ in 0..times {
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

/// The states that are no rarer than this, relative to the likeliest one, in ascending order.
fn likely_states(pi: &[f64], rare: f64) -> impl Iterator<Item = u32> {
    let least = rare * worst(pi);
    (0..).zip(pi).filter(move |(_, value)| **value >= least).map(|(state, _)| state)
}

/// How many these are.
pub(super) fn count_likely(pi: &[f64], rare: f64) -> usize {
    likely_states(pi, rare).count()
}

#[cfg(test)]
mod tests {
    use super::{Likely, RARE};
    use crate::limits::memory::MemoryBudget;
    use crate::limits::{Limits, Watch};
    use crate::linear::elimination;
    use crate::linear::iteration::Iterations;
    use crate::operator::RateOperator;
    use crate::operator::assemble::generator;
    use crate::operator::transposed::TransposedRates;
    use crate::random_chain::{Draw, Lists, nearly_full, walk};

    /// The likely states of a chain by its probabilities, and these.
    fn likely(chain: &TransposedRates, watch: &mut Watch<'_>) -> (Option<Likely>, Vec<f64>) {
        let pi = elimination::of_small(&generator(chain, watch).unwrap(), watch);
        let memory = MemoryBudget::new(&Limits::default());
        let found = Likely::of(chain, (&pi, RARE), memory, &mut Iterations::new(watch, 1));
        (found.unwrap_or_else(|_| panic!("a limit")), pi)
    }

    #[test]
    fn likely_states_have_the_probabilities_of_their_own_chain_and_tell_the_others() {
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        for seed in 0..40 {
            let chain = TransposedRates::of_lists(&nearly_full(&mut Draw(seed)), &mut watch);
            let (Some(likely), pi) = likely(&chain, &mut watch) else { panic!("{seed}: most are rare") };
            assert!(2 * likely.states().len() <= chain.states(), "{seed}");
            let of_likely =
                elimination::of_small(&generator(likely.chain(), &mut watch).unwrap(), &mut watch);
            let spread = likely.spread(&chain, (&of_likely, None), &mut Iterations::new(&mut watch, 1));
            let spread = spread.unwrap_or_else(|_| panic!("a limit"));
            for (state, (found, right)) in spread.iter().zip(&pi).enumerate() {
                let error = (found / right - 1.0).abs();
                assert!(*right < 1e-16 || error < 1e-9, "{seed}, {state}: {found:e}, not {right:e}");
                assert!(*found <= 1.001 * right, "{seed}, {state}: {found:e} is above {right:e}");
            }
        }
    }

    /// Two hills with so rare a state between them that runs hardly ever come from one to the other.
    #[test]
    fn what_is_joined_by_rare_states_alone_is_apart() {
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        let rows = walk(61, |state| match state {
            ..30 => [1e-2, 2.0],
            30 => [1.0, 1.0],
            31.. => [2.0, 1e-2],
        });
        let chain = TransposedRates::of_lists(&rows, &mut watch);
        let (found, pi) = likely(&chain, &mut watch);
        let states = found.map(|likely| likely.states().to_vec()).unwrap_or_default();
        assert!(pi[0] > 1e-3 && pi[60] > 1e-3 && pi[30] < 1e-40, "{} {} {}", pi[0], pi[60], pi[30]);
        let first = if pi[0] > pi[60] { 0 } else { 61 - states.len() as u32 };
        assert!((2..30).contains(&states.len()), "{states:?}");
        assert!(states.iter().zip(first..).all(|(&state, expected)| state == expected), "{states:?}");
    }

    #[test]
    fn where_most_states_are_likely_none_are_set_aside() {
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        let rows: Lists = (0..50_u32).map(|state| vec![((state + 1) % 50, 1.0)]).collect();
        let chain = TransposedRates::of_lists(&rows, &mut watch);
        let memory = MemoryBudget::new(&limits);
        let mut budget = Iterations::new(&mut watch, 1);
        for value in [0.02, 0.0, f64::NAN] {
            assert!(
                Likely::of(&chain, (&[value; 50], RARE), memory, &mut budget)
                    .is_ok_and(|found| found.is_none())
            );
        }
    }
}
