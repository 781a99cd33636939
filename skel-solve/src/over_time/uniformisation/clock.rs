//! When the steps of a pass come: at one rate, or at rates that rise while faster states are reached.

use super::adaptive::births::births;
use super::adaptive::rising::Rising;
use super::chain::Uniformised;
use super::poisson::poisson;
use super::weights::Weights;
use crate::error::Error;
use crate::limits::Watch;
use crate::limits::memory::MemoryBudget;

/// The rates of the steps of a pass.
#[derive(Clone, Copy)]
pub(crate) enum Clock<'c> {
    /// All steps have the rate of the chain.
    Steady(&'c Uniformised<'c>),
    /// A chain for each stage.
    Rising(&'c Rising, &'c [Uniformised<'c>]),
}

/// A chain uniformised at the rate of each stage.
pub(crate) fn stages<'c>(chain: &Uniformised<'c>, rates: &Rising) -> Vec<Uniformised<'c>> {
    rates.stages().iter().map(|stage| chain.at_rate(stage.rate)).collect()
}

impl<'c> Clock<'c> {
    /// The chain of a step.
    pub(super) fn chain(&self, step: u64) -> &'c Uniformised<'c> {
        match *self {
            Clock::Steady(chain) => chain,
            Clock::Rising(rates, chains) => &chains[rates.stage(step)],
        }
    }

    /// The expected time of a step.
    pub(super) fn time_of_step(&self, step: u64) -> f64 {
        1.0 / self.chain(step).rate()
    }

    /// The expected time of the first steps.
    pub(super) fn time_of(&self, steps: u64) -> f64 {
        match self {
            Clock::Steady(chain) => steps as f64 * (1.0 / chain.rate()),
            Clock::Rising(rates, _) => rates.time_of(steps),
        }
    }

    /// The steps for which a time has weights.
    pub(super) fn planned(&self, time: f64, tolerance: f64) -> u64 {
        match self {
            Clock::Steady(chain) => steps_for(chain, time, tolerance),
            Clock::Rising(rates, _) => rates.last(time, missing_of(rates, time, tolerance)),
        }
    }

    /// The weights of a time.
    pub(super) fn weights(
        &self,
        time: f64,
        tolerance: f64,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Weights, Error> {
        match self {
            Clock::Steady(chain) => Ok(poisson(chain.rate(), time, missing(chain.rate() * time, tolerance))),
            Clock::Rising(rates, _) => {
                Ok(births(rates, time, missing_of(rates, time, tolerance), budget, watch)?)
            }
        }
    }
}

/// What may be left out of the weights. For few steps digits of rare states cost nothing.
pub(super) fn missing(mean: f64, tolerance: f64) -> f64 {
    if mean <= FEW_STEPS as f64 { LITTLE } else { missing_of_many(tolerance) }
}

/// So few steps keep the digits of rare states: no more than `LITTLE` is left out of their weights.
const FEW_STEPS: u64 = 400;
const LITTLE: f64 = 1e-30;

/// What may be left out of the weights of many steps.
pub(crate) fn missing_of_many(tolerance: f64) -> f64 {
    (tolerance * 1e-3).clamp(LITTLE, 1e-12)
}

/// The steps for which a time has weights; more than that where they are too many to be taken.
pub(crate) fn steps_for(chain: &Uniformised<'_>, time: f64, tolerance: f64) -> u64 {
    const TOO_MANY: f64 = 1e10;
    let mean = chain.rate() * time;
    if mean > TOO_MANY {
        return (1.01 * mean) as u64;
    }
    poisson(chain.rate(), time, missing(mean, tolerance)).last()
}

/// What may be left out of the weights of steps at rising rates.
fn missing_of(rates: &Rising, time: f64, tolerance: f64) -> f64 {
    if rates.is_rare(FEW_STEPS, time, LITTLE / 4.0) { LITTLE } else { missing_of_many(tolerance) }
}
