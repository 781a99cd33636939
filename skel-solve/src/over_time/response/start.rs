//! In which states items begin in the steady state: the weights with which an item is followed from each state with a tag.
//!
//! With `pi` the steady state of the chain without a tag, an item begins in the tagged state `y` at the rate `b(y) = sum of pi(x) r(x, y)`.
//! The sum of these rates is the throughput, and the shares are the weights. This is the Palm distribution at beginnings (F. Baccelli and
//! P. Bremaud, *Elements of Queueing Theory*, 2003, section 1.3).

use skel_core::number::Number;

use super::explore::Untagged;
use crate::error::Error;
use crate::limits::Limits;
use crate::limits::memory::MemoryBudget;
use crate::over_time::absorption::bound::{RATES, ROUNDING};
use crate::over_time::absorption::stationary::{Proportions, Stationary};
use crate::steady::Options;

/// Where items begin.
#[derive(Clone, Debug)]
pub(super) struct Start<N> {
    /// The share of the items that begin in each state with a tag.
    pub(super) weights: Vec<N>,
    /// A bound on the sum of the errors of all weights.
    pub(super) weights_error: f64,
    /// Items per unit of time.
    pub(super) throughput: N,
    /// A bound on the error of the throughput.
    pub(super) throughput_error: f64,
}

/// Where items begin, among so many states with a tag.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn start<N: Stationary>(
    untagged: &Untagged<N>,
    tagged: usize,
    budget: MemoryBudget,
    limits: &Limits,
    options: &Options,
) -> Result<Start<N>, Error> {
    let proportions = N::stationary(&untagged.generator, budget, limits, options)?;
    let mut rates = vec![N::zero(); tagged];
    for (from, to, rate) in &untagged.begun {
        let begun = proportions.values[*from as usize].clone() * rate.clone();
        rates[*to as usize] = rates[*to as usize].clone() + begun;
    }
    let begun = sum(&rates);
    let whole = sum(&proportions.values);
    let throughput = begun.clone() / whole.clone();
    let weights: Vec<N> = rates.into_iter().map(|rate| rate / begun.clone()).collect();
    if throughput.to_exact().is_some() {
        return Ok(Start { weights, weights_error: 0.0, throughput, throughput_error: 0.0 });
    }
    let (of_begun, of_whole) = errors(untagged, &proportions, begun.to_float(), whole.to_float());
    let throughput_error = throughput.to_float() * (of_begun + of_whole) * 1.02;
    Ok(Start { weights, weights_error: 2.0 * of_begun * 1.01, throughput, throughput_error })
}

fn sum<N: Number>(values: &[N]) -> N {
    values.iter().fold(N::zero(), |sum, value| sum + value.clone())
}

/// The relative errors of the rate at which items begin and of the sum of the proportions.
///
/// The bound on the proportions is one on the sum of their errors, each times the exit rate of its state. So the error of all beginnings is
/// at most as many times as large as items begin more often than the state is left, in the worst state.
fn errors<N: Number>(
    untagged: &Untagged<N>,
    proportions: &Proportions<N>,
    begun: f64,
    whole: f64,
) -> (f64, f64) {
    let states = proportions.values.len();
    let mut of_state = vec![0.0; states];
    untagged.begun.iter().for_each(|(from, _, rate)| of_state[*from as usize] += rate.to_float());
    let (mut most, mut least_exit) = (0.0_f64, f64::INFINITY);
    for (state, rate) in of_state.into_iter().enumerate() {
        let exit: f64 = untagged.generator.rates_from(state).map(|(_, rate)| rate.to_float()).sum();
        // A chain of one state is never left, and its one proportion is right.
        if exit > 0.0 {
            most = most.max(rate / exit);
            least_exit = least_exit.min(exit);
        }
    }
    // Sums of so many terms above zero, each with the roundings of its rate.
    let terms = (untagged.begun.len() + states) as f64;
    let rounding = (RATES + 2.0 * terms + 8.0) * ROUNDING;
    let error = proportions.error;
    let of_begun = error * most / begun + rounding;
    let of_whole = if error > 0.0 { error / least_exit / whole } else { 0.0 } + rounding;
    (of_begun * 1.01, of_whole * 1.01)
}
