//! Conditions whose units fit, and what they say of facts.
//!
//! There are three answers, as in S. C. Kleene's logic: a comparison with a quantity that is not a number is
//! neither true nor false, and neither is its negation. A rule fires where its condition is true.

use skel_core::number::{Number, Ratio};

use super::expression::Comparison;
use crate::rule::measure::{Facts, Measure};

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::rule) enum Test {
    Any(Vec<Test>),
    All(Vec<Test>),
    Not(Box<Test>),
    Compare(Quantity, Comparison, Quantity),
    Is(Measure),
}

/// A quantity.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::rule) enum Quantity {
    /// A number, in seconds if it is a time.
    Number {
        value: Ratio,
        is_time: bool,
    },
    Measure(Measure),
    /// The terms, and whether each is taken away.
    Sum(Vec<(bool, Quantity)>),
    /// The factors, and whether each divides.
    Product(Vec<(bool, Quantity)>),
    Largest(Vec<Quantity>),
    Smallest(Vec<Quantity>),
}

impl Test {
    /// Whether it is true of facts; none if they do not say.
    pub(super) fn holds(&self, facts: &dyn Facts) -> Option<bool> {
        match self {
            Test::Any(tests) => decided(tests, facts, true),
            Test::All(tests) => decided(tests, facts, false),
            Test::Not(test) => Some(!test.holds(facts)?),
            Test::Compare(left, comparison, right) => {
                let (left, right) = (left.value(facts), right.value(facts));
                let is_known = !left.is_nan() && !right.is_nan();
                is_known.then(|| comparison.holds(&left, &right))
            }
            Test::Is(measure) => {
                let value = facts.value(*measure);
                (!value.is_nan()).then_some(value != 0.0)
            }
        }
    }
}

/// This answer if one of the tests gives it, the other if all of them give the other, and none otherwise.
fn decided(tests: &[Test], facts: &dyn Facts, answer: bool) -> Option<bool> {
    let mut all = Some(!answer);
    for test in tests {
        match test.holds(facts) {
            Some(found) if found == answer => return Some(answer),
            Some(_) => {}
            None => all = None,
        }
    }
    all
}

impl Quantity {
    /// Its value by facts; NaN if it depends on one that is.
    fn value(&self, facts: &dyn Facts) -> f64 {
        let values =
            |parts: &[Quantity]| -> Vec<f64> { parts.iter().map(|part| part.value(facts)).collect() };
        match self {
            Quantity::Number { value, .. } => value.to_float(),
            Quantity::Measure(measure) => facts.value(*measure),
            Quantity::Sum(terms) => terms.iter().fold(0.0, |sum, (is_taken_away, term)| {
                if *is_taken_away { sum - term.value(facts) } else { sum + term.value(facts) }
            }),
            Quantity::Product(factors) => factors.iter().fold(1.0, |product, (divides, factor)| {
                if *divides { product / factor.value(facts) } else { product * factor.value(facts) }
            }),
            Quantity::Largest(parts) => extreme(&values(parts), f64::max),
            Quantity::Smallest(parts) => extreme(&values(parts), f64::min),
        }
    }
}

/// NaN if one of the values is. The functions of the standard library would leave it out.
fn extreme(values: &[f64], choose: fn(f64, f64) -> f64) -> f64 {
    let chosen = values.iter().copied().reduce(choose);
    if values.iter().any(|value| value.is_nan()) { f64::NAN } else { chosen.unwrap_or(f64::NAN) }
}
