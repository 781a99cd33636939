//! Entries of TOML tables as the values that they should be, with a finding for each that is not.

use std::ops::Range;

use skel_core::diagnostic::{Code, Diagnostic, TextSpan, did_you_mean};
use skel_core::number::{NumberError, Ratio, display_ratio};
use skel_core::rate::{Rate, RateProblem};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and its place.
#[derive(Clone, Debug)]
pub(super) struct Located<T> {
    pub(super) value: T,
    pub(super) at: TextSpan,
}

/// What was found so far.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) list: Vec<Diagnostic<TextSpan>>,
}

impl Findings {
    pub(super) fn report(
        &mut self,
        code: Code,
        at: TextSpan,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.list.push(Diagnostic::new(code, at, message).help(help));
    }

    pub(super) fn has_errors(&self) -> bool {
        self.list.iter().any(Diagnostic::is_error)
    }
}

/// A table whose entries are asked for one by one.
pub(super) struct Entries<'t> {
    table: &'t DeTable<'t>,
    pub(super) at: TextSpan,
}

impl<'t> Entries<'t> {
    /// A table; entries with other names than these are reported.
    pub(super) fn of(
        table: &'t DeTable<'t>,
        at: TextSpan,
        owner: &str,
        names: &[&str],
        found: &mut Findings,
    ) -> Entries<'t> {
        for key in table.keys() {
            let name: &str = key.get_ref();
            if names.contains(&name) {
                continue;
            }
            let help = match did_you_mean(name, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("its entries are {}", quoted(names)),
            };
            let message = format!("{owner} has no entry `{}`", shorten(name));
            found.report(Code::UnknownEntry, place(key.span()), message, help);
        }
        Entries { table, at }
    }

    pub(super) fn value(&self, name: &str) -> Option<&'t Spanned<DeValue<'t>>> {
        self.table.iter().find(|(key, _)| key.get_ref() == name).map(|(_, value)| value)
    }

    /// The tables of `[[name]]`.
    pub(super) fn tables(&self, name: &str, found: &mut Findings) -> Vec<(&'t DeTable<'t>, TextSpan)> {
        let Some(value) = self.value(name) else { return Vec::new() };
        let wrong = |at: TextSpan, value: &DeValue<'_>, found: &mut Findings| {
            let message = format!("`{name}` is {}, not a table", kind(value));
            found.report(Code::Syntax, at, message, format!("write `[[{name}]]` before the entries of each"));
        };
        let Some(array) = value.get_ref().as_array() else {
            wrong(place(value.span()), value.get_ref(), found);
            return Vec::new();
        };
        let mut tables = Vec::new();
        for value in array.iter() {
            match value.get_ref().as_table() {
                Some(table) => tables.push((table, place(value.span()))),
                None => wrong(place(value.span()), value.get_ref(), found),
            }
        }
        tables
    }

    /// A name: a text that is not empty.
    pub(super) fn name(&self, name: &str, found: &mut Findings) -> Option<Located<String>> {
        let value = self.value(name)?;
        let at = place(value.span());
        match value.get_ref().as_str() {
            Some(text) if !text.trim().is_empty() => Some(Located { value: text.to_owned(), at }),
            Some(_) => {
                let help = "write a name, or leave the entry out";
                found.report(Code::Syntax, at, format!("the {name} is empty"), help);
                None
            }
            None => {
                let message = format!("the {name} is {}", kind(value.get_ref()));
                found.report(Code::Syntax, at, message, "write a name in quotation marks");
                None
            }
        }
    }

    /// A whole number from 1 to a greatest one.
    pub(super) fn count(
        &self,
        name: &str,
        subject: &str,
        most: u64,
        found: &mut Findings,
    ) -> Option<Located<u64>> {
        let value = self.value(name)?;
        let at = place(value.span());
        let number = match value.get_ref() {
            DeValue::Integer(number) => i128::from_str_radix(number.as_str(), number.radix()).ok(),
            other => {
                let message = format!("{subject} is {}, not a whole number", kind(other));
                found.report(Code::Syntax, at, message, format!("write it as `{name} = 4`"));
                return None;
            }
        };
        match number.and_then(|number| u64::try_from(number).ok()) {
            Some(number) if (1..=most).contains(&number) => Some(Located { value: number, at }),
            _ => {
                let written =
                    number.map_or_else(|| "beyond all bounds".to_owned(), |number| number.to_string());
                let help = match most {
                    u64::MAX => "it is at least 1 and has at most 64 bits".to_owned(),
                    most => format!("it is from 1 to {most}"),
                };
                found.report(Code::OutOfRange, at, format!("{subject} is {written}"), help);
                None
            }
        }
    }

    /// A number above 0.
    pub(super) fn positive(&self, name: &str, subject: &str, found: &mut Findings) -> Option<Located<Ratio>> {
        let number = self.number(name, subject, found)?;
        bounded(number, subject, false, found)
    }

    /// A number that may be 0.
    pub(super) fn not_negative(
        &self,
        name: &str,
        subject: &str,
        found: &mut Findings,
    ) -> Option<Located<Ratio>> {
        let number = self.number(name, subject, found)?;
        bounded(number, subject, true, found)
    }

    fn number(&self, name: &str, subject: &str, found: &mut Findings) -> Option<Located<Rate>> {
        let value = self.value(name)?;
        let at = place(value.span());
        match read(value.get_ref()) {
            Some(Ok(number)) => Some(Located { value: number, at }),
            Some(Err(why)) => {
                let message = format!("{subject} cannot be read: {why}");
                found.report(
                    Code::BadNumber,
                    at,
                    message,
                    "write a decimal, `0.25`, or a fraction in quotation marks, `\"1/3\"`",
                );
                None
            }
            None => {
                let message = format!("{subject} is {}, not a number", kind(value.get_ref()));
                found.report(Code::Syntax, at, message, format!("write it as `{name} = 0.5`"));
                None
            }
        }
    }
}

/// The exact number of a value, if it is of a type that has one.
fn read(value: &DeValue<'_>) -> Option<Result<Rate, NumberError>> {
    match value {
        DeValue::Integer(number) if number.radix() != 10 => {
            let number = i64::from_str_radix(number.as_str(), number.radix());
            Some(Ok(number.map_or_else(|_| Rate::from(f64::INFINITY), Rate::from)))
        }
        DeValue::Integer(number) => Some(Rate::parse(number.as_str().trim_start_matches('+'))),
        DeValue::Float(number) => {
            let digits = number.as_str().trim_start_matches('+');
            match digits.trim_start_matches('-') {
                "inf" | "nan" => Some(Ok(Rate::from(digits.parse::<f64>().unwrap_or(f64::NAN)))),
                _ => Some(Rate::parse(digits)),
            }
        }
        DeValue::String(text) => Some(Rate::parse(text)),
        _ => None,
    }
}

fn bounded(
    number: Located<Rate>,
    subject: &str,
    may_be_zero: bool,
    found: &mut Findings,
) -> Option<Located<Ratio>> {
    let Located { value, at } = number;
    let problem = match value.to_positive() {
        Ok(value) => return Some(Located { value, at }),
        Err(RateProblem::NotPositive(value)) if may_be_zero && value == Ratio::default() => {
            return Some(Located { value, at });
        }
        Err(RateProblem::NotPositive(value)) => format!("is {}", display_ratio(&value)),
        Err(RateProblem::NotANumber(text)) if text.ends_with("inf") => "is infinite".to_owned(),
        Err(RateProblem::NotANumber(_)) => "is not a number".to_owned(),
        Err(other) => other.to_string(),
    };
    let help =
        if may_be_zero { "it must be 0 or above, and finite" } else { "it must be above 0 and finite" };
    found.report(Code::QuantityNotPositive, at, format!("{subject} {problem}"), help);
    None
}

/// What a value is, in words.
pub(super) fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a number",
        DeValue::Float(_) => "a decimal number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

pub(super) fn place(range: Range<usize>) -> TextSpan {
    TextSpan { start: range.start, end: range.end }
}

/// A text that is shown, cut where it is long.
pub(super) fn shorten(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
