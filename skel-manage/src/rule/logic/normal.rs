//! The disjunctive normal form of a condition: alternatives, of which each is a list of comparisons that hold
//! together.

use std::collections::BTreeSet;
use std::fmt;

use crate::rule::condition::{Comparison, Quantity, Test};
use crate::rule::measure::Measure;

/// What has to hold in an alternative.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::rule) enum Literal {
    Compare(Quantity, Comparison, Quantity),
    /// A measure that is yes or no, and which of them it is.
    Is(Measure, bool),
}

/// The most alternatives, and the most literals of one.
const MOST: usize = 128;

/// The alternatives in which the condition has this answer; none beyond the bounds.
///
/// Literals that are not certain may be unknown as well. So they say nothing, and are left out.
pub(super) fn alternatives(
    test: &Test,
    answer: bool,
    is_certain: &dyn Fn(&Literal) -> bool,
) -> Option<Vec<Vec<Literal>>> {
    let literal = |literal: Literal| Some(vec![Vec::from_iter(is_certain(&literal).then_some(literal))]);
    match test {
        Test::Not(test) => alternatives(test, !answer, is_certain),
        Test::Any(tests) if answer => either(tests, answer, is_certain),
        Test::All(tests) if !answer => either(tests, answer, is_certain),
        Test::Any(tests) | Test::All(tests) => together(tests, answer, is_certain),
        Test::Compare(left, comparison, right) => {
            let comparison = if answer { *comparison } else { comparison.opposite() };
            literal(Literal::Compare(left.clone(), comparison, right.clone()))
        }
        Test::Is(measure) => literal(Literal::Is(*measure, answer)),
    }
}

fn either(tests: &[Test], answer: bool, is_certain: &dyn Fn(&Literal) -> bool) -> Option<Vec<Vec<Literal>>> {
    let mut all = Vec::new();
    for test in tests {
        all.extend(alternatives(test, answer, is_certain)?);
        if all.len() > MOST {
            return None;
        }
    }
    Some(all)
}

fn together(
    tests: &[Test],
    answer: bool,
    is_certain: &dyn Fn(&Literal) -> bool,
) -> Option<Vec<Vec<Literal>>> {
    let mut all = vec![Vec::new()];
    for test in tests {
        let further = alternatives(test, answer, is_certain)?;
        if all.len() * further.len() > MOST {
            return None;
        }
        let joined = |first: &Vec<Literal>| -> Vec<Vec<Literal>> {
            further.iter().map(|second| first.iter().chain(second).cloned().collect()).collect()
        };
        all = all.iter().flat_map(joined).collect();
        if all.iter().any(|literals: &Vec<Literal>| literals.len() > MOST) {
            return None;
        }
    }
    Some(all)
}

impl Literal {
    /// The measures that it depends on.
    pub(in crate::rule) fn measures(&self) -> BTreeSet<Measure> {
        match self {
            Literal::Is(measure, _) => BTreeSet::from([*measure]),
            Literal::Compare(left, _, right) => {
                let mut measures = BTreeSet::new();
                collect(left, &mut measures);
                collect(right, &mut measures);
                measures
            }
        }
    }

    /// Whether it is true or false, and not unknown, wherever these measures are known. A sum of infinite
    /// quantities and a division by zero may not be.
    pub(super) fn is_certain(&self, known: &BTreeSet<Measure>) -> bool {
        let is_finite = match self {
            Literal::Is(..) => true,
            Literal::Compare(left, _, right) => is_finite(left) && is_finite(right),
        };
        is_finite
            && self.measures().iter().all(|measure| measure.is_always_known() || known.contains(measure))
    }
}

fn collect(quantity: &Quantity, measures: &mut BTreeSet<Measure>) {
    match quantity {
        Quantity::Number { .. } => {}
        Quantity::Measure(measure) => drop(measures.insert(*measure)),
        Quantity::Sum(parts) | Quantity::Product(parts) => {
            parts.iter().for_each(|(_, part)| collect(part, measures));
        }
        Quantity::Largest(parts) | Quantity::Smallest(parts) => {
            parts.iter().for_each(|part| collect(part, measures));
        }
    }
}

/// Whether nothing in it is infinite, and it divides by nothing that may be 0.
fn is_finite(quantity: &Quantity) -> bool {
    match quantity {
        Quantity::Number { .. } => true,
        Quantity::Measure(measure) => !measure.may_be_infinite(),
        Quantity::Sum(parts) => parts.iter().all(|(_, part)| is_finite(part)),
        Quantity::Product(parts) => parts.iter().all(|(divides, part)| match (divides, part) {
            (true, Quantity::Measure(measure)) => !measure.may_be_zero() && is_finite(part),
            // That it is not zero was checked with the units.
            (true, Quantity::Number { .. }) => true,
            (true, _) => false,
            (false, part) => is_finite(part),
        }),
        Quantity::Largest(parts) | Quantity::Smallest(parts) => parts.iter().all(is_finite),
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Compare(left, comparison, right) => write!(f, "{left} {comparison} {right}"),
            Literal::Is(measure, true) => f.write_str(measure.word()),
            Literal::Is(measure, false) => write!(f, "not {}", measure.word()),
        }
    }
}
