//! Entries of TOML tables as the values that they should be, with a finding for each that is not.

use skel_core::diagnostic::{Code, TextSpan};
use skel_core::number::{Ratio, display_ratio};
use skel_core::rate::{Rate, RateProblem};
use skel_toml::{DeTable, Findings, Located, Value, place};

/// A table whose entries are asked for one by one.
pub(super) struct Entries<'v, 't> {
    table: &'v DeTable<'t>,
    pub(super) at: TextSpan,
}

impl<'v, 't> Entries<'v, 't> {
    /// A table; entries with other names than these are reported.
    pub(super) fn of(
        table: &'v DeTable<'t>,
        at: TextSpan,
        owner: &str,
        names: &[&str],
        found: &mut Findings,
    ) -> Self {
        found.known_keys(table, names, owner);
        Entries { table, at }
    }

    pub(super) fn value(&self, name: &str) -> Option<&'v Value<'t>> {
        self.table.get(name)
    }

    /// The tables of `[[name]]`.
    pub(super) fn tables(&self, name: &str, found: &mut Findings) -> Vec<(TextSpan, &'v DeTable<'t>)> {
        self.value(name).map(|value| found.tables(value, name)).unwrap_or_default()
    }

    /// A name: a text that is not empty.
    pub(super) fn name(&self, name: &str, found: &mut Findings) -> Option<Located<String>> {
        let value = self.value(name)?;
        let at = place(value.span());
        let text = found.text(value, &format!("the {name}"), "write a name in quotation marks")?;
        if text.trim().is_empty() {
            let help = "write a name, or leave the entry out";
            found.report(Code::Syntax, at, format!("the {name} is empty"), help);
            return None;
        }
        Some(Located { value: text.to_owned(), at })
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
        let count = found.whole(value, subject, 1..=most, &format!("write it as `{name} = 4`"))?;
        Some(Located { value: count, at: place(value.span()) })
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
        let number = found.number(value, subject, &format!("write it as `{name} = 0.5`"))?;
        Some(Located { value: number, at: place(value.span()) })
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
