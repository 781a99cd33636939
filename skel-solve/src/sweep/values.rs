//! The values that something takes in a sweep: a range, a logarithmic range or a list, computed exactly.

use std::ops::RangeInclusive;

use num_traits::{Signed, ToPrimitive, Zero};
use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};
use skel_core::number::{Number, Ratio};
use skel_core::rate::{Rate, RateProblem};

/// The most points that a sweep may have.
pub const MOST_POINTS: usize = 100_000;

/// Values in the order in which a sweep takes them. Lists and ranges of whole numbers are values as they are.
///
/// # Examples
/// ```
/// use skel::prelude::*;
/// use skel::sweep::Values;
/// let values = Values::range(ratio(1, 2), 2, 0.5)?;
/// assert_eq!(values, Values::from([0.5, 1.0, 1.5, 2.0]));
/// assert_eq!(Values::from(1..=3), Values::from([1, 2, 3]));
/// # Ok::<(), skel::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Values(Vec<Rate>);

impl Values {
    /// The numbers `from + i * step` up to `to`, each computed exactly. The last one is `to` itself if a step
    /// comes there. A negative step counts down.
    ///
    /// # Errors
    /// The step is 0 or leads away from `to`, a number is infinite or none, or there are more than
    /// [`MOST_POINTS`] values.
    ///
    /// # Examples
    /// ```
    /// use skel::sweep::Values;
    /// assert_eq!(Values::range(0.1, 0.3, 0.1)?, Values::from([0.1, 0.2, 0.3]));
    /// assert_eq!(Values::range(10, 1, -4)?, Values::from([10, 6, 2]));
    /// let wrong = Values::range(1, 10, -1).unwrap_err();
    /// assert_eq!(wrong.to_string(), "the step -1 leads from 1 away from 10; help: write 1:10:1, or 10:1:-1 to count down");
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[cfg_attr(debug_assertions, inline)]
    pub fn range(
        from: impl Into<Rate>,
        to: impl Into<Rate>,
        step: impl Into<Rate>,
    ) -> Result<Values, BuildErrors> {
        Values::of_range(&from.into(), &to.into(), &step.into())
    }

    #[cfg_attr(debug_assertions, inline)]
    fn of_range(from: &Rate, to: &Rate, step: &Rate) -> Result<Values, BuildErrors> {
        let (Some(first), Some(last), Some(by)) = (from.exact(), to.exact(), step.exact()) else {
            return Err(refused(
                format!("a range of numbers cannot go from {from} to {to} by {step}"),
                "write finite numbers, as in 1:10:1",
            ));
        };
        if by.is_zero() {
            let help = format!("write {from}:{to}:1, say, or {from} for this value alone");
            return Err(refused("the step of the range is 0".to_owned(), help));
        }
        let steps = (last - first) / by;
        if steps.is_negative() {
            let message = format!("the step {step} leads from {from} away from {to}");
            let opposite = Rate::from(-by);
            return Err(refused(
                message,
                format!("write {from}:{to}:{opposite}, or {to}:{from}:{step} to count {}", direction(by)),
            ));
        }
        let steps = steps.to_integer();
        match steps.to_usize().filter(|&steps| steps < MOST_POINTS) {
            Some(steps) => {
                let value = |number: usize| first + Ratio::from_integer(number.into()) * by;
                Ok(Values((0..=steps).map(|number| Rate::from(value(number))).collect()))
            }
            None => {
                let count = steps + 1_u32;
                let message =
                    format!("the range has {count} values, and a sweep at most {MOST_POINTS} points");
                Err(refused(message, "take a larger step"))
            }
        }
    }

    /// So many numbers from `from` to `to`, each the same multiple of the one before. The ends are exact, and
    /// the numbers between them have 13 digits.
    ///
    /// # Errors
    /// An end is not positive, there are fewer than two numbers, or more than [`MOST_POINTS`].
    ///
    /// # Examples
    /// ```
    /// use skel::sweep::Values;
    /// assert_eq!(Values::logarithmic(0.001, 1000, 7)?, Values::from([0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]));
    /// assert!(Values::logarithmic(0, 1, 5).is_err());
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[cfg_attr(debug_assertions, inline)]
    pub fn logarithmic(
        from: impl Into<Rate>,
        to: impl Into<Rate>,
        count: usize,
    ) -> Result<Values, BuildErrors> {
        Values::of_logarithmic_range(&from.into(), &to.into(), count)
    }

    #[cfg_attr(debug_assertions, inline)]
    fn of_logarithmic_range(from: &Rate, to: &Rate, count: usize) -> Result<Values, BuildErrors> {
        for end in [from, to] {
            if let Err(problem) = end.to_positive() {
                let message = format!("an end of the logarithmic range {problem}");
                return Err(refused(
                    message,
                    "logarithms are of positive numbers: write log:0.001:1000:7, say",
                ));
            }
        }
        if !(2..=MOST_POINTS).contains(&count) {
            let message = format!("a logarithmic range of {count} values");
            let help = format!("the last number says how many values there are, from 2 to {MOST_POINTS}");
            return Err(refused(message, help));
        }
        let float = |rate: &Rate| rate.exact().map_or(f64::NAN, f64::from_ratio);
        let (first, last) = (float(from), float(to));
        let between = (1..count - 1).map(|number| {
            let part = number as f64 / (count - 1) as f64;
            // The quotient of the ends may be beyond the range of floats, and that of their roots never is.
            let root = (last.sqrt() / first.sqrt()).powf(part);
            let value = match last / first {
                quotient if quotient.is_normal() => first * quotient.powf(part),
                _ => first * root * root,
            };
            let short = format!("{value:.12e}");
            Rate::parse(&short).unwrap_or_else(|_| Rate::from(value))
        });
        let values = std::iter::once(from.clone()).chain(between).chain([to.clone()]);
        Ok(Values(values.collect()))
    }

    /// The values.
    #[must_use]
    pub fn as_slice(&self) -> &[Rate] {
        &self.0
    }

    /// The first value that is no positive number, and why.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn first_not_positive(&self) -> Option<RateProblem> {
        self.0.iter().find_map(|value| value.to_positive().err())
    }
}

fn direction(step: &Ratio) -> &'static str {
    if step.is_positive() { "up" } else { "down" }
}

/// An error of a sweep.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn bad_sweep(message: String, help: impl Into<String>) -> BuildError {
    BuildError { code: Code::BadSweep, message, help: help.into() }
}

#[cfg_attr(debug_assertions, inline)]
fn refused(message: String, help: impl Into<String>) -> BuildErrors {
    BuildErrors(vec![bad_sweep(message, help)])
}

impl<T: Into<Rate>> From<Vec<T>> for Values {
    fn from(values: Vec<T>) -> Self {
        Values(values.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Rate>, const N: usize> From<[T; N]> for Values {
    fn from(values: [T; N]) -> Self {
        Values(values.into_iter().map(Into::into).collect())
    }
}

macro_rules! ranges {
    ($($whole:ty)*) => {$(
        impl From<RangeInclusive<$whole>> for Values {
            /// All whole numbers of the range. Of a range that is longer than any sweep, as many as make it
            /// too long.
            #[cfg_attr(debug_assertions, inline)]
            fn from(range: RangeInclusive<$whole>) -> Self {
                Values(range.take(MOST_POINTS + 1).map(Rate::from).collect())
            }
        }
    )*};
}
ranges! { i32 i64 u32 u64 usize }
