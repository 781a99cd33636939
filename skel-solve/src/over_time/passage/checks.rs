//! What all questions for a random time have in common: what can be asked, and whether an answer is within
//! its tolerance.

use num_traits::Signed;
use skel_core::number::{Number, Ratio};

use super::{Figure, Moments};
use crate::error::Error;
use crate::refused::Refused;

/// Refuses what is no time and what is no probability of a quantile.
pub(crate) fn check_wanted(times: &[f64], probabilities: &[f64]) -> Result<(), Error> {
    if let Some(time) = times.iter().find(|time| !(time.is_finite() && **time >= 0.0)) {
        return Err(Error::Unknown(format!("{time} is no time: a time is a number from 0 on")));
    }
    if let Some(wrong) = probabilities.iter().find(|wanted| !(**wanted > 0.0 && **wanted < 1.0)) {
        return Err(Error::Unknown(format!("there is no quantile of {wrong}: it lies between 0 and 1")));
    }
    Ok(())
}

/// Moments, if their bounds are within a tolerance, in proportion to figures above one.
pub(crate) fn within(tolerance: f64, moments: Moments<Figure>) -> Result<Moments<Figure>, Error> {
    let all = moments.raw.iter().chain([&moments.ends]).chain(&moments.variance);
    let worst = all.map(|figure| figure.error / figure.value.abs().max(1.0)).fold(0.0, f64::max);
    if worst <= tolerance { Ok(moments) } else { Err(Refused::unattainable(tolerance, worst).into()) }
}

/// Exact moments as floats, right but for their last digits.
pub(crate) fn rounded(exact: &Moments<Ratio>) -> Moments<Figure> {
    let figure = |value: &Ratio| {
        debug_assert!(!value.is_negative());
        Figure::rounded(value.to_float())
    };
    Moments {
        ends: if exact.ends == Ratio::from_integer(1.into()) {
            Figure { value: 1.0, error: 0.0 }
        } else {
            figure(&exact.ends)
        },
        raw: exact.raw.iter().map(figure).collect(),
        variance: exact.variance.as_ref().map(figure),
    }
}
