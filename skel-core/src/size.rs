//! Sizes: how many copies an array has.
//!
//! A size is a whole number, from 1 to a limit. It may have a name, `n = 10; ... Client[n]`, and be part of
//! an expression.

use num_traits::{One, ToPrimitive};

use crate::diagnostic::Code;
use crate::number::{Ratio, display_ratio};
use crate::rate::RateProblem;

/// The most components that a system may have, all copies counted.
pub const MOST_COMPONENTS: u64 = 2_000_000;

/// The most components of an array of which the checks look at each. A larger one is checked as if it had two
/// copies, which can do together what any number of copies can, and no result line can name one of its
/// copies.
pub(crate) const MOST_IN_SMALL_ARRAY: u64 = 10_000;

/// The most components that a system may have outside of larger arrays.
pub(crate) const MOST_CHECKED: u64 = 100_000;

/// Why a value can be no size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SizeProblem {
    /// It has no value, or one that is not positive.
    NotPositive(RateProblem),
    /// It is no whole number.
    NotWhole(Ratio),
    /// It is more than this limit.
    TooLarge(Ratio, u64),
}

impl From<RateProblem> for SizeProblem {
    fn from(problem: RateProblem) -> Self {
        SizeProblem::NotPositive(problem)
    }
}

impl SizeProblem {
    /// The code, the sentence and the advice for a size with this problem; `None` where it is reported
    /// elsewhere.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{number::ratio, size::SizeProblem};
    /// let half = SizeProblem::NotWhole(ratio(1, 2));
    /// assert_eq!(half.explain("`n`").unwrap().1, "the size `n` is 0.5, which is not a whole number");
    /// ```
    #[must_use]
    pub fn explain(&self, subject: &str) -> Option<(Code, String, String)> {
        const ADVICE: &str = "a size says how many copies there are: it is a whole number of at least 1";
        let noun = |value: &Ratio| {
            // "The size `2.5` is 2.5" says one thing twice.
            let says_value = subject == format!("`{}`", display_ratio(value));
            if says_value { "the size".to_owned() } else { format!("the size {subject}") }
        };
        Some(match self {
            SizeProblem::NotPositive(RateProblem::Inherited) => return None,
            SizeProblem::NotPositive(RateProblem::NotPositive(value)) => {
                let problem = RateProblem::NotPositive(value.clone());
                (Code::BadSize, format!("{} {problem}", noun(value)), ADVICE.to_owned())
            }
            SizeProblem::NotPositive(problem) => {
                let code = match problem {
                    RateProblem::DivisionByZero => Code::DivisionByZero,
                    RateProblem::NotANumber(_) => Code::BadSize,
                    _ => Code::RateOutOfRange,
                };
                (code, format!("the size {subject} {problem}"), ADVICE.to_owned())
            }
            SizeProblem::NotWhole(value) => {
                let value_text = display_ratio(value);
                let message = format!("{} is {value_text}, which is not a whole number", noun(value));
                (Code::BadSize, message, ADVICE.to_owned())
            }
            SizeProblem::TooLarge(value, limit) => {
                let message =
                    format!("{} is {}, more than the limit of {limit}", noun(value), display_ratio(value));
                let help = match *limit {
                    MOST_COMPONENTS => {
                        format!("a system has at most {MOST_COMPONENTS} components, all copies counted")
                    }
                    _ => format!(
                        "names of which sizes are made hold no larger number, and a system has at most {MOST_COMPONENTS} components"
                    ),
                };
                (Code::SystemTooLarge, message, help)
            }
        })
    }
}

/// The value of a name that a size is made of: a whole number.
///
/// # Errors
/// Why it is none, or that 32 bits cannot hold it.
pub fn whole(value: Ratio) -> Result<Ratio, SizeProblem> {
    at_most(u64::from(u32::MAX), value)
}

/// A number of copies: whole, at least 1, and at most [`MOST_COMPONENTS`].
///
/// # Errors
/// Why it is none.
pub fn copies(value: Ratio) -> Result<u32, SizeProblem> {
    let value = at_most(MOST_COMPONENTS, value)?;
    Ok(value.to_integer().to_u32().unwrap_or(u32::MAX))
}

fn at_most(limit: u64, value: Ratio) -> Result<Ratio, SizeProblem> {
    match &value {
        value if *value < Ratio::one() && value.is_integer() => {
            Err(SizeProblem::NotPositive(RateProblem::NotPositive(value.clone())))
        }
        value if !value.is_integer() => Err(SizeProblem::NotWhole(value.clone())),
        value if value.to_integer().to_u64().is_none_or(|whole| whole > limit) => {
            Err(SizeProblem::TooLarge(value.clone(), limit))
        }
        _ => Ok(value),
    }
}
