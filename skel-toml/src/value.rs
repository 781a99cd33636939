//! Values and their places.

use std::ops::Range;

use skel_core::diagnostic::TextSpan;
use toml::Spanned;
use toml::de::DeValue;

/// A value as it is written, with its place.
pub type Value<'t> = Spanned<DeValue<'t>>;

/// A value that was read, and its place.
#[derive(Clone, Debug)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Where it is written.
    pub at: TextSpan,
}

/// The place of a value, from that of the TOML reader.
///
/// # Examples
/// ```
/// assert_eq!(skel_toml::place(3..7).end, 7);
/// ```
#[must_use]
pub fn place(range: Range<usize>) -> TextSpan {
    TextSpan { start: range.start, end: range.end }
}

/// What a value is, in words.
///
/// # Examples
/// ```
/// let file = skel_toml::DeTable::parse("seconds = 0.5").unwrap();
/// assert_eq!(skel_toml::kind(file.get_ref()["seconds"].get_ref()), "a number with a point");
/// ```
#[must_use]
pub fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a point",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// A whole number, in whichever base it is written, if the value is one and has at most 128 bits.
///
/// # Examples
/// ```
/// let file = skel_toml::DeTable::parse("bytes = 0x10").unwrap();
/// assert_eq!(skel_toml::whole_number(file.get_ref()["bytes"].get_ref()), Some(16));
/// ```
#[must_use]
pub fn whole_number(value: &DeValue<'_>) -> Option<i128> {
    match value {
        DeValue::Integer(number) => i128::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    }
}
