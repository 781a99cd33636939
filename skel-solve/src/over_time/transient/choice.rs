//! Which method, by looking at the chain and at the largest time.

use super::squaring;
use crate::over_time::uniformisation::adaptive::births;
use crate::over_time::uniformisation::adaptive::rising::Rising;
use crate::over_time::uniformisation::chain::Uniformised;
use crate::over_time::uniformisation::clock::missing_of_many;

/// A method for transient distributions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// What suits the size of the chain, its rates and the times.
    #[default]
    Automatic,
    /// Uniformisation, with a proved bound on the error.
    Uniformisation,
    /// Adaptive uniformisation, whose steps are no faster than the states that can have been reached by then;
    /// with a proved bound on the error.
    Adaptive,
    /// Scaling and squaring of a dense matrix, for small chains; its error is an estimate.
    Squaring,
    /// TR-BDF2, an implicit Runge-Kutta method for stiff chains; its error is an estimate.
    Implicit,
}

/// Whether fast states are far away is looked at where there are so many steps.
const WORTH_A_SEARCH: f64 = 2000.0;

/// Adaptive uniformisation is looked at where the first states are slower than all by this factor, and taken
/// where it takes less work by this factor.
const WORTH_IT: f64 = 2.0;

/// The most values of the birth process that are computed beside fewer steps.
const MOST_BIRTHS: f64 = 1e10;

/// Squaring is looked at where there are so many steps for each state.
const STEPS_PER_STATE: f64 = 64.0;

/// What the choice depends on.
pub(super) struct Outlook<'c> {
    pub(super) chain: &'c Uniformised<'c>,
    /// The rates between different states.
    pub(super) rates: u64,
    pub(super) longest: f64,
    /// The error that a distribution may have.
    pub(super) tolerance: f64,
    pub(super) most_steps: u64,
}

impl Outlook<'_> {
    /// Whether a search for fast states is worth its work: there are many steps, and it begins in slow
    /// states.
    pub(super) fn is_searched(&self, start: &[f64]) -> bool {
        let states = start.iter().zip(self.chain.exits());
        let first = states.map(|(&value, &exit)| if value == 0.0 { 0.0 } else { exit }).fold(0.0, f64::max);
        self.chain.rate() * self.longest >= WORTH_A_SEARCH && self.chain.rate() > WORTH_IT * first
    }

    /// Whether steps at rising rates are so few, and their probabilities so little work, that they suit
    /// better than the other methods.
    pub(super) fn is_adaptive(&self, rates: &Rising) -> bool {
        let missing = missing_of_many(self.tolerance);
        let steps = rates.last(self.longest, missing);
        let loses_digits = steps as f64 * self.chain.step_error() > self.tolerance / 2.0;
        if steps > self.most_steps || loses_digits {
            return false;
        }
        let births = births::work(rates, self.longest, missing);
        let of_step = (self.rates + 2 * self.chain.states() as u64) as f64;
        let uniformised = self.chain.rate() * self.longest;
        births < MOST_BIRTHS && WORTH_IT * (steps as f64 * of_step + births) < uniformised * of_step
    }

    /// The method for this chain.
    pub(super) fn method(&self) -> Method {
        let states = self.chain.states();
        let steps = self.chain.rate() * self.longest;
        let squarings = squaring::squarings(steps);
        let is_small = states <= squaring::MOST_DENSE && squarings < squaring::MOST_SQUARINGS;
        let loses_digits = steps * self.chain.step_error() > self.tolerance / 2.0;
        if is_small && steps > STEPS_PER_STATE * states as f64 {
            let dense = (states as f64).powi(3) * f64::from(squarings) * 2.0;
            let sparse = steps * (self.rates as f64 + 2.0 * states as f64) * 3.0;
            if loses_digits || dense < sparse || steps > self.most_steps as f64 {
                return Method::Squaring;
            }
        }
        if steps > self.most_steps as f64 { Method::Implicit } else { Method::Uniformisation }
    }
}
