//! What all parts of the reader share: findings with their places, and values of TOML as quantities.

use std::fmt::Display;
use std::ops::Range;
use std::path::Path;
use std::str::FromStr;

use skel_core::diagnostic::{Code, Diagnostic, TextSpan, did_you_mean};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::quantity::{Bytes, Time};
use crate::units::{self, BadQuantity, SIZES, TIMES};

/// A value with its place.
pub(super) type Value<'i> = Spanned<DeValue<'i>>;

/// A text that is read, and what is wrong with it so far.
pub(super) struct Reader<'t> {
    pub(super) text: &'t str,
    /// The folder of the files that the text names, if it is known.
    pub(super) folder: Option<&'t Path>,
    pub(super) found: Vec<Diagnostic<TextSpan>>,
}

pub(super) fn place(range: Range<usize>) -> TextSpan {
    TextSpan { start: range.start, end: range.end }
}

impl Reader<'_> {
    pub(super) fn report(
        &mut self,
        code: Code,
        at: TextSpan,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.found.push(Diagnostic::new(code, at, message).help(help));
    }

    /// The end of the text, where something is missing.
    pub(super) fn end(&self) -> TextSpan {
        let end = self.text.trim_end().len();
        TextSpan { start: end, end }
    }

    /// Reports keys that a table does not have.
    pub(super) fn known_keys(&mut self, table: &DeTable<'_>, known: &[&str], of: &str) {
        self.known_keys_besides(table, known, &[], of);
    }

    /// The same but for keys of which something else is said.
    pub(super) fn known_keys_besides(
        &mut self,
        table: &DeTable<'_>,
        known: &[&str],
        besides: &[&str],
        of: &str,
    ) {
        let is_unknown = |name: &str| !known.contains(&name) && !besides.contains(&name);
        for (key, _) in table.iter().filter(|(key, _)| is_unknown(key.get_ref())) {
            let name = key.get_ref();
            let help = match did_you_mean(name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("its keys are {}", known.join(", ")),
            };
            self.report(Code::UnknownEntry, place(key.span()), format!("{of} has no key `{name}`"), help);
        }
    }

    /// The entries of a list.
    pub(super) fn list<'v, 'i>(
        &mut self,
        value: &'v Value<'i>,
        what: &str,
        help: &str,
    ) -> Option<&'v [Value<'i>]> {
        match value.get_ref() {
            DeValue::Array(entries) => Some(entries),
            other => {
                self.wrong_type(value, what, type_of(other), help);
                None
            }
        }
    }

    /// The tables of a list, `[[name]]`.
    pub(super) fn tables<'v, 'i>(
        &mut self,
        value: &'v Value<'i>,
        name: &str,
    ) -> Vec<(TextSpan, &'v DeTable<'i>)> {
        let help = format!("begin each with a line `[[{name}]]`");
        let entries = self.list(value, &format!("`{name}`"), &help).unwrap_or_default();
        let mut tables = Vec::new();
        for entry in entries {
            match entry.get_ref() {
                DeValue::Table(table) => tables.push((place(entry.span()), table)),
                other => self.wrong_type(entry, &format!("an entry of `{name}`"), type_of(other), &help),
            }
        }
        tables
    }

    pub(super) fn string<'v>(&mut self, value: &'v Value<'_>, what: &str, help: &str) -> Option<&'v str> {
        match value.get_ref() {
            DeValue::String(text) => Some(text),
            other => {
                self.wrong_type(value, what, type_of(other), help);
                None
            }
        }
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
        let read = number(value.get_ref());
        if read.is_none() {
            self.wrong_type(value, what, type_of(value.get_ref()), "write a number");
        }
        read
    }

    pub(super) fn size(&mut self, value: &Value<'_>, what: &str) -> Option<Bytes> {
        // A whole number is read as such: a float has fewer digits.
        if let DeValue::Integer(number) = value.get_ref() {
            let bytes = u64::from_str_radix(number.as_str(), number.radix()).ok().map(Bytes::new);
            if bytes.is_none() {
                let message = format!("{what} is {number}, which is not a size");
                self.report(Code::OutOfRange, place(value.span()), message, SIZES);
            }
            return bytes;
        }
        match value.get_ref() {
            DeValue::String(text) => {
                let read = text.parse();
                self.quantity_or_report(value, what, read)
            }
            other => {
                self.wrong_type(value, what, type_of(other), SIZES);
                None
            }
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
            other => {
                let read = number(other).map(of_number);
                if read.is_none() {
                    self.wrong_type(value, what, type_of(other), help);
                }
                read
            }
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
                self.report(Code::BadNumber, place(value.span()), format!("{what}: {message}"), help);
                None
            }
        }
    }

    pub(super) fn wrong_type(&mut self, value: &Value<'_>, what: &str, is: impl Display, help: &str) {
        self.report(Code::Syntax, place(value.span()), format!("{what} is {is}"), help);
    }
}

/// A number, whole or not.
fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(number) => {
            i128::from_str_radix(number.as_str(), number.radix()).ok().map(|whole| whole as f64)
        }
        DeValue::Float(number) => number.as_str().parse().ok(),
        _ => None,
    }
}

/// `1 name`, `2 names`
pub(super) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// What a value of TOML is, in words.
pub(super) fn type_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
