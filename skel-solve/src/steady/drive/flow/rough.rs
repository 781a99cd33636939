//! Brings probability about to where it belongs, where sweeps along the flow stall: a Krylov method would
//! need an iteration a step for that.
//!
//! Mostly it is on its way: in queues to where nearly all states are rare but a few, in clusters to where
//! nearly everything works. So states become rare with every sweep, and as soon as few are
//! [likely](crate::steady::drive::likely), the others are left alone. Cycles of [multilevel
//! aggregation](crate::linear::multilevel) are for what does not come further by itself. Where nearly all
//! states stay likely all the same, none of it is on its way anywhere. Cost: sweeps over all states until
//! half of them are rare, then over the others, and so on; or at most five cycles. Memory: the rates among
//! likely states; for cycles those of all, and more. What is found is a start for other methods, and not
//! believed.

use crate::limits::memory::MemoryBudget;
use crate::linear::iteration::{Halt, Iterations};
use crate::linear::multilevel::{self, FEW_WITH_NEW_GROUPS, Multilevel};
use crate::operator::TriangularSweep;
use crate::operator::transposed::TransposedRates;
use crate::steady::drive::likely::{FEW, Likely, RARE_AT_FIRST, count_likely};
use crate::steady::drive::sweeps::{FAR, STALLED, SWEEPS, left, sweep_some};
use crate::vector::total;

/// The total defect at or below which probability is where it belongs, the most sweeps over the states of one
/// chain that carry it there, and the share of the likely states that may still be likely after [`SWEEPS`] of
/// them where the defect hardly falls. A cluster of 128 workstations takes 45; three quarters to nine tenths
/// are still likely every time.
const CARRIED: f64 = 1e-4;
const MOST_CARRYING: usize = 100;
const FEWER: f64 = 0.95;

/// If at least this share of the states is likely when sweeps get no further, probability is not moving to
/// few of them. In clusters less than two thirds are likely then, and where peers share files, 97 %.
const NEARLY_ALL: f64 = 0.9;

/// The most cycles. They end where no more than [`FAR`] is left.
const CYCLES: usize = 5;

/// Below this number of states probability has less far to go. After so many cycles, iterations then take
/// less time than further cycles.
const NEAR_STATES: usize = 20_000;
const FEW_CYCLES: usize = 2;

/// Brings probability about to where it belongs: for the likely states alone, as soon as these are few, and
/// otherwise by sweeps, as long as likely states become fewer or the defect falls. Probability is on its way
/// then, as in clusters, and sweeps take less time and memory than cycles, which come last. Returns whether
/// it was on its way. If it was not, no cycles were done.
pub(super) fn solve_roughly(
    chain: &dyn TriangularSweep,
    pi: &mut [f64],
    memory: MemoryBudget,
    budget: &mut Iterations<'_, '_>,
) -> Result<bool, Halt> {
    let (mut before, mut count) = (f64::INFINITY, count_likely(pi, RARE_AT_FIRST));
    let mut fewest = pi.len();
    for _ in (0..MOST_CARRYING).step_by(SWEEPS) {
        if count as f64 <= FEW * fewest as f64 {
            fewest = count;
            let likely = Likely::of(chain, (pi, RARE_AT_FIRST), memory, budget)?;
            let likely = likely.filter(|likely| likely.have_nearly_all(pi));
            if let (Some(likely), Some(list)) = (likely, chain.list()) {
                solve_for_likely(list, &likely, pi, memory, budget)?;
                return Ok(true);
            }
        }
        sweep_some(chain, pi, &mut || budget.look())?;
        let (left, fewer) = (left(chain, pi).0, count_likely(pi, RARE_AT_FIRST));
        if left <= CARRIED {
            return Ok(true);
        }
        if left > STALLED * before && fewer as f64 > FEWER * count as f64 {
            if fewer as f64 >= NEARLY_ALL * pi.len() as f64 {
                return Ok(false);
            }
            break;
        }
        (before, count) = (left, fewer);
    }
    cycle(chain, pi, memory, budget)?;
    Ok(true)
}

/// The same for the likely states, and what follows from these for all.
fn solve_for_likely(
    list: &TransposedRates,
    likely: &Likely,
    pi: &mut [f64],
    memory: MemoryBudget,
    budget: &mut Iterations<'_, '_>,
) -> Result<(), Halt> {
    let memory = memory.beside(likely.memory());
    let mut of_likely = likely.taken(pi);
    match likely.probabilities(memory, budget)? {
        Some(mut solution) => {
            let sum = total(&of_likely);
            solution.iter_mut().for_each(|value| *value *= sum);
            likely.restore(&solution, pi);
        }
        None => {
            if !solve_roughly(likely.chain(), &mut of_likely, memory, budget)? {
                cycle(likely.chain(), &mut of_likely, memory, budget)?;
            }
            pi.copy_from_slice(&likely.spread(list, (&of_likely, None), budget)?);
        }
    }
    Ok(())
}

/// Cycles of multilevel aggregation, until little is left or there were enough; none where there is no room
/// for them.
pub(super) fn cycle(
    chain: &dyn TriangularSweep,
    pi: &mut [f64],
    memory: MemoryBudget,
    budget: &mut Iterations<'_, '_>,
) -> Result<(), Halt> {
    if memory.check(multilevel::memory(chain.states() as u64, chain.rates())).is_err() {
        return Ok(());
    }
    let mut multilevel = Multilevel::new(chain, FEW_WITH_NEW_GROUPS, budget.watch())?;
    let cycles = if pi.len() < NEAR_STATES { FEW_CYCLES } else { CYCLES };
    for _ in 0..cycles {
        budget.look()?;
        multilevel.cycle(pi, budget.watch())?;
        if left(chain, pi).0 <= FAR {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{CARRIED, left, multilevel, solve_roughly};
    use crate::limits::memory::MemoryBudget;
    use crate::limits::{Limits, Watch};
    use crate::linear::elimination;
    use crate::linear::iteration::Iterations;
    use crate::operator::RateOperator;
    use crate::operator::assemble::generator;
    use crate::operator::transposed::TransposedRates;
    use crate::random_chain::{Lists, walk};

    /// A walk down, which a sweep in the order of the states takes a step further: none of the probability is
    /// where it belongs before it has come all the way.
    fn walk_down(states: u32, watch: &mut Watch<'_>) -> TransposedRates {
        TransposedRates::of_lists(&walk(states, |_| [1e-6, 1.0]), watch)
    }

    /// What becomes of an even estimate within so many bytes.
    fn roughly(chain: &TransposedRates, memory: u64, watch: &mut Watch<'_>) -> Vec<f64> {
        let mut pi = vec![1.0; chain.states()];
        assert!(is_on_its_way(chain, &mut pi, memory, watch));
        pi
    }

    fn is_on_its_way(chain: &TransposedRates, pi: &mut [f64], memory: u64, watch: &mut Watch<'_>) -> bool {
        let memory = MemoryBudget::new(&Limits { memory, ..Limits::default() });
        let rough = solve_roughly(chain, pi, memory, &mut Iterations::new(watch, 1));
        rough.unwrap_or_else(|_| panic!("no limit is reached"))
    }

    /// Without memory there are only sweeps, and none for the likely states alone.
    #[test]
    fn probability_is_carried_to_where_it_belongs() {
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        for memory in [limits.memory, 0] {
            let chain = walk_down(40, &mut watch);
            let right = elimination::of_small(&generator(&chain, &mut watch).unwrap(), &mut watch);
            let pi = roughly(&chain, memory, &mut watch);
            assert!(left(&chain, &pi).0 <= CARRIED, "{:e}", left(&chain, &pi).0);
            let sum: f64 = pi.iter().sum();
            let off = pi.iter().zip(&right).map(|(found, right)| (found / sum - right).abs()).sum::<f64>();
            assert!(off < 1e-2, "{off:e}");
        }
    }

    /// Many such walks side by side, between which runs change at random. What is likely of them is too much
    /// for an elimination, and too little memory is left for cycles over all.
    #[test]
    fn ever_fewer_likely_states_are_swept() {
        const STEPS: u32 = 60;
        const WALKS: u32 = 200;
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        let number = |step: u32, walk: u32| step * WALKS + walk;
        let mut rows: Lists = Vec::new();
        for (step, walk) in (0..STEPS).flat_map(|step| (0..WALKS).map(move |walk| (step, walk))) {
            let aside = [(walk + 1) % WALKS, (7 * walk + 3) % WALKS];
            let aside =
                aside.into_iter().filter(|&other| other != walk).map(|other| (number(step, other), 1e-3));
            let down = step.checked_sub(1).map(|below| (number(below, walk), 1.0));
            let up = (step + 1 < STEPS).then_some((number(step + 1, walk), 1e-6));
            rows.push(down.into_iter().chain(up).chain(aside).collect());
        }
        let chain = TransposedRates::of_lists(&rows, &mut watch);
        let for_cycles = multilevel::memory(chain.states() as u64, chain.rates());
        let pi = roughly(&chain, for_cycles - 1, &mut watch);
        assert!(left(&chain, &pi).0 <= CARRIED, "{:e}", left(&chain, &pi).0);
    }

    /// So long a walk takes more sweeps than there are. With cycles, for which there may be room, less is
    /// left.
    #[test]
    fn what_does_not_come_far_is_left_to_cycles() {
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        let chain = walk_down(2000, &mut watch);
        // Nothing is likely on the last fourth of the way.
        let mut left = |memory: u64| {
            let mut pi: Vec<f64> = (0..2000).map(|state| if state < 500 { 1e-30 } else { 1.0 }).collect();
            assert!(is_on_its_way(&chain, &mut pi, memory, &mut watch));
            left(&chain, &pi).0
        };
        let [with_cycles, without] = [limits.memory, 0].map(&mut left);
        assert!(without > CARRIED && with_cycles < 0.5 * without, "{with_cycles:e}, {without:e}");
    }

    /// Of a walk to and fro, every state is as likely as any other, and sweeps only make slow waves of what
    /// an uneven estimate has too much.
    #[test]
    fn where_all_states_stay_likely_nothing_is_on_its_way() {
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        let chain = TransposedRates::of_lists(&walk(200, |_| [1.0, 1.0]), &mut watch);
        let mut pi: Vec<f64> = (0..200).map(|state| if state < 100 { 1.0 } else { 2.0 }).collect();
        assert!(!is_on_its_way(&chain, &mut pi, limits.memory, &mut watch));
    }
}
