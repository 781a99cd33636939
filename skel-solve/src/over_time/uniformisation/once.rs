//! The vector at a single time, or its integral up to then.

use super::UNIT;
use super::chain::Uniformised;
use super::flow::{End, Ended, Flow};
use super::powers::FindLimit;
use super::vectors::{Asked, At, vectors_at};
use crate::error::Error;
use crate::limits::Watch;
use crate::refused::Refused;

/// What is asked.
pub(crate) struct Once {
    /// The states that are not left, and what becomes of a run there.
    pub(crate) ended: Option<(Vec<bool>, End)>,
    /// The first vector.
    pub(crate) start: Vec<f64>,
    pub(crate) time: f64,
    /// Whether the integral is asked for.
    pub(crate) integral: bool,
    /// The largest error, for a first vector of norm one.
    pub(crate) tolerance: f64,
    /// The most steps.
    pub(crate) most_steps: u64,
}

/// What is found.
pub(crate) struct Found {
    pub(crate) vector: Vec<f64>,
    /// A bound on the error, in the norm of the direction.
    pub(crate) error: f64,
    /// The rounding error of the time, times the rate of the steps; for an integral, the rounding error
    /// alone.
    pub(crate) of_time: f64,
}

impl Once {
    /// Takes the steps.
    ///
    /// # Errors
    /// They are too many, the error cannot be kept, or a limit was reached.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn find(
        self,
        flow: &dyn Flow,
        find_limit: FindLimit<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Found, Error> {
        let Once { ended, start, time, integral: integrals, tolerance, most_steps } = self;
        let ended = ended.map(|(ended, end)| Ended::new(flow, ended, end));
        let flow: &dyn Flow = match &ended {
            Some(ended) => ended,
            None => flow,
        };
        let uniformised = Uniformised::new(flow);
        let mean = uniformised.rate() * time;
        if mean > most_steps as f64 || !time.is_finite() {
            return Err(Refused::too_many_steps(mean as u64, most_steps).into());
        }
        let asked = Asked { times: &[time], integrals, tolerance, most_steps };
        let mut answer: Option<At> = None;
        vectors_at(&uniformised, start, &asked, Some(find_limit), watch, &mut |_, at| {
            answer = Some(at);
            Ok(())
        })?;
        let At { vector, error, integral } = answer.unwrap_or_else(|| unreachable!("there is one time"));
        let (vector, error) = integral.unwrap_or((vector, error));
        let slope = if integrals { 1.0 } else { uniformised.rate() };
        Ok(Found { vector, error, of_time: slope * (time * UNIT + f64::MIN_POSITIVE) })
    }
}
