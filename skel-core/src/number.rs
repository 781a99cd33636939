//! Exact numbers: rationals, the decimals they are written as, and the two types that a model is solved in.

use std::fmt;
use std::ops::{Add, Div, Mul, Sub};

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// An exact rational number.
pub type Ratio = BigRational;

/// The exact fraction `numerator / denominator`.
///
/// # Panics
/// If the denominator is zero.
///
/// # Examples
/// ```
/// use skel_core::number::ratio;
/// assert_eq!(ratio(10, 8).to_string(), "5/4");
/// ```
#[must_use]
pub fn ratio(numerator: i64, denominator: i64) -> Ratio {
    match denominator {
        // There is nothing to reduce, and counts up to a million are asked for at once.
        1 => Ratio::from_integer(BigInt::from(numerator)),
        _ => Ratio::new(BigInt::from(numerator), BigInt::from(denominator)),
    }
}

/// What is wrong with a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberError {
    message: String,
    is_out_of_range: bool,
}

impl NumberError {
    pub(crate) fn unreadable(message: String) -> Self {
        NumberError { message, is_out_of_range: false }
    }

    fn out_of_range(message: String) -> Self {
        NumberError { message, is_out_of_range: true }
    }

    /// Whether it is a number, but larger, smaller or longer than any that a rate can have.
    #[must_use]
    pub fn is_out_of_range(&self) -> bool {
        self.is_out_of_range
    }
}

impl fmt::Display for NumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for NumberError {}

/// The exact value of a decimal literal without sign: digits, an optional fraction, an optional exponent;
/// underscores between digits are ignored.
///
/// # Errors
/// If it is no such literal, has over 1000 digits, or an exponent beyond 400 with one digit before the point:
/// a rate outside the range of `f64` cannot be solved for, and its digits would only cost memory.
///
/// # Examples
/// ```
/// use skel_core::number::{decimal, ratio};
/// assert_eq!(decimal("2.50").unwrap(), ratio(5, 2));
/// assert_eq!(decimal("1e-3").unwrap(), ratio(1, 1000));
/// assert!(decimal("1e999999999").is_err());
/// ```
pub fn decimal(text: &str) -> Result<Ratio, NumberError> {
    const MOST_DIGITS: usize = 1000;
    const LARGEST_EXPONENT: u64 = 400;
    let unreadable = || NumberError::unreadable(format!("`{}` is not a number", shorten(text)));
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], exponent(&text[at + 1..]).ok_or_else(unreadable)?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: String = whole.chars().chain(fraction.chars()).filter(|&c| c != '_').collect();
    let starts_with_digit = mantissa.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    if digits.is_empty() || !starts_with_digit || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(unreadable());
    }
    let fraction_digits = fraction.chars().filter(|&c| c != '_').count();
    let scale = i64::from(exponent) - fraction_digits as i64;
    // Zeros in front count nothing, so that a number can be read in whichever way it is written out.
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Ok(Ratio::zero());
    }
    // The exponent with one digit before the point, so that it counts the same however the number is written.
    let scientific = scale + digits.len() as i64 - 1;
    if scientific.unsigned_abs() > LARGEST_EXPONENT {
        let message = format!("`{}` is beyond the range of a 64-bit float", shorten(text));
        return Err(NumberError::out_of_range(message));
    }
    let written_out = digits.len() + usize::try_from(scale.unsigned_abs()).unwrap_or(usize::MAX);
    if written_out > MOST_DIGITS {
        let message = format!("`{}` has {written_out} digits; the most is {MOST_DIGITS}", shorten(text));
        return Err(NumberError::out_of_range(message));
    }
    if let Some(value) = short_decimal(digits, scale) {
        return Ok(value);
    }
    let value: BigInt = digits.parse().map_err(|_| unreadable())?;
    let power = BigInt::from(10).pow(scale.unsigned_abs() as u32);
    Ok(if scale < 0 { Ratio::new(value, power) } else { Ratio::from_integer(value * power) })
}

/// The value of some digits, at least one, times a power of ten, if neither it nor the power is longer than a
/// machine word: texts have hundreds of thousands of these, and reducing each by a greatest common divisor of
/// long numbers takes most of the time to read it.
fn short_decimal(digits: &str, scale: i64) -> Option<Ratio> {
    let mut value: u64 = digits.parse().ok()?;
    let mut power = 10_u64.checked_pow(u32::try_from(scale.unsigned_abs()).ok()?)?;
    if scale >= 0 {
        return Some(Ratio::from_integer(value.checked_mul(power)?.into()));
    }
    for factor in [2, 5] {
        while value.is_multiple_of(factor) && power.is_multiple_of(factor) {
            (value, power) = (value / factor, power / factor);
        }
    }
    Some(Ratio::new_raw(value.into(), power.into()))
}

/// The number behind the `e`; one that is too long for its type is the largest of that.
fn exponent(text: &str) -> Option<i32> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let extreme = if text.starts_with('-') { i32::MIN } else { i32::MAX };
    Some(text.parse().unwrap_or(extreme))
}

/// A text that is to be shown, cut where it is long.
pub(crate) fn shorten(text: &str) -> String {
    match text.char_indices().nth(30) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}

/// A fraction as one writes it in a model: a decimal where it has a short one, else `p/q`.
///
/// # Examples
/// ```
/// use skel_core::number::{display_ratio, ratio};
/// assert_eq!(display_ratio(&ratio(1, 10)), "0.1");
/// assert_eq!(display_ratio(&ratio(10, 3)), "10/3");
/// ```
#[must_use]
pub fn display_ratio(value: &Ratio) -> String {
    const MOST_DECIMALS: usize = 12;
    match decimals(value).filter(|&decimals| decimals <= MOST_DECIMALS) {
        Some(decimals) => {
            let sign = if value.is_negative() { "-" } else { "" };
            format!("{sign}{}", with_point(&digits(value, decimals), decimals))
        }
        None => value.to_string(),
    }
}

/// How many decimals it takes to write a fraction, if it has a decimal: as many as its denominator has
/// factors of two or of five, whichever are more, and no other factor.
pub(crate) fn decimals(value: &Ratio) -> Option<usize> {
    let denominator = value.denom().magnitude();
    let twos = denominator.trailing_zeros()?;
    let mut rest = denominator >> twos;
    let mut fives = 0;
    // Divided as a machine word as soon as it is one.
    let mut word = loop {
        match rest.to_u64() {
            Some(word) => break word,
            None if (&rest % 5_u32).is_zero() => (rest, fives) = (rest / 5_u32, fives + 1),
            None => return None,
        }
    };
    while word.is_multiple_of(5) {
        (word, fives) = (word / 5, fives + 1);
    }
    (word == 1).then_some(fives.max(twos) as usize)
}

/// The digits of a fraction's absolute value, written with so [many](decimals) decimals, without the point.
pub(crate) fn digits(value: &Ratio, decimals: usize) -> String {
    let scale = BigUint::from(10_u32).pow(decimals as u32);
    (value.numer().magnitude() * scale / value.denom().magnitude()).to_string()
}

/// Digits of which so many are decimals.
pub(crate) fn with_point(digits: &str, decimals: usize) -> String {
    let digits = format!("{digits:0>width$}", width = decimals + 1);
    let (whole, fraction) = digits.split_at(digits.len() - decimals);
    if decimals == 0 { digits } else { format!("{whole}.{fraction}") }
}

/// The number types that a model can be solved in: `f64`, and exact rationals.
pub trait Number:
    Clone
    + fmt::Debug
    + PartialEq
    + PartialOrd
    + Zero
    + One
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + 'static
{
    /// The number nearest to an exact value.
    fn from_ratio(value: &Ratio) -> Self;
    /// The float nearest to the number.
    fn to_float(&self) -> f64;
    /// The exact value, where the type is exact.
    fn to_exact(&self) -> Option<Ratio>;
    /// The smaller of two numbers.
    #[must_use]
    fn lesser(&self, other: &Self) -> Self {
        if self <= other { self.clone() } else { other.clone() }
    }
}

impl Number for f64 {
    fn from_ratio(value: &Ratio) -> Self {
        ratio_to_float(value)
    }
    fn to_float(&self) -> f64 {
        *self
    }
    fn to_exact(&self) -> Option<Ratio> {
        None
    }
}

impl Number for Ratio {
    fn from_ratio(value: &Ratio) -> Self {
        value.clone()
    }
    fn to_float(&self) -> f64 {
        ratio_to_float(self)
    }
    fn to_exact(&self) -> Option<Ratio> {
        Some(self.clone())
    }
}

pub(crate) fn ratio_to_float(value: &Ratio) -> f64 {
    const EXACT: u64 = 1 << f64::MANTISSA_DIGITS;
    match (value.numer().to_i64(), value.denom().to_u64()) {
        // Floats hold both, so their quotient is the nearest float.
        (Some(numerator), Some(denominator)) if numerator.unsigned_abs().max(denominator) <= EXACT => {
            numerator as f64 / denominator as f64
        }
        _ => value.to_f64().unwrap_or(f64::NAN),
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;
    use num_traits::ToPrimitive;

    use super::{Ratio, decimal, decimals, digits, display_ratio, ratio_to_float, with_point};

    /// Numbers by a linear congruence.
    struct Draw(u64);

    impl Draw {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % bound
        }
    }

    fn ten_to_the(power: u64) -> BigInt {
        BigInt::from(10).pow(power as u32)
    }

    #[test]
    fn short_and_long_decimals_are_read_alike() {
        let mut draw = Draw(1);
        for _ in 0..500 {
            let count = 1 + draw.below(24);
            let written: String = (0..count).map(|_| char::from(b'0' + draw.below(10) as u8)).collect();
            let exponent = draw.below(60) as i64 - 30;
            let value: BigInt = written.parse().unwrap();
            let power = ten_to_the(exponent.unsigned_abs());
            let expected =
                if exponent < 0 { Ratio::new(value, power) } else { Ratio::from_integer(value * power) };
            let read = decimal(&format!("{written}e{exponent}")).unwrap();
            // In lowest terms, too: hashes go by numerator and denominator.
            assert_eq!(
                (read.numer(), read.denom()),
                (expected.numer(), expected.denom()),
                "{written}e{exponent}"
            );
        }
    }

    #[test]
    fn a_fraction_has_as_many_decimals_as_make_it_whole() {
        let mut draw = Draw(2);
        for _ in 0..500 {
            let power =
                |draw: &mut Draw, base: u64, most: u64| BigInt::from(base).pow(draw.below(most) as u32);
            let other = [1, 1, 1, 3, 7][draw.below(5) as usize];
            let denominator = power(&mut draw, 2, 70) * power(&mut draw, 5, 30) * other;
            let value = Ratio::new(BigInt::from(draw.below(1 << 30)), denominator);
            let whole = |&many: &u64| (&value * Ratio::from_integer(ten_to_the(many))).is_integer();
            let expected = (0..100).find(whole).map(|many| many as usize);
            assert_eq!(decimals(&value), expected, "{value}");
            let Some(many) = expected else { continue };
            assert_eq!(decimal(&with_point(&digits(&value, many), many)).unwrap(), value);
            let shown = display_ratio(&value);
            match many <= 12 {
                true => assert_eq!(decimal(&shown).unwrap(), value),
                false => assert_eq!(shown, value.to_string()),
            }
        }
        assert_eq!(display_ratio(&super::ratio(-1, 8)), "-0.125");
        assert_eq!(display_ratio(&super::ratio(-20, 1)), "-20");
    }

    #[test]
    fn the_float_of_a_fraction_is_the_nearest() {
        let mut draw = Draw(3);
        for _ in 0..500 {
            let part = |draw: &mut Draw| (draw.below(1 << 31) << draw.below(33)) | draw.below(1 << 31);
            let (numerator, denominator) = (part(&mut draw), part(&mut draw) + 1);
            let value = Ratio::new(BigInt::from(numerator), BigInt::from(denominator));
            assert_eq!(Some(ratio_to_float(&value)), value.to_f64(), "{value}");
        }
    }
}
