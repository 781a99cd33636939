//! A proved bound on the errors of sums, such as throughputs, where the probabilities of rare states may be
//! far off.
//!
//! Let `r = x Q` be what the balance equations leave of an estimate `x` with sum one, `s = x f` a sum, and
//! `c` at least `|f - s| / s` in every state. If `V >= 0` with `V(o) = 0` satisfies
//!
//! ```text
//! exit(i) V(i) - sum of q(i, j) V(j) >= kappa c(i)    for all i but o, with kappa > 0
//! ```
//!
//! then `V / kappa` is no less than what a run from `i` collects at the rate `c` before it comes to `o`, and
//! the relative error of `s` is at most `sum of |r(i)| V(i) / kappa`: see the bias in C. D. Meyer, SIAM
//! Review 17 (1975), and, for comparison functions like `V`, S. P. Meyn, R. L. Tweedie, Markov Chains and
//! Stochastic Stability (1993), 14. As `c` is the worst over all sums, one solution serves them all. How `V`
//! was found doesn't matter, since the inequalities are checked, with an allowance for rounding. A state of
//! probability `1e-300` adds next to nothing to the bound, however wrong its own balance is.
//!
//! The costs for which `V` is solved may be larger than `c`. Where rare states are far away from the likely
//! ones, as in tandem queues, costs that [grow](grown) with the way make `V` grow so fast that what is far
//! away hardly counts, and a Krylov method needs half the iterations.
//!
//! Cost: a solution of the transposed equations to four tenths, and with a function for nearly the same rates
//! a pass over the rates, or where that doesn't fit a solution that starts from it. Where most states are
//! rare, the solution is that for the [likely](crate::steady::drive::likely) ones, by elimination where
//! iterations take long, and sweeps [extend](Certificate::extended) it to all. Memory: the rates once more,
//! and a preconditioner.

mod certifier;

use std::ops::ControlFlow;

use crate::limits::Stopped;
use crate::limits::memory::MemoryBudget;
use crate::linear::bicgstab;
use crate::linear::bicgstab::{Run, Size};
use crate::linear::iteration::{Halt, Iterations};
use crate::linear::krylov::{Source, Width};
use crate::operator::RateOperator;
use crate::operator::transposed::TransposedRates;
use crate::steady::drive::likely::Likely;
use crate::steady::former::Function;
use crate::vector::{place_of_largest, total, worst};
pub(super) use certifier::Certifier;

/// The share of its costs that the comparison function may fall short of in a state when it is solved for.
/// That it makes up for more does no harm.
const ENOUGH: f64 = 0.6;

/// The sweeps over all states that extend a function from the likely ones, the most of them, and the share of
/// the costs that is enough.
const EXTENDING: usize = 4;
const MOST_EXTENDING: usize = 32;
const EXTENDED: f64 = 0.2;

/// The most times that what is left of the costs is solved for, and the share of it that each has to leave
/// at most.
const ROUNDS: usize = 3;
const PER_ROUND: f64 = 0.1;

/// The decades by which costs grow, the probability from which on they no longer do, and by which factors
/// their mean and what they are multiplied with may become larger.
const DECADES: [f64; 3] = [32.0, 16.0, 8.0];
const RAREST: f64 = 1e-290;
const LARGER_MEAN: f64 = 2.0;
const LARGER_DEFECT: f64 = 10.0;

/// The least share of the costs that the function has to make up for.
const LEAST_SHARE: f64 = 0.1;

/// The largest bound that is believed. The proof takes the estimated sums for right to within [`ALLOWANCE`],
/// and a bound of half of that shows that they are: if they were further off, the bound would be larger.
const CREDIBLE: f64 = 5e-4;

/// What is added to every distance, since the sums from which distances are taken are estimates.
const ALLOWANCE: f64 = 1e-3;

/// The rounding of one operation.
const ROUNDING: f64 = 1.2e-16;

/// What rounding each probability to `f64` adds to the relative error of a sum, and what the sum of all
/// probabilities is off from one.
const OF_PROBABILITIES: f64 = 1e-14;

/// What flows into each state too much.
#[derive(Clone, Copy)]
pub(super) struct Net<'n> {
    pub(super) of_states: &'n [f64],
    /// Whether it was computed in twice the digits of `f64`.
    pub(super) is_exact: bool,
}

/// A bound on relative errors.
#[derive(Clone, Copy)]
pub(super) struct Bound {
    pub(super) error: f64,
    /// What rounding adds to it, however well the equations are solved.
    pub(super) rounding: f64,
}

impl Bound {
    /// There is none.
    pub(super) const NONE: Bound = Bound { error: f64::INFINITY, rounding: f64::INFINITY };
}

/// The bytes of a certificate for so many states and rates while it is made: the transposed rates, a
/// preconditioner, and vectors.
pub(super) fn memory(source: Source<'_>, states: u64, rates: u64) -> u64 {
    rates * 12
        + states * (4 + 4 * 8 + 3 * 8)
        + bicgstab::memory(states, Width::Double)
        + source.memory(states, rates)
}

/// A comparison function, for which inequalities are checked before it is believed.
pub(super) struct Certificate(pub(super) Function);

impl Certificate {
    /// Finds a comparison function for some costs, from one that was found with other rates if there is one.
    /// `None` if there is none to be found.
    pub(super) fn find(
        (chain, source): (&dyn RateOperator, Source<'_>),
        former: Option<Function>,
        (pi, costs): (&[f64], &[f64]),
        memory: MemoryBudget,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Option<Certificate>, Halt> {
        let stopped = |stopped: Stopped| Halt::Limit(stopped.limit);
        let dual = TransposedRates::dual(chain, memory, budget.watch()).map_err(stopped)?;
        let Some(dual) = dual else { return Ok(None) };
        let dual = dual.shared(memory, budget.watch()).map_err(stopped)?;
        // The transposed equations number states the other way round.
        let last = pi.len() - 1;
        let (origin, mut values) = match former {
            Some(Function { origin, mut values, .. }) => {
                values.reverse();
                (last - origin, values)
            }
            None => (last - place_of_largest(pi), vec![0.0; pi.len()]),
        };
        let mut run = Run::<f64>::measured_by(Size::Above, &dual);
        let mean: f64 = pi.iter().zip(costs).map(|(pi, cost)| pi * cost).sum();
        let taken = mean / pi[last - origin];
        run.flows.iter_mut().zip(costs.iter().rev()).for_each(|(flow, cost)| *flow = *cost);
        let mut preconditioner = source.of_dual(&dual, budget.watch())?;
        let mut before = f64::INFINITY;
        for round in 0.. {
            run.residual.fill(1.0);
            run.residual[origin] -= taken / run.flows[origin];
            take_away(&dual, &values, &mut run);
            // Residuals that were large in between leave less than they say.
            let left = run.left();
            if left <= ENOUGH {
                break;
            }
            if round == ROUNDS || left.is_nan() || left > PER_ROUND * before {
                return Ok(None);
            }
            before = left;
            let left = run.solve(&dual, &mut *preconditioner, ENOUGH, budget)?;
            if left.is_nan() || left > ENOUGH {
                return Ok(None);
            }
            let corrections = run.correction(&dual, &mut *preconditioner);
            values.iter_mut().zip(corrections).for_each(|(value, correction)| *value += *correction);
        }
        let least = values[origin];
        values.iter_mut().for_each(|value| *value = f64::max(0.0, *value - least));
        values.reverse();
        let longest = f64::from(dual.longest());
        Ok(Some(Certificate(Function { origin: last - origin, values, longest })))
    }

    /// The same for the [likely](Likely) states, by elimination if that takes little time: what a run
    /// collects before it comes to the likeliest of them.
    pub(super) fn eliminated(
        likely: &Likely,
        (pi, costs): (&[f64], &[f64]),
        memory: MemoryBudget,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Option<Certificate>, Halt> {
        let origin = place_of_largest(pi);
        let found = likely.costs_before((costs, origin as u32), memory, budget)?;
        let longest = f64::from(likely.chain().longest());
        Ok(found.map(|values| Certificate(Function { origin, values, longest })))
    }

    /// A function for the chain that a list is, from one for its [likely](Likely) states, for the same costs.
    /// What leads from these to rare states adds little to it, and what leads back from rare states makes it
    /// known there.
    pub(super) fn extended(
        self,
        (list, likely): (&TransposedRates, &Likely),
        costs: &[f64],
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Certificate, Halt> {
        let Certificate(Function { origin, values: of_likely, .. }) = self;
        let origin = likely.states()[origin] as usize;
        let [mut values, mut work] = [vec![0.0; costs.len()], vec![0.0; costs.len()]];
        likely.restore(&of_likely, &mut values);
        for sweep in 1..=MOST_EXTENDING {
            budget.look()?;
            list.sweep_onward(&mut values, (costs, origin), &mut work);
            let is_looked_at = sweep % EXTENDING == 0 && sweep < MOST_EXTENDING;
            let costs = costs.iter().copied();
            if is_looked_at && least_share(list, (&values, origin), costs, 0.0) >= EXTENDED {
                break;
            }
        }
        Ok(Certificate(Function { origin, values, longest: f64::from(list.longest()) }))
    }

    /// A bound on the relative errors of all sums whose distances these are; infinite if the function does
    /// not fit them.
    pub(super) fn bound(
        &self,
        chain: &dyn RateOperator,
        pi: &[f64],
        net: Net<'_>,
        distances: &[f64],
    ) -> Bound {
        let values = &self.0.values;
        let share = self.share(chain, distances);
        let of_flow = if net.is_exact { self.rounding().powi(2) } else { self.rounding() };
        let states = pi.iter().zip(chain.exits()).zip(values);
        let rounded: Vec<f64> =
            states.map(|((pi, exit), value)| of_flow * pi * exit * value / share).collect();
        let left: Vec<f64> =
            net.of_states.iter().zip(values).map(|(net, value)| net.abs() * value / share).collect();
        let rounding = total(&rounded) + OF_PROBABILITIES;
        let error = rounding + total(&left);
        match share >= LEAST_SHARE && error <= CREDIBLE {
            true => Bound { error, rounding },
            false => Bound::NONE,
        }
    }

    /// The rounding of a sum over a row.
    fn rounding(&self) -> f64 {
        (self.0.longest + 4.0) * ROUNDING
    }

    /// How much of the costs the function makes up for, in every state but the origin.
    fn share(&self, chain: &dyn RateOperator, distances: &[f64]) -> f64 {
        let Function { origin, values, .. } = &self.0;
        let rounding = self.rounding();
        let costs = distances.iter().map(|distance| distance + ALLOWANCE);
        least_share(chain, (values, *origin), costs, rounding)
    }
}

/// The least share of some costs that a function makes up for, in all states but the one where it vanishes.
fn least_share(
    chain: &dyn RateOperator,
    (values, origin): (&[f64], usize),
    costs: impl Iterator<Item = f64>,
    rounding: f64,
) -> f64 {
    let moves = moves(chain, values);
    let known = values.iter().zip(&moves).zip(chain.exits()).zip(costs);
    let states = known.enumerate().filter(|&(state, _)| state != origin);
    let shares = states.map(|(_, (((value, moved), exit), cost))| {
        let allowed = rounding * (exit * value + moved);
        (exit * value - moved - allowed) / cost
    });
    // A share that is no number counts as none.
    shares.fold(f64::INFINITY, |least, share| if share >= least { least } else { share.max(0.0) })
}

/// For each state, the sum of a function over the states that follow it, times the rates.
fn moves(chain: &dyn RateOperator, values: &[f64]) -> Vec<f64> {
    let mut moves = vec![0.0; values.len()];
    match chain.list() {
        Some(list) => list.onward(values, &mut moves),
        None => chain.for_each_rate(&mut |from, to, rate| {
            moves[from] += rate * values[to];
            ControlFlow::Continue(())
        }),
    }
    moves
}

/// Costs that grow with the rarity of a state, by so many decades at most. They grow no further than leaves
/// their mean about as it is, and what is left of the balance equations, which is multiplied by the function.
/// `None` if they cannot grow.
pub(super) fn grown(pi: &[f64], net: &[f64], costs: &[f64]) -> Option<Vec<f64>> {
    let top = worst(pi);
    let rarities: Vec<f64> = pi.iter().map(|value| (top / value.max(RAREST)).ln()).collect();
    let rarest = worst(&rarities);
    let growths = DECADES.into_iter().map(|decades| {
        let exponent = decades * std::f64::consts::LN_10 / rarest;
        rarities.iter().map(|rarity| (exponent * rarity).exp()).collect::<Vec<f64>>()
    });
    let grown = |growth: &[f64], weights: &mut dyn Iterator<Item = f64>, most: f64| {
        let (mut before, mut after) = (0.0, 0.0);
        for (weight, growth) in weights.zip(growth) {
            before += weight;
            after += weight * growth;
        }
        after <= most * before
    };
    let mut fitting = growths.filter(|growth| {
        let means = &mut pi.iter().zip(costs).map(|(value, cost)| value * cost);
        grown(growth, means, LARGER_MEAN)
            && grown(growth, &mut net.iter().map(|net| net.abs()), LARGER_DEFECT)
    });
    let growth = fitting.next()?;
    Some(costs.iter().zip(&growth).map(|(cost, growth)| cost * growth).collect())
}

/// Takes away from the costs what a function makes up for.
fn take_away(dual: &TransposedRates, values: &[f64], run: &mut Run<f64>) {
    let mut moves = vec![0.0; values.len()];
    dual.inflow(values, &mut moves);
    let known = values.iter().zip(&moves).zip(dual.exits()).zip(&run.flows);
    for (residual, (((value, moved), exit), cost)) in run.residual.iter_mut().zip(known) {
        *residual -= (exit * value - moved) / cost;
    }
}

#[cfg(test)]
mod tests;
