//! Truncation: a chain of which few states are likely, whose solution begins with a few of them.
//!
//! Models mostly begin where they are likely to be: queues are empty and machines work. So the states around
//! the first one are taken for the whole chain and solved for, which takes next to no time. Sweeps over all
//! states then say about how probability falls from there on, and so which states are likely. These are the
//! next set, and so on, until what a set leaves of the balance of all states is nothing but rounding. Mostly
//! that takes three to five sets. Each is solved only as exactly as the choice of the next one needs.
//!
//! Queues that are served in turns, with 150 places each, have 91,204 states, of which one in seven is more
//! likely than `1e-20` of the likeliest. Iterations on these cost a seventh, and there are fewer of them, as
//! the way from one end to the other is shorter. Sums hardly depend on the other states, and that is proved:
//! the certificate is one for all states. See E. Seneta, Non-negative Matrices and Markov Chains (1981), 7.
//!
//! Where the first set shows that many states are likely, or where a set does not come much closer than the
//! one before, other methods go on from where they were. Cost of a set: iterations on it, and ten passes over
//! the rates. Memory: the rates among the states of a set, and six vectors.

use super::arrangement::Arrangement;
use super::likely::{FEW, Likely, count_likely};
use super::sums::{Beginning, REACHED_BY_LIKELY, TARGET_ALONG_FLOW, solve_plainly};
use super::sweeps::{SWEEPS, left, smooth};
use super::uneven::MOST_AT_FIRST;
use super::{Answer, Problem, Turns};
use crate::error::Error;
use crate::limits::Watch;
use crate::limits::memory::MemoryBudget;
use crate::linear::bicgstab;
use crate::linear::iteration::{Halt, Iterations};
use crate::linear::krylov::{Source, Width};
use crate::operator::transposed::TransposedRates;
use crate::operator::{RateOperator, TriangularSweep};
use crate::vector::worst;

/// A state is left out of a set if it is less likely than this, relative to the likeliest one. What flows to
/// states below `1e-16` is less than rounding. But the last states of a set are wrong, and a certificate
/// multiplies what they leave of the balance by up to a million.
const RARE: f64 = 1e-20;

/// The share of the states in the first set, and the least number of them.
const SHARE_AT_FIRST: usize = 64;
const LEAST_AT_FIRST: usize = 500;

/// The largest share of the states that may be likely after the first set. A later set has [`FEW`] of them.
const FEW_AT_FIRST: f64 = 0.25;

/// The most sets.
const SETS: usize = 6;

/// The total defect that the solution of the first set aims at, and that of another one relative to what the
/// set before has left of the balance of all states.
const AIM_AT_FIRST: f64 = 1e-4;
const FURTHER: f64 = 1e-6;

/// Where more are likely, the last set has this share of the states, the likeliest. What it leaves is a start
/// for all of them.
const PART_OF_MANY: f64 = 0.3;

/// The total defect up to which that is worth it. Where more is left, the first state is not where the
/// likely ones are, or the way from there is long.
const FAR: f64 = 5e-3;

/// A set leaves at most this share of what the one before has left of the balance of all states: two queues
/// in a line, through which probability creeps, leave a hundredth. Where no more than [`LITTLE`] is left, it
/// may be this much.
const QUICK: f64 = 1e-3;
const LITTLE: f64 = 1e-12;
const LESS: f64 = 0.7;

/// How often sweeps go back and forth over all states: after the first set, which is a rough one, and after
/// others.
const SPREADING: [usize; 2] = [1, 2];

/// The vectors of all states: the estimate, the next one, what is left of the balance, and room to work in.
const VECTORS: u64 = 6;

impl Problem<'_> {
    /// Solves for sums by truncation, once for each chain. `None` if many states are likely, if elimination
    /// takes as little time, or if sums are not certain. The estimate of the task stays as it was.
    pub(super) fn sums_by_truncation(
        &self,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Answer>, Error> {
        if self.is_eliminated_soon() || std::mem::replace(&mut task.had_truncation, true) {
            return Ok(None);
        }
        let arrangement = self.with_factors(watch)?;
        let taken = task.decomposition.memory() + 8 * self.chain.states() as u64 + arrangement.memory();
        let mut budget = Iterations::new(watch, MOST_AT_FIRST.min(self.limits.iterations));
        let found = self.truncated(&arrangement, self.budget.beside(taken), &mut budget);
        let iterations = budget.done;
        let Some(pi) = found.map_err(|halt| self.preparing(halt))? else { return Ok(None) };
        let beginning = Beginning::Truncated { pi, arrangement: Box::new(arrangement) };
        let answer = self.sums_at_first(beginning, task.tried, watch)?.answer();
        Ok(answer.map(|answer| Answer { iterations: iterations + answer.iterations, ..answer }))
    }

    /// The probabilities of the arranged states. `None` if many are likely, or if there is no room.
    fn truncated(
        &self,
        arrangement: &Arrangement,
        memory: MemoryBudget,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Option<Vec<f64>>, Halt> {
        let Some((list, memory)) = self.room_for_sets(arrangement, memory) else { return Ok(None) };
        let orders = [self.given.order, arrangement.order().map(|order| &**order)];
        let first = orders.into_iter().flatten().fold(0, |state, order| order.places()[state] as usize);
        let count = LEAST_AT_FIRST.max(list.states() / SHARE_AT_FIRST);
        let nearby = list.nearby(first, count, budget.watch())?;
        let set = Likely::of_states(list, (nearby, first), memory, budget)?;
        let truncation = Truncation { list, source: arrangement.source(), memory };
        truncation.grown_from(set, (None, AIM_AT_FIRST), budget)
    }

    /// The same from a solution for nearly the same rates, of which nearly the same states are likely.
    pub(super) fn truncated_again(
        &self,
        arrangement: &Arrangement,
        (pi, memory): (&[f64], MemoryBudget),
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Option<Vec<f64>>, Halt> {
        let Some((list, memory)) = self.room_for_sets(arrangement, memory) else { return Ok(None) };
        let set = Likely::of(list, (pi, RARE), memory, budget)?;
        let truncation = Truncation { list, source: arrangement.source(), memory };
        truncation.grown_from(set, (Some(pi.to_vec()), TARGET_ALONG_FLOW), budget)
    }

    /// The list that sets are made of, and what there is for the rates of a set; `None` if there is no list or
    /// no room.
    fn room_for_sets<'a>(
        &'a self,
        arrangement: &'a Arrangement,
        memory: MemoryBudget,
    ) -> Option<(&'a TransposedRates, MemoryBudget)> {
        let list = arrangement.chain(self.chain).list()?;
        let (states, rates) = (list.states() as u64, list.rates());
        let of_set =
            bicgstab::memory(states / 2, Width::Double) + arrangement.source().memory(states / 2, rates / 2);
        let of_all = VECTORS * 8 * states + of_set;
        let fits = memory.check(of_all.max(TransposedRates::memory_of_nearby(states))).is_ok();
        fits.then(|| (list, memory.beside(of_all)))
    }
}

/// A chain that is solved by truncation.
struct Truncation<'c> {
    list: &'c TransposedRates,
    source: Source<'c>,
    /// What is left for the rates of a set.
    memory: MemoryBudget,
}

impl Truncation<'_> {
    /// The probabilities of all states, by way of ever better sets, of which the first one is solved for to a
    /// total defect from an estimate, if there is one. Where many states are likely, as far as a set of some
    /// of them leads. `None` if sets do not become better.
    fn grown_from(
        &self,
        mut set: Option<Likely>,
        (mut pi, mut aim): (Option<Vec<f64>>, f64),
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Option<Vec<f64>>, Halt> {
        let states = self.list.states() as f64;
        let (mut most, mut are_too_many) = (f64::INFINITY, false);
        for few in [FEW_AT_FIRST].into_iter().chain([FEW; SETS - 1]) {
            let Some(known) = set else { return Ok(None) };
            let Some(found) = self.by_set(&known, (pi, aim), budget)? else { return Ok(None) };
            drop(known);
            let left = left(self.list, &found).0;
            if left.is_nan() || left > most {
                return Ok(None);
            }
            if are_too_many || left <= REACHED_BY_LIKELY {
                return Ok(Some(found));
            }
            are_too_many = count_likely(&found, RARE) as f64 > few * states;
            if are_too_many && left > FAR {
                return Ok(None);
            }
            let rare = if are_too_many { rare_if_many(&found) } else { RARE };
            set = Likely::of(self.list, (&found, rare), self.memory, budget)?;
            pi = Some(found);
            most = if left <= LITTLE { LESS * left } else { LITTLE.max(QUICK * left) };
            aim = TARGET_ALONG_FLOW.max(FURTHER * left);
        }
        Ok(None)
    }

    /// The probabilities of all states by those of a set, which are solved for to a total defect from an
    /// estimate of all, if there is one. `None` if iterations do not get there.
    fn by_set(
        &self,
        set: &Likely,
        (estimate, aim): (Option<Vec<f64>>, f64),
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Option<Vec<f64>>, Halt> {
        let chain = set.chain();
        let mut of_set = estimate.as_ref().map_or_else(|| chain.start(), |estimate| set.taken(estimate));
        chain.make_positive(&mut of_set);
        let task = (chain as &dyn TriangularSweep, self.source);
        let solved = budget.beside(|budget| solve_plainly(task, &mut of_set, (aim, aim), budget))?;
        if solved.is_none() {
            return Ok(None);
        }
        smooth(chain, &mut of_set, SWEEPS, budget)?;
        let spreading = SPREADING[usize::from(estimate.is_some())];
        Ok(Some(set.spread_in(spreading, self.list, (&of_set, estimate.as_deref()), budget)?))
    }
}

/// How rare a state is, relative to the likeliest one, that is not among the [likeliest](PART_OF_MANY).
fn rare_if_many(pi: &[f64]) -> f64 {
    let mut by_size = pi.to_vec();
    let place = ((1.0 - PART_OF_MANY) * pi.len() as f64) as usize;
    let (_, least, _) = by_size.select_nth_unstable_by(place, f64::total_cmp);
    *least / worst(pi)
}

#[cfg(test)]
mod tests {
    use super::{AIM_AT_FIRST, Likely, REACHED_BY_LIKELY, Truncation, left};
    use crate::limits::memory::MemoryBudget;
    use crate::limits::{Limits, Watch};
    use crate::linear::iteration::Iterations;
    use crate::linear::krylov::{Preconditioning, Source};
    use crate::operator::transposed::TransposedRates;
    use crate::random_chain::Lists;

    /// The places of each of two queues.
    const PLACES: usize = 60;

    /// Two queues side by side, to which customers come at a rate, and leave at the rate one.
    fn side_by_side(arrival: f64) -> Lists {
        let side = PLACES + 1;
        let row = |state: usize| {
            let moves = [(state % side, 1), (state / side, side)].into_iter().flat_map(|(place, stride)| {
                let come = (place < PLACES).then(|| ((state + stride) as u32, arrival));
                let leave = (place > 0).then(|| ((state - stride.min(state)) as u32, 1.0));
                come.into_iter().chain(leave)
            });
            moves.collect()
        };
        (0..side * side).map(row).collect()
    }

    /// What a truncation that begins around a state finds, and the total defect that it leaves.
    fn grown(rows: &Lists, first: usize) -> Option<(Vec<f64>, f64)> {
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        let list = &TransposedRates::of_lists(rows, &mut watch);
        let memory = MemoryBudget::new(&limits);
        let nearby = list.nearby(first, 100, &mut watch).unwrap();
        let mut budget = Iterations::new(&mut watch, 1000);
        let set = Likely::of_states(list, (nearby, first), memory, &mut budget);
        let set = set.unwrap_or_else(|_| panic!("a limit"));
        let truncation = Truncation { list, source: Source::Chain(Preconditioning::Dilu), memory };
        let found = truncation
            .grown_from(set, (None, AIM_AT_FIRST), &mut budget)
            .unwrap_or_else(|_| panic!("a limit"));
        found.map(|pi| {
            let left = left(list, &pi).0;
            (pi, left)
        })
    }

    /// The product of two geometric distributions, up to its scale.
    fn known(arrival: f64) -> impl Fn(usize) -> f64 {
        let side = PLACES + 1;
        move |state| arrival.powi((state % side + state / side) as i32)
    }

    fn assert_known(pi: &[f64], known: impl Fn(usize) -> f64, least: f64) {
        let sum: f64 = (0..pi.len()).map(&known).sum();
        for (state, found) in pi.iter().enumerate() {
            let right = known(state) / sum;
            let error = (found / right - 1.0).abs();
            assert!(right < least || error < 1e-6, "{state}: {found:e}, not {right:e}");
        }
    }

    #[test]
    fn few_likely_states_are_found_from_the_first_one() {
        let (pi, left) = grown(&side_by_side(0.2), 0).expect("few states are likely");
        assert!(left <= REACHED_BY_LIKELY, "{left:e}");
        assert_known(&pi, known(0.2), 1e-12);
    }

    /// Where customers come faster than they leave, both queues are nearly full. No set gets there from where
    /// both are empty.
    #[test]
    fn only_a_likely_state_leads_to_the_others() {
        assert!(grown(&side_by_side(5.0), 0).is_none());
        let last = (PLACES + 1) * (PLACES + 1) - 1;
        let (pi, left) = grown(&side_by_side(5.0), last).expect("few states are likely");
        assert!(left <= REACHED_BY_LIKELY, "{left:e}");
        assert_known(&pi, known(5.0), 1e-12);
    }

    /// What a part of them leaves is close to the answer all the same.
    #[test]
    fn where_many_states_are_likely_a_part_of_them_is_a_start() {
        let (pi, left) = grown(&side_by_side(0.5), 0).expect("the first state is a likely one");
        assert!(left > REACHED_BY_LIKELY && left < 1e-6, "{left:e}");
        assert_known(&pi, known(0.5), 1e-4);
    }

    #[test]
    fn where_all_states_are_likely_nothing_is_found() {
        assert!(grown(&side_by_side(1.0), 0).is_none());
    }
}
