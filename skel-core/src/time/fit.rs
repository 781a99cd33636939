//! A phase-type time of a given mean and variation.
//!
//! Below a squared coefficient of variation of 1 it is a mixture of two Erlang times of one rate, with
//! `k - 1` and with `k` phases, where `k` is the least number that can vary as little. Above 1 it is one of
//! two exponential times of balanced means: each has half of the mean. H. C. Tijms, *A First Course in
//! Stochastic Models*, 2003, appendix B.
//!
//! The one irrational number is a square root. It is rounded to 18 decimals, in whole numbers, so that every
//! computer finds the same. The rates follow from it exactly, in such a way that the mean is the one that was
//! asked for, to the last digit.

use std::fmt;

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::number::{Ratio, ratio, ratio_to_float};
use crate::time::phase_type::PhaseType;

/// One over the least squared coefficient of variation that is fitted: less would take more than so many
/// phases.
pub const LEAST_VARIATION: i64 = 64;

/// A phase-type time by its mean and its squared coefficient of variation (scv).
///
/// # Examples
/// ```
/// use skel_core::{number::ratio, time::Fit};
/// let fit = Fit::of(&ratio(2, 1), &ratio(2, 5)).unwrap();
/// assert_eq!(fit.to_string(), "Erlang 2 with probability 0.3039, else 3, at rate 1.348");
/// assert_eq!(fit.phase_type().mean(), ratio(2, 1));
/// assert_eq!(Fit::of(&ratio(2, 1), &ratio(1, 4)).unwrap().to_string(), "Erlang 4 at rate 2");
/// assert_eq!(Fit::of(&ratio(2, 1), &ratio(1, 65)), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fit {
    /// An Erlang time of `phases - 1` phases with the probability `fewer`, else of `phases`.
    Erlang {
        /// The most phases.
        phases: u32,
        /// The probability of one phase less.
        fewer: Ratio,
        /// The rate of each phase.
        rate: Ratio,
    },
    /// One of two exponential times.
    Hyperexponential {
        /// The probability of each.
        probabilities: [Ratio; 2],
        /// The rate of each.
        rates: [Ratio; 2],
    },
}

impl Fit {
    /// The fit of a mean and a squared coefficient of variation; none where this is below 1/64. Of 1 it is
    /// the exponential time, an Erlang time of one phase.
    ///
    /// # Panics
    /// If the mean is not positive.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn of(mean: &Ratio, scv: &Ratio) -> Option<Fit> {
        assert!(mean.is_positive(), "a mean time is above 0");
        if *scv < ratio(1, LEAST_VARIATION) {
            return None;
        }
        Some(if *scv > Ratio::one() { balanced_means(mean, scv) } else { erlang_mixture(mean, scv) })
    }

    /// The phases.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn phase_type(&self) -> PhaseType {
        match self {
            Fit::Erlang { phases, fewer, rate } => PhaseType::erlang_mixture(*phases, fewer, rate),
            Fit::Hyperexponential { probabilities, rates } => {
                PhaseType::hyperexponential(probabilities, rates)
            }
        }
    }
}

/// `k = ceil(1/scv)`, `fewer = (k scv - sqrt(k (1 + scv) - k^2 scv)) / (1 + scv)`,
/// `rate = (k - fewer) / mean`
#[cfg_attr(debug_assertions, inline)]
fn erlang_mixture(mean: &Ratio, scv: &Ratio) -> Fit {
    let phases = scv.recip().ceil();
    let above_one = scv + Ratio::one();
    let fewer = (&phases * scv - root(&(&phases * (&above_one - &phases * scv)))) / above_one;
    // Rounding may take it below 0 by a digit, where it is 0, or to 1: then there is always a phase less.
    let fewer = rounded(&fewer).max(Ratio::zero());
    let (phases, fewer) =
        if fewer < Ratio::one() { (phases, fewer) } else { (phases - Ratio::one(), Ratio::zero()) };
    let rate = (&phases - &fewer) / mean;
    Fit::Erlang { phases: phases.to_integer().to_u32().unwrap_or(1), fewer, rate }
}

/// `p = (1 + sqrt((scv - 1) / (scv + 1))) / 2`, rates `2 p / mean` and `2 (1 - p) / mean`
#[cfg_attr(debug_assertions, inline)]
fn balanced_means(mean: &Ratio, scv: &Ratio) -> Fit {
    let (less, more) = (scv - Ratio::one(), scv + Ratio::one());
    // 1 - p, written without a difference: it may be tiny.
    let rare = rounded(&(&more * (Ratio::one() + root(&(less / &more)))).recip());
    let frequent = Ratio::one() - &rare;
    let rate = |probability: &Ratio| Ratio::from_integer(2.into()) * probability / mean;
    Fit::Hyperexponential { rates: [rate(&frequent), rate(&rare)], probabilities: [frequent, rare] }
}

/// The square root, exactly where it is a fraction, else to 18 decimals.
#[cfg_attr(debug_assertions, inline)]
fn root(value: &Ratio) -> Ratio {
    if !value.is_positive() {
        return Ratio::zero();
    }
    let exact = Ratio::new(value.numer().sqrt(), value.denom().sqrt());
    if &exact * &exact == *value {
        return exact;
    }
    let scale = BigInt::from(10).pow(18);
    let scaled = (value * &scale * &scale).to_integer();
    Ratio::new(scaled.sqrt(), scale)
}

/// A fraction from 0 to 1 as a decimal of 18 digits; one that has few digits stays as it is.
#[cfg_attr(debug_assertions, inline)]
fn rounded(value: &Ratio) -> Ratio {
    if !value.is_positive() || value.denom().bits() <= 60 {
        return value.clone();
    }
    let magnitude = ratio_to_float(value).log10().floor();
    let places = 18 + (-magnitude).clamp(0.0, 400.0) as u32;
    let scale = BigInt::from(10).pow(places);
    Ratio::new((value * &scale).round().to_integer(), scale)
}

impl fmt::Display for Fit {
    /// The fit in words, its numbers to four digits.
    #[cfg_attr(debug_assertions, inline)]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fit::Erlang { phases: 1, rate, .. } => write!(f, "exponential at rate {}", four_digits(rate)),
            Fit::Erlang { phases, fewer, rate } if fewer.is_zero() => {
                write!(f, "Erlang {phases} at rate {}", four_digits(rate))
            }
            Fit::Erlang { phases, fewer, rate } => {
                let (probability, rate) = (four_digits(fewer), four_digits(rate));
                write!(
                    f,
                    "Erlang {} with probability {probability}, else {phases}, at rate {rate}",
                    phases - 1
                )
            }
            Fit::Hyperexponential { probabilities: [p, q], rates: [fast, slow] } => {
                let [p, q, fast, slow] = [p, q, fast, slow].map(four_digits);
                write!(
                    f,
                    "exponential at rate {fast} with probability {p}, at rate {slow} with probability {q}"
                )
            }
        }
    }
}

/// A number to four digits, as one would say it.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn four_digits(value: &Ratio) -> String {
    let rounded: f64 = format!("{:.3e}", ratio_to_float(value)).parse().unwrap_or(f64::NAN);
    let is_short = (1e-5..1e9).contains(&rounded) || value.is_zero();
    if is_short { format!("{rounded}") } else { format!("{rounded:e}") }
}

#[cfg(test)]
mod tests {
    use super::Fit;
    use crate::number::{Ratio, ratio, ratio_to_float};
    use crate::rate::Rate;

    fn decimal(value: f64) -> Ratio {
        Rate::from(value).exact().unwrap().clone()
    }

    /// Mean, scv, and the fit that a second program computed by the formulas of the book, in floats. Where it
    /// subtracts numbers near to each other, its last digits are off: 0.303859521970369016 is the third
    /// probability, by hand.
    #[test]
    fn golden_values() {
        let close = |found: &Ratio, expected: f64| {
            let found = ratio_to_float(found);
            assert!((found - expected).abs() < 1e-15, "{found}, {expected}");
        };
        for (mean, scv, p, rates) in [
            (1.0, 4.0, [0.8872983346207417, 0.1127016653792583], [1.7745966692414834, 0.2254033307585166]),
            (2.0, 9.0, [0.9472135954999579, 0.05278640450004213], [0.9472135954999579, 0.05278640450004213]),
            (1.0, 1.5, [0.7236067977499789, 0.27639320225002106], [1.4472135954999579, 0.5527864045000421]),
        ] {
            let Some(Fit::Hyperexponential { probabilities, rates: found }) =
                Fit::of(&decimal(mean), &decimal(scv))
            else {
                panic!("no such fit")
            };
            for place in 0..2 {
                close(&probabilities[place], p[place]);
                close(&found[place], rates[place]);
            }
        }
        for (mean, scv, k, p, found_rate) in [
            (2.0, 0.4, 3, 0.30385952197036953, 1.3480702390148152),
            (1.0, 0.7, 2, 0.3678843122108921, 1.6321156877891079),
            (1.0, 0.25, 4, 0.0, 4.0),
        ] {
            let Some(Fit::Erlang { phases, fewer, rate }) = Fit::of(&decimal(mean), &decimal(scv)) else {
                panic!("no such fit")
            };
            assert_eq!(phases, k);
            close(&fewer, p);
            close(&rate, found_rate);
        }
    }

    #[test]
    fn the_mean_is_exact_and_the_variation_to_15_digits() {
        for mean in [ratio(1, 1), ratio(12, 1000), ratio(1, 3), decimal(1e-9)] {
            for scv in
                [1.0 / 64.0, 0.016, 0.02, 0.1, 0.3, 0.499, 0.5, 0.999, 1.0, 1.001, 2.0, 1e3, 1e18, 1e300]
            {
                let phases = Fit::of(&mean, &decimal(scv)).unwrap().phase_type();
                assert_eq!(phases.mean(), mean, "{scv}");
                let found = ratio_to_float(&phases.scv());
                assert!((found / scv - 1.0).abs() < 1e-15, "{scv}: {found}");
            }
        }
        for k in 1..=64 {
            let fit = Fit::of(&ratio(5, 7), &ratio(1, k)).unwrap();
            assert_eq!(fit.phase_type().scv(), ratio(1, k));
            assert!(matches!(fit, Fit::Erlang { phases, .. } if i64::from(phases) == k));
        }
    }

    /// A phase more than `1 / scv`, left out so often that the probability rounds to one.
    #[test]
    fn a_variation_just_below_that_of_fewer_phases_is_theirs() {
        let tiny = decimal(1e-43);
        for k in 1..64 {
            let fit = Fit::of(&ratio(5, 7), &(ratio(1, k) - &tiny)).unwrap();
            assert_eq!(fit, Fit::of(&ratio(5, 7), &ratio(1, k)).unwrap());
            assert_eq!(fit.phase_type().mean(), ratio(5, 7));
        }
    }
}
