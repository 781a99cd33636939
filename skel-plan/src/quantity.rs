//! Quantities with their units: what machines and stages are described by.
//!
//! | quantity | unit |
//! |---|---|
//! | [`Power`] | units of work per second |
//! | [`Availability`] | the part of a power that the program can use |
//! | [`Work`] | units of work per item |
//! | [`Data`] | bytes per item |
//! | [`Bandwidth`] | bytes per second |
//! | [`Seconds`] | seconds |
//! | [`Throughput`] | items per second |
//!
//! Any other units of work, data and time will do, as long as they are the same everywhere. Values are exact.
//! A value that is zero, negative or not finite is reported as soon as a platform or an application is made
//! from it.

use std::fmt;

use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};
use skel_core::number::{Number, Ratio, display_ratio};
use skel_core::rate::{Rate, RateProblem};

macro_rules! quantities {
    ($($(#[$doc:meta])* $quantity:ident $unit:ident $noun:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $quantity(Rate);

        impl $quantity {
            /// A value: a whole number, an exact fraction, or a float, which stands for the shortest decimal
            /// that reads as it.
            #[must_use]
            pub fn $unit(value: impl Into<Rate>) -> Self {
                $quantity(value.into())
            }

            /// The exact value, if it is positive and finite. `of` completes the name of the quantity in the
            /// error.
            pub(crate) fn positive(&self, of: impl fmt::Display) -> Result<Ratio, BuildError> {
                positive(&self.0, &format!(concat!("the ", $noun, " {}"), of))
            }
        }
    )*};
}

quantities! {
    /// How much work a processor does in a second.
    ///
    /// # Examples
    /// ```
    /// use skel_plan::{Links, Platform, Power, Processor};
    /// let none = Processor::new(Power::per_second(0));
    /// let errors = Platform::new([none], &Links::none()).unwrap_err();
    /// assert_eq!(errors.0[0].message, "the power of processor 1 is 0");
    /// ```
    Power per_second "power";
    /// The part of a processor's power that the program can use: above 0 and at most 1.
    Availability part "availability";
    /// How much work an item takes.
    Work units "work";
    /// How large an item is.
    Data bytes "size of the data";
    /// How much a link carries in a second.
    Bandwidth bytes_per_second "bandwidth";
    /// A time.
    Seconds new "time";
}

impl Seconds {
    /// The value, if it is positive and finite.
    pub(crate) fn checked_value(&self) -> Result<f64, BuildErrors> {
        let exact = self.positive("of a migration").map_err(|error| BuildErrors(vec![error]))?;
        Ok(exact.to_float())
    }
}

/// The exact value of a number that must be above zero and within the range of a float.
fn positive(value: &Rate, subject: &str) -> Result<Ratio, BuildError> {
    value.to_positive().map_err(|problem| BuildError {
        code: Code::QuantityNotPositive,
        message: match &problem {
            RateProblem::NotPositive(value) => format!("{subject} is {}", display_ratio(value)),
            other => format!("{subject} {other}"),
        },
        help: "it must be above 0 and finite".into(),
    })
}

/// How many items leave a program in a second.
///
/// # Examples
/// ```
/// use skel_plan::Throughput;
/// let throughput = Throughput::items_per_second(2.5);
/// assert_eq!(throughput.to_string(), "2.5 items/s");
/// assert!(throughput > Throughput::items_per_second(2.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Throughput(f64);

impl Throughput {
    /// A throughput in items per second.
    #[must_use]
    pub fn items_per_second(value: f64) -> Self {
        Throughput(value)
    }

    /// Its value in items per second.
    #[must_use]
    pub fn value(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Throughput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} items/s", self.0)
    }
}
