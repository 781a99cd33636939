//! A distribution for measured times, by their mean and their squared coefficient of variation (scv).
//!
//! | scv | distribution |
//! |---|---|
//! | 1, as far as the number of times can tell | exponential |
//! | from 1/64 on | the fit by two moments, `fitted(mean, scv)` |
//! | below 1/64 | `erlang(64, mean)`, the steadiest time that a chain of reasonable size can have |
//! | not known | exponential |
//!
//! The logarithm of the scv of `n` exponential times is estimated with a standard deviation of `2 / sqrt(n)`,
//! which follows from their first four moments by the delta method. So 1 is what lies within twice of that.

use skel_core::number::{Number, ratio};
use skel_core::rate::Rate;
use skel_core::skeleton::{erlang, exponential};
use skel_core::time::{LEAST_VARIATION, ServiceTime, mean as mean_time};

/// The least mean time, in seconds: no clock sees less.
const LEAST_MEAN: f64 = 1e-9;

/// The largest scv that is fitted. More comes from a few outliers, and is then not known to a digit.
const LARGEST_VARIATION: f64 = 1e6;

/// Fewer times than these say little.
pub(in crate::report) const FEW: u64 = 100;

/// A distribution for measured times.
#[derive(Clone, Debug)]
pub(in crate::report) struct Fitted {
    /// The distribution.
    pub(in crate::report) time: ServiceTime,
    /// The mean, in seconds.
    pub(in crate::report) mean: f64,
    /// The measured scv.
    pub(in crate::report) scv: Option<f64>,
    /// How many times were measured.
    pub(in crate::report) count: u64,
    /// Why it is this distribution.
    pub(in crate::report) reason: Reason,
}

/// Why times have a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum Reason {
    /// Their variation is that of exponential times, as far as their number can tell.
    LikeExponential,
    /// By two moments.
    Moments,
    /// They vary less than any fit.
    Steady,
    /// Their variation is not known.
    Unknown,
}

/// The distribution for so many times of this mean, in seconds, and this variation.
pub(in crate::report) fn fitted(mean: f64, scv: Option<f64>, count: u64) -> Fitted {
    let mean = mean.max(LEAST_MEAN);
    let reason = reason(scv, count);
    let time = match (reason, scv) {
        (Reason::Moments, Some(scv)) => by_moments(mean, scv),
        (Reason::Steady, _) => erlang(LEAST_VARIATION, mean_time(to_digits(mean, 6))).checked("measured"),
        _ => exponential(to_digits(1.0 / mean, 6)).checked("measured"),
    };
    let time = time.expect("positive values within the bounds are a time");
    Fitted { mean: time.mean().to_float(), time, scv, count, reason }
}

/// The distribution that stands in a model for so many measured times of this mean, in seconds, and this
/// squared coefficient of variation: exponential where they vary like that as far as their number can tell,
/// or where their variation is not known; else a fit by two moments.
///
/// Means below a nanosecond are taken for one, and what varies less than 1/64 for an Erlang time of 64
/// phases.
///
/// # Examples
/// ```
/// use skel_run::report::time_of;
/// assert_eq!(time_of(0.02, Some(0.93), 400).to_string(), "50.0");
/// assert_eq!(time_of(0.02, Some(0.25), 400).to_string(), "fitted(0.02, 0.25)");
/// assert_eq!(time_of(0.02, None, 1).to_string(), "50.0");
/// ```
#[must_use]
pub fn time_of(mean: f64, scv: Option<f64>, count: u64) -> ServiceTime {
    fitted(mean, scv, count).time
}

fn by_moments(mean: f64, scv: f64) -> Result<ServiceTime, skel_core::model::BuildErrors> {
    let least = ratio(1, LEAST_VARIATION);
    let scv = Rate::from(to_digits(scv.min(LARGEST_VARIATION), 4));
    let scv = scv.exact().cloned().unwrap_or_else(|| ratio(1, 1)).max(least);
    skel_core::skeleton::fitted(mean_time(to_digits(mean, 6)), scv).checked("measured")
}

fn reason(scv: Option<f64>, count: u64) -> Reason {
    let noise = 2.0 / (count as f64).sqrt();
    match scv {
        None => Reason::Unknown,
        Some(scv) if !scv.is_finite() => Reason::Unknown,
        Some(scv) if scv.ln().abs() <= 2.0 * noise => Reason::LikeExponential,
        Some(scv) if scv < 1.0 / LEAST_VARIATION as f64 => Reason::Steady,
        Some(_) => Reason::Moments,
    }
}

/// A positive number to so many significant digits: what is measured is not known to more, and the text of a
/// program is read by people.
pub(in crate::report) fn to_digits(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits - 1).parse().unwrap_or(value)
}

impl Fitted {
    /// The distribution in words, with what it rests on.
    pub(in crate::report) fn in_words(&self) -> String {
        let scv = match self.scv {
            None => "not known".to_owned(),
            Some(scv) if scv < 5e-4 => "0".to_owned(),
            Some(scv) => to_digits(scv, 3).to_string(),
        };
        match (self.reason, self.time.fit()) {
            (Reason::Moments, Some(fit)) => format!("its scv is {scv}, fitted by {fit}"),
            (Reason::Steady, _) => {
                format!("its scv is {scv}, less than a chain can have")
            }
            (Reason::LikeExponential, _) => format!("its scv is {scv}, taken for exponential"),
            _ => "its scv is not known, taken for exponential".to_owned(),
        }
    }

    /// Half of the width of the interval in which the mean lies with a probability of 95 %, as a part of the
    /// mean.
    pub(in crate::report) fn error_of_mean(&self) -> Option<f64> {
        self.scv.map(|scv| 1.96 * (scv / self.count as f64).sqrt())
    }

    /// The scv of the distribution.
    pub(in crate::report) fn scv_of_time(&self) -> f64 {
        self.time.scv().to_float()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use skel_core::number::Number;

    use super::{Reason, fitted};

    #[test]
    fn by_variation() {
        for (scv, count, expected, reason) in [
            (Some(1.03), 10_000, "50.0", Reason::LikeExponential),
            (Some(0.7), 100, "50.0", Reason::LikeExponential),
            (Some(0.7), 10_000, "fitted(0.02, 0.7)", Reason::Moments),
            (Some(0.25), 10_000, "fitted(0.02, 0.25)", Reason::Moments),
            (Some(9.123_456), 10_000, "fitted(0.02, 9.123)", Reason::Moments),
            (Some(1.0 / 64.0), 10_000, "fitted(0.02, 0.015625)", Reason::Moments),
            (Some(0.015), 10_000, "erlang(64, 0.02)", Reason::Steady),
            (Some(0.0), 10_000, "erlang(64, 0.02)", Reason::Steady),
            (Some(0.0), 5, "erlang(64, 0.02)", Reason::Steady),
            (None, 1, "50.0", Reason::Unknown),
            (Some(f64::INFINITY), 100, "50.0", Reason::Unknown),
            (Some(1e300), 100, "fitted(0.02, 1000000)", Reason::Moments),
        ] {
            let found = fitted(0.02, scv, count);
            assert_eq!((found.time.to_string().as_str(), found.reason), (expected, reason), "{scv:?}");
        }
        assert_eq!(fitted(0.0, Some(0.0), 10_000).time.to_string(), "erlang(64, 0.000000001)");
    }

    proptest! {
        #[test]
        fn moments_are_kept(mean in 1e-8..1e4_f64, scv in 0.0..50.0_f64, count in 2_u64..1_000_000) {
            let found = fitted(mean, Some(scv), count);
            prop_assert!((found.time.mean().to_float() / mean - 1.0).abs() < 1e-5);
            let kept = found.scv_of_time();
            match found.reason {
                Reason::Moments => prop_assert!((kept / scv - 1.0).abs() < 1e-3),
                Reason::Steady => prop_assert!(scv < 1.0 / 64.0 && kept == 1.0 / 64.0),
                Reason::LikeExponential => prop_assert!(scv.ln().abs() <= 4.0 / (count as f64).sqrt()),
                Reason::Unknown => prop_assert!(false),
            }
        }
    }
}
