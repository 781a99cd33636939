//! Why a question about time has no answer within its tolerance.

use std::fmt;

/// An answer over time that cannot be had as it was asked for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Refused {
    /// Rounding may lose more than the tolerance allows.
    Unattainable {
        /// The error that was allowed.
        tolerance: f64,
        /// About the smallest error that can be promised.
        attainable: f64,
    },
    /// It takes more steps than were allowed.
    TooManySteps {
        /// The steps that it takes.
        steps: u64,
        /// The steps that were allowed.
        most: u64,
    },
}

impl Refused {
    pub(crate) fn unattainable(tolerance: f64, attainable: f64) -> Refused {
        Refused::Unattainable { tolerance, attainable: round_up(attainable) }
    }

    pub(crate) fn too_many_steps(steps: u64, most: u64) -> Refused {
        Refused::TooManySteps { steps, most }
    }
}

/// The next larger number of two digits.
fn round_up(value: f64) -> f64 {
    let unit = 10_f64.powf(value.log10().floor() - 1.0);
    let rounded = (value / unit).ceil() * unit;
    if rounded.is_finite() { format!("{rounded:.1e}").parse().unwrap_or(rounded) } else { value }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Unattainable { tolerance, attainable } => write!(
                f,
                "the error cannot be kept below {tolerance:e}: rounding alone may add up to {attainable:e} over so many steps"
            ),
            Refused::TooManySteps { steps, most } => {
                write!(f, "the answer takes {steps} steps, and {most} are allowed")
            }
        }
    }
}
