//! A distribution that is carried over a time, with a bound on its error.

use skel_core::number::{Number, Ratio};

use crate::error::Error;
use crate::limits::Watch;
use crate::over_time::csl::chain::{Chain, FEW_STEPS};
use crate::over_time::csl::sum::Compensated;
use crate::over_time::transient::limit::long_run;
use crate::over_time::uniformisation::flow::{End, Forwards};
use crate::over_time::uniformisation::once::{Found, Once};
use crate::over_time::uniformisation::powers::Powers;

/// A weight for each state, with a bound on the sum of all errors.
pub(super) struct Mass {
    weights: Vec<f64>,
    pub(super) error: f64,
}

impl Mass {
    /// All of it in one state.
    pub(super) fn at(state: usize, states: usize) -> Mass {
        let mut weights = vec![0.0; states];
        weights[state] = 1.0;
        Mass { weights, error: 0.0 }
    }

    /// The sum of the weights times some factors, with a bound on what rounding changes in it.
    pub(super) fn sum_of(&self, factor: impl Fn(usize) -> f64) -> (f64, f64) {
        let mut sum = Compensated::default();
        for (state, weight) in self.weights.iter().enumerate() {
            let factor = factor(state);
            if factor != 0.0 {
                sum.add(weight * factor);
            }
        }
        (sum.value(), sum.error())
    }
}

/// A time, and what becomes of runs meanwhile.
pub(super) struct Pass<'t> {
    pub(super) time: &'t Ratio,
    /// The states that are not left, and what becomes of a run there.
    pub(super) ended: Option<(Vec<bool>, End)>,
    /// Whether not the distribution counts but its integral.
    pub(super) integral: bool,
}

/// Whether distributions are near their limits as soon as values of all states are. A pass of few steps is
/// not near anything; longer ones are where a limit is known or nothing is left of a distribution in the end.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn are_soon_over(chain: &mut Chain<'_>, state: usize, phases: &[Pass<'_>]) -> Result<bool, Error> {
    let rates = chain.rates()?;
    let rate = crate::vector::worst(rates.operator().exits());
    let long = || phases.iter().filter(|phase| rate * phase.time.to_float() >= FEW_STEPS);
    // The long run from the initial state is found whatever the graph is.
    if long().all(|phase| phase.ended.is_none() && state == 0) {
        return Ok(true);
    }
    Ok(rates.all_lead_to_the_first(&mut chain.watch)?)
}

impl Pass<'_> {
    /// Carries a distribution over the time. A run begins in `state`.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn run(
        &self,
        chain: &mut Chain<'_>,
        state: usize,
        start: Mass,
        tolerance: f64,
    ) -> Result<Mass, Error> {
        let budget = chain.budget().take(self.memory(chain.states()))?;
        let rates = chain.rates()?;
        let forwards = Forwards::new(rates.operator(), &mut chain.watch)?;
        let (space, limits) = (chain.space, chain.limits);
        let taken = limits.memory.saturating_sub(budget.left());
        let mut limit = |watch: &mut Watch<'_>| match &self.ended {
            None => long_run(space, state == 0, limits, taken, watch),
            Some(_) => Ok(None),
        };
        let once = Once {
            ended: self.ended.clone(),
            start: start.weights,
            time: self.time.to_float(),
            integral: self.integral,
            tolerance,
            most_steps: chain.most_steps,
        };
        let Found { vector: weights, error, of_time } = once.find(&forwards, &mut limit, &mut chain.watch)?;
        // The time is rounded, which moves the distribution by its error times what flows out of states and
        // into others.
        let of_time = if self.integral { of_time } else { 2.0 * of_time };
        Ok(Mass { weights, error: (start.error + error + of_time) * (1.0 + 1e-9) })
    }

    /// The bytes that the vectors take.
    fn memory(&self, states: usize) -> u64 {
        let sums = if self.integral { 3 } else { 1 };
        // Exit rates, states, and a vector without what is in states that are not left.
        let of_ended = if self.ended.is_some() { 17 } else { 0 };
        Powers::memory(states) + (8 * sums + of_ended) * states as u64
    }
}
