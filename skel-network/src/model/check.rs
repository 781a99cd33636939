//! The values that parameters of models may have. All faults of a model are collected.

use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};

use crate::quantity::Time;

/// The longest time that a parameter may be, in microseconds: about 30,000 years. Below it, no formula leaves
/// the range of a float.
const LONGEST: f64 = 1e18;

/// What is wrong with the values so far.
#[derive(Default)]
pub(crate) struct Faults(Vec<BuildError>);

impl Faults {
    /// A time that may be zero.
    pub(crate) fn time(&mut self, what: &str, time: Time) {
        let value = time.as_microseconds();
        if !(0.0..=LONGEST).contains(&value) {
            self.quantity(
                format!("{what} is {value} us"),
                "it must be a time of 0 or more, and at most 1e18 microseconds".into(),
            );
        }
    }

    /// A number that must be above zero.
    pub(crate) fn positive(&mut self, what: &str, value: f64, unit: &str) {
        if !(1.0 / LONGEST..=LONGEST).contains(&value) {
            self.quantity(
                format!("{what} is {value}{unit}"),
                "it must be above 0, from 1e-18 to 1e18".into(),
            );
        }
    }

    /// A number that may be zero.
    pub(crate) fn not_negative(&mut self, what: &str, value: f64) {
        if !(0.0..=LONGEST).contains(&value) {
            self.quantity(format!("{what} is {value}"), "it must be 0 or more, and at most 1e18".into());
        }
    }

    /// A value that is out of the range of its quantity.
    pub(crate) fn quantity(&mut self, message: String, help: String) {
        self.0.push(BuildError { code: Code::QuantityNotPositive, message, help });
    }

    /// Another fault, such as one of a table.
    pub(crate) fn table(&mut self, message: String, help: String) {
        self.0.push(BuildError { code: Code::BadTable, message, help });
    }

    /// The value, if nothing is wrong with it.
    pub(crate) fn none_or<T>(self, value: T) -> Result<T, BuildErrors> {
        if self.0.is_empty() { Ok(value) } else { Err(BuildErrors(self.0)) }
    }
}
