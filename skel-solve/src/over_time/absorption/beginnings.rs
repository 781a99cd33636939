//! In which states something begins in the steady state, and with what weights.
//!
//! With `pi` the steady state of a chain in which things begin, one begins in the state `y` at the rate
//! `b(y) = sum of pi(x) r(x, y)`. The sum of these rates says how often that is, and the shares are the
//! weights. This is the Palm distribution at beginnings (F. Baccelli and P. Bremaud, *Elements of Queueing
//! Theory*, 2003, section 1.3).

use skel_core::number::Number;

use crate::chain::Generator;
use crate::error::Error;
use crate::limits::Limits;
use crate::limits::memory::MemoryBudget;
use crate::over_time::absorption::bound::RATES;
use crate::over_time::absorption::stationary::{Proportions, Stationary};
use crate::over_time::uniformisation::UNIT;
use crate::steady::Options;

/// A beginning: the state of the chain, the state in which something begins, and the rate.
pub(crate) type Beginning<N> = (u32, u32, N);

/// The weights of beginnings.
#[derive(Clone, Debug)]
pub(crate) struct Weights<N> {
    /// Per state in which something may begin; they sum to one.
    pub(crate) weights: Vec<N>,
    /// A bound on the sum of their errors.
    pub(crate) error: f64,
    /// How many begin per unit of time.
    pub(crate) frequency: N,
    /// A bound on its error.
    pub(crate) frequency_error: f64,
}

impl<N: Stationary> Weights<N> {
    /// The weights of some beginnings, of which there is one at least, in the steady state of an irreducible
    /// chain. Things begin in one of so many states, which need not be those of the chain.
    pub(crate) fn of(
        generator: &Generator<N>,
        beginnings: &[Beginning<N>],
        states: usize,
        budget: MemoryBudget,
        limits: &Limits,
    ) -> Result<Weights<N>, Error> {
        // Weights are right to more digits than what they are for.
        let options = Options { tolerance: 1e-12, ..Options::default() };
        let proportions = N::stationary(generator, budget, limits, &options)?;
        let mut rates = vec![N::zero(); states];
        for (from, to, rate) in beginnings {
            let begun = proportions.values[*from as usize].clone() * rate.clone();
            rates[*to as usize] = rates[*to as usize].clone() + begun;
        }
        let (begun, whole) = (sum(&rates), sum(&proportions.values));
        let frequency = begun.clone() / whole.clone();
        let weights = rates.into_iter().map(|rate| if rate.is_zero() { rate } else { rate / begun.clone() });
        let weights = weights.collect();
        if N::IS_EXACT {
            return Ok(Weights { weights, error: 0.0, frequency, frequency_error: 0.0 });
        }
        let sums = (begun.to_float(), whole.to_float());
        let (of_begun, of_whole) = errors(generator, beginnings, &proportions, sums);
        let frequency_error = frequency.to_float() * (of_begun + of_whole) * 1.02;
        Ok(Weights { weights, error: 2.0 * of_begun * 1.01, frequency, frequency_error })
    }
}

fn sum<N: Number>(values: &[N]) -> N {
    values.iter().fold(N::zero(), |sum, value| sum + value.clone())
}

/// The relative errors of the rate of all beginnings and of the sum of the proportions.
///
/// The bound on the proportions is one on the sum of their errors, each times the exit rate of its state. So
/// the error of all beginnings is at most as many times as large as things begin more often than a state is
/// left, in the worst state.
fn errors<N: Number>(
    generator: &Generator<N>,
    beginnings: &[Beginning<N>],
    proportions: &Proportions<N>,
    (begun, whole): (f64, f64),
) -> (f64, f64) {
    let states = proportions.values.len();
    let mut of_state = vec![0.0; states];
    beginnings.iter().for_each(|(from, _, rate)| of_state[*from as usize] += rate.to_float());
    let (mut most, mut least_exit) = (0.0_f64, f64::INFINITY);
    for (state, rate) in of_state.into_iter().enumerate() {
        let exit: f64 = generator.rates_from(state).map(|(_, rate)| rate.to_float()).sum();
        // A chain of one state is never left, and its one proportion is right.
        if exit > 0.0 {
            most = most.max(rate / exit);
            least_exit = least_exit.min(exit);
        }
    }
    // Sums of so many terms above zero, each with the roundings of its rate.
    let rounding = (RATES + 2.0 * (beginnings.len() + states) as f64 + 8.0) * UNIT;
    let error = proportions.error;
    let of_begun = error * most / begun + rounding;
    let of_whole = if error > 0.0 { error / least_exit / whole } else { 0.0 } + rounding;
    (of_begun * 1.01, of_whole * 1.01)
}
