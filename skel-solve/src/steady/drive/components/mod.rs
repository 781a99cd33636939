//! Aggregation by component: how probable each local state of a component is, found at once.
//!
//! Sweeps bring a state into balance with its neighbours. How full a queue of hundreds of places is, they
//! find only after as many sweeps as it has places, and so do Krylov methods. But all states in which the
//! queue is equally full can be taken for one: the rates between such *classes* are those that an estimate
//! implies, and the small chain of classes is solved in no time. Each class gets its probability from that,
//! and its states share it as before. This is done for each component in turn, and a few sweeps then mend how
//! classes share: that is a *round* of iterative aggregation and disaggregation. Mostly a round leaves a
//! tenth of the defect or less, where components depend on each other through a few local states only. See Y.
//! Takahashi, A lumping method for numerical calculations of stationary distributions of Markov chains
//! (1975); W. J. Stewart, Introduction to the Numerical Solution of Markov Chains (1994), 6; P. Buchholz,
//! Appl. Numer. Math. 31 (1999).
//!
//! What rounds find is where the probability is. If most states turn out to be rare, the
//! [likely](crate::steady::drive::likely) ones are solved for by themselves. If they do not, iterations from
//! a better start would save no more time than rounds take, and the estimate is left as it was. A first round
//! tells, which looks only at the rates into an eighth of the states. It need not be good: sweeps and the
//! rounds after it see all rates.
//!
//! Cost of a round: for each component that still moves probability a pass over the rates, and sweeps.
//! Memory: two bytes a state for each component, five vectors, and four bytes a rate for the sample.

mod partition;

use self::partition::{Partition, Rates, Sample, fields};
use super::sums::Beginning;
use super::sweeps::{left, smooth};
use super::{Answer, Problem, Turns};
use crate::error::Error;
use crate::limits::Watch;
use crate::limits::memory::MemoryBudget;
use crate::linear::iteration::{Halt, Iterations};
use crate::operator::TriangularSweep;
use crate::order::Order;

/// One of so many states is in the sample, and the bytes of a rate in it.
const SAMPLED: u64 = 8;
const OF_SAMPLED_RATE: u64 = 12 + 16;

/// The vectors that rounds take: the estimate, the one before it, and what is left, with room for its parts.
const VECTORS: u64 = 5;

/// The most rounds after the sample, the sweeps of a round, and the total defect that ends them.
const ROUNDS: usize = 3;
const SWEEPS_OF_ROUND: usize = 3;
const NEAR: f64 = 1e-3;

/// A component that moved less than this share of what another one moved is left out of the next round, since
/// others are more wrong than it: the share after the sample, which is rough, and after a whole round.
const MOVED_BY_SAMPLE: f64 = 0.01;
const MOVED: f64 = 0.1;

/// A round that leaves more than this share of the total defect is the last one.
const SLOW: f64 = 0.7;

/// The share of the total defect that rounds have to come to.
const USEFUL: f64 = 0.3;

/// The share of the states that have to be rare.
const MOSTLY: f64 = 0.5;

impl Problem<'_> {
    /// Improves a swept estimate by rounds and solves for sums from there, once for each chain. `None` if
    /// rounds are of no use, if elimination takes as little time, or if sums are not certain. The estimate of
    /// the task stays as it was.
    pub(super) fn sums_by_components(
        &self,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Answer>, Error> {
        if self.is_eliminated_soon() || std::mem::replace(&mut task.had_components, true) {
            return Ok(None);
        }
        let memory = self.budget.beside(task.decomposition.memory() + 8 * self.chain.states() as u64);
        let mut budget = Iterations::new(watch, task.most);
        let found = self.aggregated((self.chain, None), (task.pi, memory), &mut budget);
        let Some(pi) = found.map_err(|halt| self.preparing(halt))? else { return Ok(None) };
        let arrangement = Box::new(self.with_factors(watch)?);
        let pi = arrangement.arranged(&pi);
        let beginning = Beginning::Arranged { pi, arrangement, knows_rare_states: true };
        Ok(self.sums_at_first(beginning, task.tried, watch)?.answer())
    }

    /// An estimate after rounds. The states of the chain may be in another order than those of the problem.
    /// `None` if rounds are of no use, or if there is no room for them beside the estimate.
    pub(super) fn aggregated(
        &self,
        (chain, order): (&dyn TriangularSweep, Option<&Order>),
        (pi, memory): (&[f64], MemoryBudget),
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Option<Vec<f64>>, Halt> {
        let first = left(chain, pi).0;
        if first <= NEAR || chain.list().is_none() {
            return Ok(None);
        }
        let Some(partitions) = self.partitions(order, memory, budget)? else { return Ok(None) };
        let round = Round { chain, partitions: &partitions };
        let mut pi = pi.to_vec();
        let mut moved = round.with_sample(&mut pi, budget)?;
        if self.share_of_rare_states(&pi) < MOSTLY {
            return Ok(None);
        }
        let (mut before, mut share) = (f64::INFINITY, MOVED_BY_SAMPLE);
        for _ in 0..ROUNDS {
            let last = pi.clone();
            moved = round.with_all(&mut pi, (&moved, share), budget)?;
            share = MOVED;
            let left = left(chain, &pi).0;
            if left.is_nan() || left > before {
                pi = last;
                break;
            }
            let is_slow = left > SLOW * before;
            before = left;
            if is_slow || left <= NEAR {
                break;
            }
        }
        Ok((before <= USEFUL * first).then_some(pi))
    }

    /// The partitions by the components, if there are some and there is room for them. The states are in
    /// another order than those of the problem, if one is given.
    fn partitions(
        &self,
        order: Option<&Order>,
        memory: MemoryBudget,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Option<Vec<Partition>>, Halt> {
        let Some(space) = self.given.asked else { return Ok(None) };
        let (states, rates) = (self.chain.states(), self.chain.rates());
        let fields = fields(space);
        let of_partitions = partition::memory(fields.len(), states);
        let beside = VECTORS * 8 * states as u64 + OF_SAMPLED_RATE * rates.div_ceil(SAMPLED);
        if memory.check(of_partitions + beside).is_err() {
            return Ok(None);
        }
        let mut partitions = Vec::new();
        for field in fields {
            budget.look()?;
            let found = Partition::by(field, space);
            partitions.extend(found.map(|found| found.arranged(self.given.order).arranged(order)));
        }
        Ok(Some(partitions).filter(|partitions| !partitions.is_empty()))
    }
}

/// A round over a chain.
struct Round<'c> {
    chain: &'c dyn TriangularSweep,
    partitions: &'c [Partition],
}

impl Round<'_> {
    /// A round that takes the rates into a sample of the states, or all rates where those of the sample leave
    /// some class for no other. Returns how much probability each component has moved.
    fn with_sample(&self, pi: &mut [f64], budget: &mut Iterations<'_, '_>) -> Result<Vec<f64>, Halt> {
        let is_sampled = |state: &u32| (SAMPLED as f64 * (self.chain.random(*state as usize) - 0.5)) < 1.0;
        let states: Vec<u32> = (0..self.chain.states() as u32).filter(is_sampled).collect();
        let sample = Sample::into_states(self.chain, &states);
        let mut moved = Vec::new();
        for partition in self.partitions {
            budget.look()?;
            let mut found = partition.balance(Rates::Sample(&sample), pi, budget.watch())?;
            if found.is_none() {
                found = partition.balance(Rates::All(self.chain), pi, budget.watch())?;
            }
            moved.push(found.unwrap_or(0.0));
        }
        smooth(self.chain, pi, SWEEPS_OF_ROUND, budget)?;
        Ok(moved)
    }

    /// A round that takes all rates. Components that moved less than a share of what another one moved in the
    /// round before are left out. Returns how much probability each has moved now.
    fn with_all(
        &self,
        pi: &mut [f64],
        (moved, share): (&[f64], f64),
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Vec<f64>, Halt> {
        let least = share * moved.iter().copied().fold(0.0, f64::max);
        let mut moves = Vec::new();
        for (partition, &moved) in self.partitions.iter().zip(moved) {
            budget.look()?;
            let is_done = moved < least;
            let found = match is_done {
                true => None,
                false => partition.balance(Rates::All(self.chain), pi, budget.watch())?,
            };
            moves.push(found.unwrap_or(0.0));
        }
        smooth(self.chain, pi, SWEEPS_OF_ROUND, budget)?;
        Ok(moves)
    }
}
