//! Solves on from an estimate, until a certificate shows that its sums are right.
//!
//! In `f64`, what flows into a state too much is known to about `1e-16` of all that flows there. A
//! certificate multiplies that by its function, which may be above a million where the chain converges
//! slowly. Then the sums are right, but that cannot be shown. So what is left of the balance is computed in
//! twice the digits, for probabilities that are kept in as many, and solved for once more: iterative
//! refinement, as in N. J. Higham, Accuracy and Stability of Numerical Algorithms (2002), 12. The certificate
//! says how many decades are missing. Its bound is for the rates as `f64` stores them.
//!
//! In the end, probabilities are rounded to `f64`. That changes a sum in its last digit only, as all its
//! terms are positive.
//!
//! Time of a round: about three iterations, and those of a run for the decades. Memory: five vectors.

use super::certificate::{Certifier, Net};
use super::{Problem, SWEEPS, USABLE, Unsolved};
use crate::linear::bicgstab::Plain;
use crate::linear::iteration::{Halt, Iterations};
use crate::operator::transposed::TransposedRates;
use crate::operator::{TriangularSweep, left_and_flow};
use crate::steady::drive::arrangement::Arrangement;
use crate::steady::drive::sweeps::smooth;
use crate::vector::total;

/// The most runs.
const ROUNDS: usize = 4;

/// The least share of what there was that a run is to leave. Where it aims at the tolerance, it leaves about
/// a fourth of that.
const LEAST_SHARE: f64 = 1e-6;

/// Up to so many times the tolerance, sweeps over what a Krylov method has left may be enough, since that is
/// rough.
const SMOOTHED: f64 = 3.0;

/// A run that leaves more than this share of the error gets no further.
const ENOUGH: f64 = 0.5;

/// How often probabilities are scaled until their sum is one. Once is enough after most corrections.
const SCALINGS: usize = 4;

/// The bytes for so many states, beside those of the method that corrects.
pub(super) fn memory(states: u64) -> u64 {
    5 * 8 * states
}

/// How a refinement ends.
pub(super) enum Refined {
    /// With sums whose error is within the tolerance.
    Certain(f64),
    /// With others, whose least error this is.
    Uncertain(f64),
    /// Nothing is known of the error.
    Unknown,
}

impl Problem<'_> {
    /// Solves on until the sums are certain, or no certificate would show more.
    pub(super) fn refine(
        &self,
        arrangement: &Arrangement,
        (pi, certifier): (&mut [f64], &mut Certifier<'_>),
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Refined, Unsolved> {
        let Some(distances) = self.known_distances(certifier, pi, budget)? else {
            return Ok(Refined::Unknown);
        };
        // What was found is worth being refined.
        budget.allow_as_many(self.limits.iterations);
        let refined = self.in_rounds(arrangement, (pi, certifier), &distances, budget)?;
        if !matches!(refined, Refined::Unknown) {
            certifier.distances = Some(distances);
        }
        Ok(refined)
    }

    fn in_rounds(
        &self,
        arrangement: &Arrangement,
        (pi, certifier): (&mut [f64], &mut Certifier<'_>),
        distances: &[f64],
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Refined, Halt> {
        let chain = arrangement.chain(self.chain);
        let mut balance = Balance::new(chain);
        let (mut method, mut before) = (None, f64::INFINITY);
        for round in 0..=ROUNDS {
            budget.defect = balance.look(chain, pi);
            let found = certifier.bound(chain, (pi, balance.net()), (distances, ENOUGH * before), budget)?;
            let error = found.error;
            if error <= self.options.tolerance {
                return Ok(Refined::Certain(error));
            }
            if !error.is_finite() {
                return Ok(Refined::Unknown);
            }
            let is_at_its_end = match balance.exactly {
                Some(_) => round > 1 && error > ENOUGH * before,
                None => round > 0,
            };
            before = before.min(error);
            if is_at_its_end {
                break;
            }
            let is_rough = round == 0 && error <= SMOOTHED * self.options.tolerance;
            if is_rough || balance.exactly.is_none() {
                smooth(chain, pi, SWEEPS, budget)?;
                continue;
            }
            let method = match &mut method {
                Some(method) => method,
                none => none.insert(Plain::new(chain, arrangement.source().of(chain, budget.watch())?)),
            };
            let share = (self.options.tolerance / error).max(LEAST_SHARE);
            balance.correct(method, pi, share, budget)?;
        }
        Ok(Refined::Uncertain(before))
    }
}

/// What flows into each state too much.
struct Balance<'c> {
    net: Vec<f64>,
    /// All that flows.
    flow: f64,
    exactly: Option<Exactly<'c>>,
}

/// A list, and what is needed for twice the digits.
struct Exactly<'c> {
    list: &'c TransposedRates,
    /// By how much the sum of the rates out of a state is larger than its exit rate.
    remainders: Vec<f64>,
    /// By how much probabilities are larger than the `f64` that is stored for them.
    low: Vec<f64>,
}

impl<'c> Balance<'c> {
    fn new(chain: &'c dyn TriangularSweep) -> Balance<'c> {
        let zeros = || vec![0.0; chain.states()];
        let exactly =
            chain.list().map(|list| Exactly { list, remainders: list.exit_remainders(), low: zeros() });
        Balance { net: zeros(), flow: 0.0, exactly }
    }

    /// Computes it; the total defect.
    fn look(&mut self, chain: &dyn TriangularSweep, pi: &[f64]) -> f64 {
        match &self.exactly {
            Some(Exactly { list, remainders, low }) => list.net_exactly([pi, low], remainders, &mut self.net),
            None => {
                chain.net(pi, &mut self.net);
            }
        }
        let [left, flow] = left_and_flow(chain, pi, &self.net);
        self.flow = flow;
        left / flow
    }

    fn net(&self) -> Net<'_> {
        Net { of_states: &self.net, is_exact: self.exactly.is_some() }
    }

    /// Takes away all but a share of it.
    fn correct(
        &mut self,
        method: &mut Plain<'_>,
        pi: &mut [f64],
        share: f64,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(), Halt> {
        let Some(Exactly { low, .. }) = &mut self.exactly else { return Ok(()) };
        // Who took many iterations takes more now, too.
        budget.stalling(USABLE, budget.done / 4);
        let (corrections, outcome) = method.correct((&self.net, self.flow), share, budget);
        match outcome {
            Err(Halt::Stagnated) => {}
            outcome => outcome?,
        }
        budget.end_stalling();
        for ((high, low), correction) in pi.iter_mut().zip(&mut *low).zip(corrections) {
            let change = *low + correction;
            set(high, low, change);
        }
        scale_in_both_parts(pi, low)
    }
}

/// Makes the sum of all one, whatever corrections have added to all in proportion, and took from those that
/// would be negative. Corrections that are no numbers, or far larger than what they correct, lead nowhere.
fn scale_in_both_parts(pi: &mut [f64], low: &mut [f64]) -> Result<(), Halt> {
    for _ in 0..SCALINGS {
        let excess = total(pi) - 1.0 + total(low);
        if excess.abs() <= 2.0 * f64::EPSILON {
            return Ok(());
        }
        let share = excess / (1.0 + excess);
        for (high, low) in pi.iter_mut().zip(&mut *low) {
            let change = *low - share * *high;
            set(high, low, change);
        }
    }
    Err(Halt::Stagnated)
}

/// Sets both parts of a probability to what a change makes of the first, or to zero if that is negative.
fn set(high: &mut f64, low: &mut f64, change: f64) {
    let value = (*high + change).max(0.0);
    *low = if value > 0.0 { change - (value - *high) } else { 0.0 };
    *high = value;
}

#[cfg(test)]
mod tests {
    use super::{Balance, Plain};
    use crate::limits::{Limits, Watch};
    use crate::linear::iteration::Iterations;
    use crate::linear::krylov::Preconditioning;
    use crate::operator::TriangularSweep;
    use crate::operator::transposed::TransposedRates;
    use crate::random_chain::Lists;
    use crate::vector::total;

    /// A walk up and down, with a rate to the next place and one back from each.
    fn walk(places: usize, rates: impl Fn(usize) -> [f64; 2]) -> Lists {
        let mut rows = vec![Vec::new(); places];
        for place in 1..places {
            let [up, down] = rates(place);
            rows[place - 1].push((place as u32, up));
            rows[place].push((place as u32 - 1, down));
        }
        rows
    }

    fn plain<'c>(chain: &'c TransposedRates, by: Preconditioning, watch: &mut Watch<'_>) -> Plain<'c> {
        Plain::new(chain, by.of(chain, watch).unwrap_or_else(|_| panic!("it fits")))
    }

    /// In three rounds the balance is better than `f64` can tell, and probabilities are right to their last
    /// digits.
    #[test]
    fn what_is_left_falls_below_the_digits_of_a_float() {
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        let rates = |place: usize| [1.0 / 3.0, (1.0 + (place % 7) as f64 / 100.0) / 3.0];
        let chain = TransposedRates::of_lists(&walk(400, rates), &mut watch);
        let mut known = vec![1.0];
        (1..400).for_each(|place| {
            let [up, down] = rates(place);
            known.push(known[place - 1] * (up / down));
        });
        let all = total(&known);
        let mut pi: Vec<f64> =
            (0..).zip(&known).map(|(place, value)| value * (1.0 + 1e-9 * f64::from(place % 5))).collect();
        chain.make_positive(&mut pi);
        let mut budget = Iterations::new(&mut watch, 10_000);
        let mut balance = Balance::new(&chain);
        let mut method = plain(&chain, Preconditioning::Dilu, budget.watch());
        for _ in 0..3 {
            balance.look(&chain, &pi);
            balance.correct(&mut method, &mut pi, 1e-6, &mut budget).unwrap_or_else(|_| panic!());
        }
        let defect = balance.look(&chain, &pi);
        assert!(defect < 1e-20, "{defect:e}");
        assert!((total(&pi) - 1.0).abs() < 1e-15);
        let error = |(found, known): (&f64, &f64)| (found * all / known - 1.0).abs();
        let worst = pi.iter().zip(&known).map(error).fold(0.0, f64::max);
        assert!(worst < 1e-13, "{worst:e}");
        // In single numbers the balance is known to their rounding only.
        let left = crate::steady::drive::sweeps::left(&chain, &pi).0;
        assert!(left > 1e-18, "{left:e}");
    }

    /// A correction that takes more from a state than it has, and adds to all others: their sum is one all
    /// the same.
    #[test]
    fn probabilities_add_up_to_one_after_any_correction() {
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        let chain =
            TransposedRates::of_lists(&walk(300, |place| [1.0, 1.0 + (place % 3) as f64]), &mut watch);
        let mut budget = Iterations::new(&mut watch, 10_000);
        let mut method = plain(&chain, Preconditioning::Forward, budget.watch());
        for share in [0.5, 0.1, 1e-2, 1e-4] {
            let mut pi = chain.start();
            let mut balance = Balance::new(&chain);
            let mut are_some_zero = false;
            for _ in 0..3 {
                balance.look(&chain, &pi);
                balance.correct(&mut method, &mut pi, share, &mut budget).unwrap_or_else(|_| panic!());
                assert!((total(&pi) - 1.0).abs() < 1e-15, "{share}: {:e}", total(&pi) - 1.0);
                are_some_zero |= pi.contains(&0.0);
            }
            assert!(are_some_zero || share < 1e-3);
        }
    }

    #[test]
    fn what_is_no_number_has_no_sum() {
        for wrong in [f64::NAN, f64::INFINITY, -1e300] {
            let (mut pi, mut low) = (vec![0.25; 4], vec![0.0; 4]);
            pi.iter_mut().zip(&mut low).for_each(|(high, low)| super::set(high, low, wrong));
            assert!(super::scale_in_both_parts(&mut pi, &mut low).is_err(), "{wrong}");
        }
        let (mut pi, mut low) = (vec![1e6; 4], vec![0.0; 4]);
        assert!(super::scale_in_both_parts(&mut pi, &mut low).is_ok());
        assert_eq!(pi, [0.25; 4]);
    }

    #[test]
    fn probabilities_that_a_change_makes_negative_are_zero() {
        let [mut high, mut low] = [0.25, 1e-18];
        super::set(&mut high, &mut low, 1e-17);
        assert_eq!([high, low], [0.25, 1e-17]);
        super::set(&mut high, &mut low, -0.5);
        assert_eq!([high, low], [0.0, 0.0]);
    }
}
