//! What all checks share: reports, counts, lists and positive values.

use std::collections::BTreeMap;

use skel_core::diagnostic::{Code, Diagnostic, TextSpan};
use skel_core::number::{Ratio, display_ratio};
use skel_core::rate::{Rate, RateProblem};

use super::words::{Noun, listed};
use crate::description::written::{Form, Located, Written};

/// The help for a value that is no quantity.
const FINITE: &str = "it must be above 0 and finite";

/// What is counted: its key, its noun and its largest number.
#[derive(Clone, Copy)]
pub(super) struct Counted {
    pub(super) key: &'static str,
    pub(super) noun: Noun,
    pub(super) most: usize,
}

pub(super) struct Checker<'w, 'f> {
    pub(super) written: &'w Written,
    pub(super) found: &'f mut Vec<Diagnostic<TextSpan>>,
}

impl Checker<'_, '_> {
    pub(super) fn report(&mut self, code: Code, at: TextSpan, message: String, help: impl Into<String>) {
        self.found.push(Diagnostic::new(code, at, message).help(help));
    }

    pub(super) fn missing(&mut self, what: &str, at: TextSpan, help: String) {
        if !self.written.is_partial {
            self.report(Code::MissingEntry, at, format!("the description has no {what}"), help);
        }
    }

    /// A count that is within its bounds.
    pub(super) fn count(&mut self, located: Option<&Located<u64>>, of: Counted) -> Option<u64> {
        let written = self.written;
        let Some(located) = located else {
            match written.form {
                Form::Des => {
                    let help = format!("write how many {} there are: `{} = 3;`, say", of.noun.many, of.key);
                    self.missing(&format!("`{}`", of.key), written.end, help);
                }
                Form::Toml => {
                    let help = format!("write `[[{}]]` for each", of.noun.one);
                    self.missing(of.noun.one, written.end, help);
                }
            }
            return None;
        };
        if located.value == 0 || located.value > of.most as u64 {
            let message = of.noun.there_are(located.value);
            self.report(Code::OutOfRange, located.at, message, format!("there may be from 1 to {}", of.most));
            return None;
        }
        Some(located.value)
    }

    /// Reports the entries of a list that are missing, too many or not positive.
    pub(super) fn list(
        &mut self,
        list: &BTreeMap<u64, Located<Rate>>,
        entries: Option<u64>,
        count: Option<u64>,
        of: Noun,
        at: TextSpan,
        name: &dyn Fn(u64) -> String,
    ) {
        for (number, located) in list {
            self.positive(located, &name(*number));
            if let (Some(entries), Some(count)) = (entries, count)
                && !(1..=entries).contains(number)
            {
                let message = format!("there is no {} {number} for {}", of.one, name(*number));
                self.report(Code::OutOfRange, located.key, message, of.there_are(count));
            }
        }
        let missing: Vec<String> =
            (1..=entries.unwrap_or(0)).filter(|number| !list.contains_key(number)).map(name).collect();
        if !missing.is_empty() && !self.written.is_partial {
            let (names, verb) = (listed(&missing), if missing.len() == 1 { "is" } else { "are" });
            let has_output = entries > count && missing.last() == entries.map(name).as_ref();
            let output = if has_output { ", and the last value is that of the output" } else { "" };
            let help = format!("{}: give each its value{output}", of.there_are(count.unwrap_or(0)));
            self.report(Code::MissingEntry, at, format!("{names} {verb} missing"), help);
        }
    }

    /// The value, if it is positive and finite.
    pub(super) fn positive(&mut self, located: &Located<Rate>, subject: &str) -> Option<Ratio> {
        let (problem, help) = match located.value.to_positive() {
            Ok(value) => return Some(value),
            Err(RateProblem::NotPositive(value)) => (format!("is {}", display_ratio(&value)), FINITE),
            Err(RateProblem::TooManyDigits) => (RateProblem::TooManyDigits.to_string(), "write fewer digits"),
            Err(other) => (other.to_string(), FINITE),
        };
        self.report(Code::QuantityNotPositive, located.at, format!("{subject} {problem}"), help);
        None
    }
}
