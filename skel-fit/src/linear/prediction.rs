//! What a model predicts, and how far that can be trusted.

use std::fmt;

use crate::runs::Interval;

/// What a model predicts for a point.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Prediction {
    /// The value of the function, in seconds.
    pub value: f64,
    /// Where one run lies with the given probability, if errors are independent and normal. Without degrees
    /// of freedom there is none.
    pub interval: Option<Interval>,
    /// Where the mean of infinitely many runs lies with that probability.
    pub interval_of_mean: Option<Interval>,
    /// Why this may be far off.
    pub warnings: Vec<Warning>,
}

impl Prediction {
    /// The same around another value.
    pub(super) fn moved_to(self, value: f64) -> Self {
        let moved = |interval: Interval| Interval::around(value, (interval.high - interval.low) / 2.0);
        let mut warnings = self.warnings;
        warnings.retain(|warning| !matches!(warning, Warning::Negative { .. }));
        if value < 0.0 {
            warnings.push(Warning::Negative { seconds: value });
        }
        Prediction {
            value,
            interval: self.interval.map(moved),
            interval_of_mean: self.interval_of_mean.map(moved),
            warnings,
        }
    }
}

/// Why a prediction may be far off.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// A variable lies outside of what was measured.
    Extrapolated {
        /// The name of the variable.
        variable: String,
        /// Its value.
        value: f64,
        /// The least value that was measured.
        least: f64,
        /// The largest value that was measured.
        most: f64,
    },
    /// A time cannot be negative.
    Negative {
        /// What was predicted.
        seconds: f64,
    },
    /// There are as many coefficients as points, so that nothing says how good they are.
    NoDegreesOfFreedom,
}

impl Warning {
    /// One for each variable whose value at a point lies outside of its range.
    pub(crate) fn of_ranges<const VARIABLES: usize>(
        variables: [&str; VARIABLES],
        point: [f64; VARIABLES],
        ranges: [(f64, f64); VARIABLES],
    ) -> Vec<Warning> {
        let variables = variables.into_iter().zip(point).zip(ranges);
        let outside = variables.filter(|((_, value), (least, most))| !(least..=most).contains(&value));
        let warning = |((variable, value), (least, most)): ((&str, f64), (f64, f64))| Warning::Extrapolated {
            variable: variable.to_owned(),
            value,
            least,
            most,
        };
        outside.map(warning).collect()
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Extrapolated { variable, value, least, most } => write!(
                f,
                "extrapolated: {variable} = {value} lies outside of what was measured, from {least} to {most}"
            ),
            Warning::Negative { seconds } => {
                write!(f, "negative: {seconds} seconds are no time, so the model does not hold here")
            }
            Warning::NoDegreesOfFreedom => f.write_str(
                "there are as many coefficients as points, so that nothing says how good the model is",
            ),
        }
    }
}
