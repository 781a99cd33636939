//! Which method, by looking at the chain and at the largest time.

use super::squaring;
use crate::over_time::uniformisation::chain::Uniformised;

/// A method for transient distributions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// What suits the size of the chain, its rates and the times.
    #[default]
    Automatic,
    /// Uniformisation, with a proved bound on the error.
    Uniformisation,
    /// Scaling and squaring of a dense matrix, for small chains; its error is an estimate.
    Squaring,
    /// TR-BDF2, an implicit Runge-Kutta method for stiff chains; its error is an estimate.
    Implicit,
}

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
