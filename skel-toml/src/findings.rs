//! What is wrong with a file, and the values that are not.

use std::fmt::Display;
use std::ops::RangeInclusive;

use skel_core::diagnostic::{Code, Diagnostic, TextSpan, did_you_mean};
use skel_core::rate::Rate;
use toml::de::{DeTable, DeValue, Error};

use crate::number::number;
use crate::value::{Value, kind, place, whole_number};

/// What was found so far in a file that is read.
///
/// The functions that read a value return nothing if the value is not what it should be. What is wrong is a
/// finding then, at the place of the value. In a message a value is named by `what`, as in "the number of
/// items".
#[derive(Clone, Debug, Default)]
pub struct Findings {
    list: Vec<Diagnostic<TextSpan>>,
}

impl Findings {
    /// The table of a whole text. Errors of the syntax are findings, at most one of each line, since others
    /// mostly follow from it; what could be read beside them is in the table.
    pub fn file<'t>(&mut self, text: &'t str) -> DeTable<'t> {
        let (file, errors) = DeTable::parse_recoverable(text);
        let end = text.trim_end().len();
        let place_of = |error: &Error| error.span().map_or(TextSpan { start: end, end }, place);
        let mut errors: Vec<(TextSpan, &str)> =
            errors.iter().map(|error| (place_of(error), error.message())).collect();
        errors.sort_by_key(|(at, _)| at.start);
        let is_in_line_of =
            |later: TextSpan, earlier: TextSpan| !text[earlier.start..later.start].contains('\n');
        errors.dedup_by(|later, earlier| is_in_line_of(later.0, earlier.0));
        for (at, message) in errors {
            self.push(Diagnostic::new(Code::Syntax, at, message));
        }
        file.into_inner()
    }

    /// Adds a finding.
    pub fn report(&mut self, code: Code, at: TextSpan, message: impl Into<String>, help: impl Into<String>) {
        self.push(Diagnostic::new(code, at, message).help(help));
    }

    /// Adds a finding that is more than a message and a help.
    pub fn push(&mut self, finding: Diagnostic<TextSpan>) {
        self.list.push(finding);
    }

    /// Adds several findings.
    pub fn extend(&mut self, findings: impl IntoIterator<Item = Diagnostic<TextSpan>>) {
        self.list.extend(findings);
    }

    /// How many findings there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Whether one of them is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(Diagnostic::is_error)
    }

    /// All findings, in the order of the text.
    #[must_use]
    pub fn in_order(mut self) -> Vec<Diagnostic<TextSpan>> {
        self.list.sort_by_key(|finding| (finding.span.start, finding.span.end));
        self.list
    }

    /// Reports the keys of a table that are not known.
    pub fn known_keys(&mut self, table: &DeTable<'_>, known: &[&str], of: &str) {
        self.known_keys_besides(table, known, &[], of);
    }

    /// As [`known_keys`](Self::known_keys), except for keys of which something else is said.
    pub fn known_keys_besides(&mut self, table: &DeTable<'_>, known: &[&str], besides: &[&str], of: &str) {
        for key in table.keys() {
            let name: &str = key.get_ref();
            if known.contains(&name) || besides.contains(&name) {
                continue;
            }
            let help = match did_you_mean(name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if known.len() == 1 => format!("its only key is {}", known[0]),
                None => format!("its keys are {}", known.join(", ")),
            };
            let message = format!("{of} has no key `{}`", shortened(name));
            self.report(Code::UnknownEntry, place(key.span()), message, help);
        }
    }

    /// The entries of a list.
    pub fn list<'v, 't>(&mut self, value: &'v Value<'t>, what: &str, help: &str) -> Option<&'v [Value<'t>]> {
        match value.get_ref() {
            DeValue::Array(entries) => Some(entries),
            _ => self.wrong_type(value, what, help),
        }
    }

    /// The entries of a table.
    pub fn table<'v, 't>(&mut self, value: &'v Value<'t>, what: &str, help: &str) -> Option<&'v DeTable<'t>> {
        match value.get_ref() {
            DeValue::Table(table) => Some(table),
            _ => self.wrong_type(value, what, help),
        }
    }

    /// The tables of a list, `[[name]]`, with their places.
    pub fn tables<'v, 't>(&mut self, value: &'v Value<'t>, name: &str) -> Vec<(TextSpan, &'v DeTable<'t>)> {
        let help = format!("begin each with a line `[[{name}]]`");
        let entries = self.list(value, &format!("`{name}`"), &help).unwrap_or_default();
        let of_entry = |entry: &'v Value<'t>| {
            let table = self.table(entry, &format!("an entry of `{name}`"), &help)?;
            Some((place(entry.span()), table))
        };
        entries.iter().filter_map(of_entry).collect()
    }

    /// A text.
    pub fn text<'v>(&mut self, value: &'v Value<'_>, what: &str, help: &str) -> Option<&'v str> {
        match value.get_ref() {
            DeValue::String(text) => Some(text),
            _ => self.wrong_type(value, what, help),
        }
    }

    /// A whole number in a range.
    pub fn whole<T>(
        &mut self,
        value: &Value<'_>,
        what: &str,
        range: RangeInclusive<T>,
        help: &str,
    ) -> Option<T>
    where
        T: Copy + Display + PartialOrd + TryFrom<i128>,
    {
        let DeValue::Integer(written) = value.get_ref() else {
            let message = format!("{what} is {}, not a whole number", kind(value.get_ref()));
            self.report(Code::Syntax, place(value.span()), message, help);
            return None;
        };
        let number = whole_number(value.get_ref()).and_then(|number| T::try_from(number).ok());
        let number = number.filter(|number| range.contains(number));
        if number.is_none() {
            let message = format!("{what} is {}", shortened(&written.to_string()));
            let help = format!("it is from {} to {}", range.start(), range.end());
            self.report(Code::OutOfRange, place(value.span()), message, help);
        }
        number
    }

    /// An exact number: see [`number`](crate::number). The help is for a value of another type.
    pub fn number(&mut self, value: &Value<'_>, what: &str, help: &str) -> Option<Rate> {
        let at = place(value.span());
        match number(value.get_ref()) {
            Some(Ok(number)) => return Some(number),
            Some(Err(why)) => {
                let help = "write a decimal, `0.25`, or a fraction in quotation marks, `\"1/3\"`";
                self.report(Code::BadNumber, at, format!("{what} cannot be read: {why}"), help);
            }
            None => {
                let message = format!("{what} is {}, not a number", kind(value.get_ref()));
                self.report(Code::Syntax, at, message, help);
            }
        }
        None
    }

    /// Reports that a value has another type than it should have. There is no value then.
    pub fn wrong_type<T>(&mut self, value: &Value<'_>, what: &str, help: &str) -> Option<T> {
        let message = format!("{what} is {}", kind(value.get_ref()));
        self.report(Code::Syntax, place(value.span()), message, help);
        None
    }
}

/// A text as a message shows it: cut after 40 characters.
///
/// # Examples
/// ```
/// assert_eq!(skel_toml::shortened("node-1"), "node-1");
/// ```
#[must_use]
pub fn shortened(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}
