//! Rates: exact values, expressions over named rates, and the two kinds, active and passive.
//!
//! A literal is an exact rational from the first token on (`0.1` is 1/10) and becomes an `f64` only inside an
//! `f64` solver. Expressions are kept, not only their values, so that a model can be solved again with
//! another value of a named rate, and whatever is defined by it follows.
//!
//! Arithmetic is bounded: a value of more than [`MAX_BITS`] bits, or one that an `f64` cannot hold, is an
//! error. Without the bound `a = 2*2; b = a*a; c = b*b; ...` would double its digits with every line.

use std::fmt;
use std::hash::{Hash, Hasher};

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use crate::diagnostic::Code;
use crate::id::ParameterId;
use crate::number::{NumberError, Ratio, decimal, display_ratio, ratio_to_float};

/// The most bits that the numerator or the denominator of a rate may have.
pub const MAX_BITS: u64 = 2048;

/// A value of a rate, given from Rust: a whole number, a fraction or a float.
///
/// A float stands for the decimal that one writes for it: `Rate::from(0.1)` is exactly 1/10. A float that is
/// not a number, or infinite, is reported when the model is built.
///
/// # Examples
/// ```
/// use skel_core::{number::ratio, rate::Rate};
/// assert_eq!(Rate::from(0.1).exact(), Some(&ratio(1, 10)));
/// assert_eq!(Rate::from(f64::NAN).exact(), None);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Rate(Result<Ratio, Unreadable>);

#[derive(Clone, Debug, PartialEq)]
struct Unreadable(String);

impl Rate {
    /// A rate without a value, and what it is instead. It is reported when the model is built.
    pub(crate) fn without_value(what: &str) -> Rate {
        Rate(Err(Unreadable(what.to_owned())))
    }

    /// The exact value, unless it came from a float that is infinite or not a number.
    #[must_use]
    pub fn exact(&self) -> Option<&Ratio> {
        self.0.as_ref().ok()
    }

    /// Reads a decimal (`0.25`, `1e-3`) or a fraction (`1/3`).
    ///
    /// # Errors
    /// Says what is wrong with the text.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{number::ratio, rate::Rate};
    /// assert_eq!(Rate::parse("10/3").unwrap().exact(), Some(&ratio(10, 3)));
    /// ```
    pub fn parse(text: &str) -> Result<Rate, NumberError> {
        let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
        let (sign, numerator) = match numerator.trim().strip_prefix('-') {
            Some(rest) => (-Ratio::one(), rest),
            None => (Ratio::one(), numerator.trim()),
        };
        let denominator = decimal(denominator.trim())?;
        if denominator.is_zero() {
            return Err(NumberError::unreadable("the denominator is zero".into()));
        }
        Ok(Rate(Ok(sign * decimal(numerator)? / denominator)))
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Ok(value) => write!(f, "{}", display_ratio(value)),
            Err(Unreadable(text)) => f.write_str(text),
        }
    }
}

impl From<Ratio> for Rate {
    fn from(value: Ratio) -> Self {
        Rate(Ok(value))
    }
}

macro_rules! rate_from_float {
    ($($float:ty)*) => {$(
        impl From<$float> for Rate {
            fn from(value: $float) -> Self {
                let sign = if value < 0.0 { -Ratio::one() } else { Ratio::one() };
                let magnitude = decimal(&format!("{:e}", value.abs()));
                Rate(magnitude.map(|magnitude| sign * magnitude).map_err(|_| Unreadable(value.to_string())))
            }
        }
    )*};
}
rate_from_float! { f64 }

macro_rules! rate_from_whole {
    ($($whole:ty)*) => {$(
        impl From<$whole> for Rate {
            fn from(value: $whole) -> Self {
                Rate(Ok(Ratio::from_integer(BigInt::from(value))))
            }
        }
    )*};
}
rate_from_whole! { i8 i16 i32 i64 u8 u16 u32 u64 usize }

/// An expression over numbers and the model's named rates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RateExpression {
    /// A literal.
    Number(Ratio),
    /// A named rate.
    Parameter(ParameterId),
    /// `-e`.
    Negative(Box<RateExpression>),
    /// `first ± e ± ...`, from left to right.
    Sum(Box<RateExpression>, Vec<(SumOperator, RateExpression)>),
    /// `first * e / ...`, from left to right.
    Product(Box<RateExpression>, Vec<(ProductOperator, RateExpression)>),
}

/// A fraction's own hash goes through its continued fraction, in case it is not reduced. Literals are, and a
/// text may have hundreds of thousands.
impl Hash for RateExpression {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            RateExpression::Number(value) => (value.numer(), value.denom()).hash(state),
            RateExpression::Parameter(id) => id.hash(state),
            RateExpression::Negative(inner) => inner.hash(state),
            RateExpression::Sum(first, rest) => (first, rest).hash(state),
            RateExpression::Product(first, rest) => (first, rest).hash(state),
        }
    }
}

/// The operators of a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SumOperator {
    /// `+`
    Plus,
    /// `-`
    Minus,
}

/// The operators of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProductOperator {
    /// `*`
    Times,
    /// `/`
    Over,
}

/// What to do about a rate that no float can hold.
pub(crate) const OUT_OF_RANGE: &str = "rates are solved as 64-bit floats: choose another unit of time";

/// Why an expression has no value that can be used as a rate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RateProblem {
    /// A division by zero.
    DivisionByZero,
    /// The value is zero or negative.
    NotPositive(Ratio),
    /// More than [`MAX_BITS`] bits.
    TooManyDigits,
    /// A value that an `f64` rounds to zero or to infinity.
    OutOfRange,
    /// A float from Rust that is infinite or not a number, or in words what else has no value.
    NotANumber(String),
    /// The expression uses a named rate that has a problem of its own, reported there.
    Inherited,
}

impl fmt::Display for RateProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RateProblem::DivisionByZero => f.write_str("divides by zero"),
            RateProblem::NotPositive(value) if value.is_zero() => f.write_str("is 0"),
            RateProblem::NotPositive(value) => write!(f, "is {}, which is negative", display_ratio(value)),
            RateProblem::TooManyDigits => write!(f, "has more than {MAX_BITS} bits"),
            RateProblem::OutOfRange => f.write_str("is beyond the range of a 64-bit float"),
            RateProblem::NotANumber(text) => match text.as_str() {
                "inf" => f.write_str("is infinite (`INFINITY`)"),
                "-inf" => f.write_str("is infinite (`NEG_INFINITY`)"),
                "NaN" => f.write_str("is not a number (`NAN`)"),
                other => write!(f, "is {other}"),
            },
            RateProblem::Inherited => f.write_str("depends on a rate that has no value"),
        }
    }
}

impl RateProblem {
    /// The code, the sentence and the advice for a rate (or a passive weight) with this problem; `None` where
    /// the problem is reported elsewhere.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{number::ratio, rate::RateProblem};
    /// let zero = RateProblem::NotPositive(ratio(0, 1));
    /// assert_eq!(zero.explain("`mu`", false).unwrap().1, "the rate `mu` is 0");
    /// assert_eq!(zero.explain("`0`", false).unwrap().1, "the rate is 0");
    /// ```
    #[must_use]
    pub fn explain(&self, subject: &str, is_weight: bool) -> Option<(Code, String, &'static str)> {
        let mut noun = if is_weight { "weight" } else { "rate" }.to_owned();
        // The rate itself is left out where the message would be "the rate `0` is 0".
        let says_value = matches!(self, RateProblem::NotPositive(value) if subject == format!("`{}`", display_ratio(value)));
        if !says_value {
            noun = format!("{noun} {subject}");
        }
        let (code, help) = match self {
            RateProblem::Inherited => return None,
            RateProblem::DivisionByZero => (Code::DivisionByZero, "the divisor must not be zero"),
            RateProblem::TooManyDigits => {
                (Code::RateOutOfRange, "a rate is solved as a 64-bit float of some 16 digits: write fewer")
            }
            RateProblem::OutOfRange => (Code::RateOutOfRange, OUT_OF_RANGE),
            RateProblem::NotPositive(_) | RateProblem::NotANumber(_) if is_weight => (
                Code::WeightNotPositive,
                "a weight says how often, relative to the others: it must be above 0",
            ),
            RateProblem::NotANumber(_) => {
                (Code::RateNotPositive, "a rate is a finite number of events per unit of time, above 0")
            }
            RateProblem::NotPositive(_) => {
                (Code::RateNotPositive, "a rate is a number of events per unit of time: it must be above 0")
            }
        };
        Some((code, format!("the {noun} {self}"), help))
    }
}

impl Rate {
    /// The exact value, if it is positive and an `f64` can hold it.
    ///
    /// # Errors
    /// Why it is not a rate.
    pub fn to_positive(&self) -> Result<Ratio, RateProblem> {
        match &self.0 {
            Ok(value) => positive(value.clone()),
            Err(Unreadable(text)) => Err(RateProblem::NotANumber(text.clone())),
        }
    }
}

/// The value itself, if it can serve as a rate: positive, neither zero nor infinite as an `f64`, and of at
/// most [`MAX_BITS`] bits.
///
/// # Errors
/// Why not.
pub fn positive(value: Ratio) -> Result<Ratio, RateProblem> {
    if !value.is_positive() {
        return Err(RateProblem::NotPositive(value));
    }
    let value = bounded(value)?;
    let float = ratio_to_float(&value);
    if float.is_normal() { Ok(value) } else { Err(RateProblem::OutOfRange) }
}

impl RateExpression {
    /// The exact value, given the values of the named rates.
    ///
    /// # Errors
    /// A division by zero, too many digits, or whatever `parameter` says.
    pub fn evaluate(
        &self,
        parameter: &dyn Fn(ParameterId) -> Result<Ratio, RateProblem>,
    ) -> Result<Ratio, RateProblem> {
        let value = match self {
            RateExpression::Number(value) => value.clone(),
            RateExpression::Parameter(id) => parameter(*id)?,
            RateExpression::Negative(inner) => -inner.evaluate(parameter)?,
            RateExpression::Sum(first, rest) => {
                let mut sum = first.evaluate(parameter)?;
                for (operator, term) in rest {
                    let term = term.evaluate(parameter)?;
                    sum = bounded(match operator {
                        SumOperator::Plus => sum + term,
                        SumOperator::Minus => sum - term,
                    })?;
                }
                sum
            }
            RateExpression::Product(first, rest) => {
                let mut product = first.evaluate(parameter)?;
                for (operator, factor) in rest {
                    let factor = factor.evaluate(parameter)?;
                    if *operator == ProductOperator::Over && factor.is_zero() {
                        return Err(RateProblem::DivisionByZero);
                    }
                    product = bounded(match operator {
                        ProductOperator::Times => product * factor,
                        ProductOperator::Over => product / factor,
                    })?;
                }
                product
            }
        };
        bounded(value)
    }

    /// Calls `visit` with every named rate in the expression, from left to right.
    pub fn for_each_parameter(&self, visit: &mut impl FnMut(ParameterId)) {
        match self {
            RateExpression::Number(_) => {}
            RateExpression::Parameter(id) => visit(*id),
            RateExpression::Negative(inner) => inner.for_each_parameter(visit),
            RateExpression::Sum(first, rest) => {
                first.for_each_parameter(visit);
                rest.iter().for_each(|(_, term)| term.for_each_parameter(visit));
            }
            RateExpression::Product(first, rest) => {
                first.for_each_parameter(visit);
                rest.iter().for_each(|(_, factor)| factor.for_each_parameter(visit));
            }
        }
    }
}

fn bounded(value: Ratio) -> Result<Ratio, RateProblem> {
    if value.numer().bits() > MAX_BITS || value.denom().bits() > MAX_BITS {
        return Err(RateProblem::TooManyDigits);
    }
    Ok(value)
}

/// The rate of an activity, or an apparent rate: active, or passive with a weight (`w * infty`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ActivityRate<T> {
    /// The activity is done at this rate.
    Active(T),
    /// The partner in a cooperation sets the rate; among passive alternatives it is shared by weight.
    Passive(T),
}

impl<T> ActivityRate<T> {
    /// The rate or the weight.
    pub fn magnitude(&self) -> &T {
        match self {
            ActivityRate::Active(value) | ActivityRate::Passive(value) => value,
        }
    }

    /// Whether it is passive.
    pub fn is_passive(&self) -> bool {
        matches!(self, ActivityRate::Passive(_))
    }

    /// The same kind with another magnitude.
    pub fn map<U>(&self, change: impl FnOnce(&T) -> U) -> ActivityRate<U> {
        match self {
            ActivityRate::Active(value) => ActivityRate::Active(change(value)),
            ActivityRate::Passive(value) => ActivityRate::Passive(change(value)),
        }
    }
}
