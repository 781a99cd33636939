//! Numbers of answers: one shape for floats and for fractions, in tables and in JSON.

use comfy_table::Table;
use serde_json::{Map, Value, json};
use skel::number::Number;

use crate::report::table::{decimal, lines, printable, table};

/// One number of an answer.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    /// As a float.
    pub(crate) value: f64,
    /// As a fraction, where it is exact.
    pub(crate) exact: Option<String>,
}

impl Figure {
    /// A number that was solved for.
    pub(crate) fn of<N: Number>(number: &N) -> Figure {
        Figure { value: number.to_float(), exact: number.to_exact().map(|ratio| ratio.to_string()) }
    }

    /// `{ "value": ..., "exact": ... }`
    pub(crate) fn to_json(&self) -> Value {
        json!({ "value": self.value, "exact": self.exact })
    }
}

/// Numbers by name, in the order in which they are shown.
pub(crate) type Figures = Vec<(String, Figure)>;

/// One object for all.
pub(crate) fn by_name(figures: &Figures) -> Value {
    Value::Object(figures.iter().map(|(name, one)| (name.clone(), one.to_json())).collect())
}

/// A count that may be beyond the whole numbers of JSON: rounded there, and `null` where it is not known.
pub(crate) fn count(number: Option<u128>) -> Value {
    number.map_or(Value::Null, |number| u64::try_from(number).map_or(json!(number as f64), Value::from))
}

/// The entries of a `json!` object.
pub(crate) fn entries(object: Value) -> Map<String, Value> {
    if let Value::Object(entries) = object { entries } else { Map::new() }
}

/// A table of two columns, or three with the fractions; nothing for no figures.
pub(crate) fn list(noun: &str, measure: &str, figures: &Figures) -> Option<String> {
    let has_exact = figures.first()?.1.exact.is_some();
    let mut table = table(&headings(&[noun, measure], has_exact), &[1]);
    let decimals = aligned(figures.iter().map(|(_, figure)| figure));
    for ((name, figure), decimal) in figures.iter().zip(decimals) {
        add_row(&mut table, vec![printable(name), decimal], figure);
    }
    Some(lines(&table))
}

/// The fraction comes last, since it may be long.
pub(crate) fn headings<'h>(headings: &[&'h str], has_exact: bool) -> Vec<&'h str> {
    headings.iter().copied().chain(has_exact.then_some("exact")).collect()
}

/// The numbers of a column, with the decimal points below one another.
pub(crate) fn aligned<'f>(figures: impl Iterator<Item = &'f Figure>) -> Vec<String> {
    let mut numbers: Vec<String> = figures.map(|figure| decimal(figure.value)).collect();
    let after_point = |number: &str| number.find('.').map_or(0, |point| number.len() - point);
    let most = numbers.iter().map(|number| after_point(number)).max().unwrap_or_default();
    for number in &mut numbers {
        let missing = most - after_point(number);
        number.extend(std::iter::repeat_n(' ', missing));
    }
    numbers
}

/// Adds a row that ends with the figure's fraction, if it has one.
pub(crate) fn add_row(table: &mut Table, mut cells: Vec<String>, figure: &Figure) {
    cells.extend(figure.exact.clone());
    table.add_row(cells);
}
