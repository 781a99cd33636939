//! In which states items begin in the steady state: the weights with which an item is followed from each state with a tag.
//!
//! With `pi` the steady state of the chain without a tag, an item begins in the tagged state `y` at the rate `b(y) = sum of pi(x) r(x, y)`.
//! The sum of these rates is the throughput, and the shares are the weights. This is the Palm distribution at beginnings (F. Baccelli and
//! P. Bremaud, *Elements of Queueing Theory*, 2003, section 1.3).
//!
//! In `f64`, `pi` has a bound on its error that is proved. With one state `z` as the end, the time that a run from `z` spends in each other state
//! before it is in `z` again is `q_z (-T)^-1`, with `q_z` the rates out of `z`; it is in proportion to `pi`. So the solution of that system
//! and its bound are those of [`absorption`](crate::over_time::absorption). The state `z` is one with a large share of all jumps, found by
//! the solver for steady states; no bound depends on whether it is right.

use num_traits::{One, Zero};
use skel_core::number::Ratio;

use super::explore::Untagged;
use crate::chain::Generator;
use crate::error::Error;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::over_time::absorption::{BeforeEnd, Systems};
use crate::steady::{Options, of_generator};

/// Where items begin.
#[derive(Clone, Debug)]
pub(super) struct Start<N> {
    /// The share of the items that begin in each state with a tag.
    pub(super) weights: Vec<N>,
    /// Items per unit of time.
    pub(super) throughput: N,
    /// A bound on the sum of the errors of all weights.
    pub(super) weights_error: f64,
    /// A bound on the error of the throughput.
    pub(super) throughput_error: f64,
}

/// Half the distance from one to the next number.
const ROUNDING: f64 = f64::EPSILON / 2.0;

/// A rate in `f64` is a few products, quotients and sums of rounded numbers; it is right to so many roundings.
const RATES: f64 = 64.0;

/// The start in exact fractions.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn in_fractions(
    untagged: &Untagged<Ratio>,
    tagged: usize,
    budget: MemoryBudget,
    limits: &Limits,
) -> Result<Start<Ratio>, Error> {
    let pi = match untagged.generator.states() {
        1 => vec![Ratio::one()],
        _ => of_generator::in_fractions(&untagged.generator, budget, limits)?.0,
    };
    let mut rates = vec![Ratio::zero(); tagged];
    for (from, to, rate) in &untagged.begun {
        rates[*to as usize] += &pi[*from as usize] * rate;
    }
    let throughput: Ratio = rates.iter().sum();
    let weights = rates.into_iter().map(|rate| rate / &throughput).collect();
    Ok(Start { weights, throughput, weights_error: 0.0, throughput_error: 0.0 })
}

/// The start in `f64`.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn in_floats(
    untagged: &Untagged<f64>,
    tagged: usize,
    budget: MemoryBudget,
    limits: &Limits,
    options: &Options,
) -> Result<Start<f64>, Error> {
    let Times { spent, error, least_exit } = times(&untagged.generator, budget, limits, options)?;
    let mut rates = vec![0.0; tagged];
    let mut most = 0.0_f64;
    let mut of_state = vec![0.0; spent.len()];
    for (from, to, rate) in &untagged.begun {
        rates[*to as usize] += spent[*from as usize] * rate;
        of_state[*from as usize] += rate;
    }
    for (state, rate) in of_state.into_iter().enumerate() {
        let exit = exit(&untagged.generator, state);
        // Items begin by jumps, or without leaving a state; then their rate may be above that of all jumps.
        most = most.max(if exit > 0.0 { rate / exit } else { 0.0 });
    }
    let begun: f64 = rates.iter().sum();
    let whole: f64 = spent.iter().sum();
    // Sums of so many terms above zero, each with the roundings of its rate.
    let terms = (untagged.begun.len() + spent.len()) as f64;
    let rounding = (RATES + 2.0 * terms + 8.0) * ROUNDING;
    let of_begun = (error * most / begun + rounding) * 1.01;
    let of_whole = (if error == 0.0 { 0.0 } else { error / least_exit / whole } + rounding) * 1.01;
    let throughput = begun / whole;
    Ok(Start {
        weights: rates.iter().map(|rate| rate / begun).collect(),
        throughput,
        weights_error: 2.0 * of_begun * 1.01,
        throughput_error: throughput * (of_begun + of_whole) * 1.02,
    })
}

/// Times in proportion to the steady state.
struct Times {
    spent: Vec<f64>,
    /// A bound on the sum of all errors, each times the exit rate of its state.
    error: f64,
    least_exit: f64,
}

fn times(
    generator: &Generator<f64>,
    budget: MemoryBudget,
    limits: &Limits,
    options: &Options,
) -> Result<Times, Error> {
    let states = generator.states();
    if states == 1 {
        return Ok(Times { spent: vec![1.0], error: 0.0, least_exit: 1.0 });
    }
    let (pi, _) = of_generator::in_floats(generator, budget, limits, options)?;
    let jumps = |state: &usize| pi[*state] * exit(generator, *state);
    let end = (0..states).max_by(|one, other| jumps(one).total_cmp(&jumps(other))).expect("there are states");
    let number = |state: usize| if state < end { state as u32 } else { state as u32 - 1 };
    let rows = (0..states).filter(|&state| state != end).map(|state| {
        let others = generator.rates_from(state);
        let mut leaves = 0.0;
        let mut rates = Vec::new();
        for (target, &rate) in others {
            if target == end { leaves += rate } else { rates.push((number(target), rate)) }
        }
        (rates, leaves)
    });
    let chain = BeforeEnd::of_rows(rows);
    let mut begins = vec![0.0; states - 1];
    generator.rates_from(end).for_each(|(target, &rate)| begins[number(target) as usize] = rate);
    let mut watch = Watch::start(limits);
    let systems = Systems::new(&chain, limits, budget, &mut watch)?;
    let found = systems.forwards(&begins, &mut watch)?;
    let exits = chain.exits();
    // The bound of each state is that of all, divided by its exit rate. Rates out of the end are rounded as well.
    let bounds = found.errors.iter().zip(&exits).map(|(error, exit)| error * exit);
    let of_begins = begins.iter().zip(systems.jumps()).map(|(rate, jumps)| rate * jumps * RATES * ROUNDING);
    let error = (bounds.fold(0.0, f64::max) + of_begins.sum::<f64>()) * (1.0 + 1e-9);
    let mut spent = found.values;
    spent.insert(end, 1.0);
    Ok(Times { spent, error, least_exit: exits.into_iter().fold(f64::INFINITY, f64::min) })
}

fn exit(generator: &Generator<f64>, state: usize) -> f64 {
    generator.rates_from(state).map(|(_, rate)| rate).sum()
}
