//! What all parts of the reader share: findings with their places, and values of TOML as quantities.

use std::path::Path;
use std::str::FromStr;

use skel_core::diagnostic::{Code, TextSpan};
use skel_toml::{DeValue, Findings, Value, place, whole_number};

use crate::quantity::{Bytes, Time};
use crate::units::{self, BadQuantity, SIZES, TIMES};

/// A text that is read, and what is wrong with it so far.
pub(super) struct Reader<'t> {
    pub(super) text: &'t str,
    /// The folder of the files that the text names, if it is known.
    pub(super) folder: Option<&'t Path>,
    pub(super) found: Findings,
}

impl Reader<'_> {
    /// The end of the text, where something is missing.
    pub(super) fn end(&self) -> TextSpan {
        let end = self.text.trim_end().len();
        TextSpan { start: end, end }
    }

    /// A time, which may have any sign.
    pub(super) fn time(&mut self, value: &Value<'_>, what: &str) -> Option<Time> {
        self.quantity(value, what, TIMES, Time::microseconds, Time::from_str)
    }

    /// A bandwidth in bytes per microsecond.
    pub(super) fn bandwidth(&mut self, value: &Value<'_>, what: &str) -> Option<f64> {
        self.quantity(value, what, units::BANDWIDTHS, |number| number, units::bandwidth)
    }

    /// A plain number.
    pub(super) fn number(&mut self, value: &Value<'_>, what: &str) -> Option<f64> {
        number(value.get_ref()).or_else(|| self.found.wrong_type(value, what, "write a number"))
    }

    pub(super) fn size(&mut self, value: &Value<'_>, what: &str) -> Option<Bytes> {
        // A whole number is read as such: a float has fewer digits.
        if let DeValue::Integer(number) = value.get_ref() {
            let bytes = u64::from_str_radix(number.as_str(), number.radix()).ok().map(Bytes::new);
            if bytes.is_none() {
                let message = format!("{what} is {number}, which is not a size");
                self.found.report(Code::OutOfRange, place(value.span()), message, SIZES);
            }
            return bytes;
        }
        match value.get_ref() {
            DeValue::String(text) => {
                let read = text.parse();
                self.quantity_or_report(value, what, read)
            }
            _ => self.found.wrong_type(value, what, SIZES),
        }
    }

    fn quantity<T>(
        &mut self,
        value: &Value<'_>,
        what: &str,
        help: &'static str,
        of_number: impl Fn(f64) -> T,
        of_text: impl Fn(&str) -> Result<T, BadQuantity>,
    ) -> Option<T> {
        match value.get_ref() {
            DeValue::String(text) => {
                let read = of_text(text);
                self.quantity_or_report(value, what, read)
            }
            other => number(other).map(of_number).or_else(|| self.found.wrong_type(value, what, help)),
        }
    }

    fn quantity_or_report<T>(
        &mut self,
        value: &Value<'_>,
        what: &str,
        read: Result<T, BadQuantity>,
    ) -> Option<T> {
        match read {
            Ok(quantity) => Some(quantity),
            Err(BadQuantity { message, help }) => {
                self.found.report(Code::BadNumber, place(value.span()), format!("{what}: {message}"), help);
                None
            }
        }
    }
}

/// A number, whole or not.
fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Float(number) => number.as_str().parse().ok(),
        other => whole_number(other).map(|whole| whole as f64),
    }
}

/// `1 name`, `2 names`
pub(super) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
