//! Why runs give no model.

use std::fmt;

use skel_core::model::BuildErrors;

use super::needed::Needed;
use crate::model::Kind;

/// Why timed runs give no model.
///
/// # Examples
/// ```
/// use skel_network::{Bytes, FitError, LogGp, Measured, Measurement, Time};
/// let run = |measured, size, time| Measurement {
///     from: "a".into(),
///     to: "b".into(),
///     measured,
///     size: Bytes::new(size),
///     time: Time::microseconds(time),
/// };
/// // A message takes 15 us. The sender alone would be busy for 9 us of them, and the receiver for as long.
/// let runs = [
///     run(Measured::HalfRoundTrip, 1, 15.0),
///     run(Measured::HalfRoundTrip, 1001, 16.0),
///     run(Measured::SendOverhead, 1, 9.0),
///     run(Measured::Burst { messages: 11 }, 1, 125.0),
/// ];
/// let error = LogGp::fit(&runs).unwrap_err();
/// assert!(matches!(&error, FitError::Negative { parameters, .. } if parameters[0].name == "L"));
/// assert!(error.to_string().starts_with("the runs do not fit LogGP: L would be -3.0000 us; help:"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum FitError {
    /// Runs that cannot be: every one of them, with its number.
    Measurements(BuildErrors),
    /// The runs leave a parameter open, for instance because there are fewer of them than parameters.
    TooFew {
        /// The model that was to be fitted.
        model: Kind,
        /// The number of its parameters.
        parameters: usize,
        /// How many of the given runs say something of them.
        runs: usize,
        /// What would have to be measured besides.
        missing: Vec<Missing>,
        /// What the model needs in all.
        needed: Needed,
    },
    /// The best parameters are none that the model can have.
    Negative {
        /// The model that was to be fitted.
        model: Kind,
        /// Every parameter that is below zero.
        parameters: Vec<Negative>,
    },
}

/// A kind of run that would settle what the given runs leave open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// What to measure.
    pub what: String,
}

/// A parameter that a fit puts where it cannot be.
#[derive(Clone, Debug, PartialEq)]
pub struct Negative {
    /// The parameter's name.
    pub name: String,
    /// Its fitted value.
    pub value: f64,
    /// Its standard error, if there are more runs than parameters.
    pub standard_error: Option<f64>,
    /// The unit of both.
    pub unit: &'static str,
}

impl fmt::Display for FitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FitError::Measurements(errors) => errors.fmt(f),
            FitError::TooFew { model, parameters, runs, missing, needed } => {
                let has = plural(*parameters, "parameter");
                let say = if *runs == 1 { "says" } else { "say" };
                write!(f, "{model} has {has}, and {runs} of the given runs {say} something of them")?;
                let what: Vec<&str> = missing.iter().map(|missing| missing.what.as_str()).collect();
                if !what.is_empty() {
                    write!(f, "; missing: {}", what.join(", "))?;
                }
                write!(f, "; help: the model needs at least {needed}")
            }
            FitError::Negative { model, parameters } => {
                write!(f, "the runs do not fit {model}: ")?;
                for (index, negative) in parameters.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(f, "{separator}{negative}")?;
                }
                write!(f, "; help: measure these runs again and more often, or take another model")
            }
        }
    }
}

impl fmt::Display for Negative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Negative { name, value, standard_error, unit } = self;
        write!(f, "{name} would be {value:.4}{unit}")?;
        match standard_error {
            Some(error) => write!(f, " (standard error {error:.4}{unit})"),
            None => Ok(()),
        }
    }
}

fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

impl std::error::Error for FitError {}
