//! Comparisons as linear constraints.
//!
//! A product of measures is an unknown of its own, and so is a quotient; known of it is that it is not
//! negative. A division by a sum is an unknown of which nothing is known. `max` and `min` become cases, one
//! for each argument that may be the extreme one. So the constraints allow everything that the comparisons
//! allow, and possibly more.

use std::collections::BTreeMap;

use num_traits::{One, Zero};
use skel_core::number::Ratio;

use super::normal::Literal;
use crate::rule::condition::{Comparison, Quantity};
use crate::rule::measure::Measure;

/// An unknown: measures and quantities that are not made of measures by products, with their powers.
pub(super) type Unknown = BTreeMap<Factor, i32>;

/// A factor of an unknown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Factor {
    Measure(Measure),
    Opaque(Quantity),
}

/// The sum of unknowns and a constant, which is the term without factors. Terms are not collected yet.
type Terms = Vec<(Unknown, Ratio)>;

/// A sum that is at least 0, or above 0 if it is strict.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Constraint {
    pub(super) terms: BTreeMap<Unknown, Ratio>,
    pub(super) constant: Ratio,
    pub(super) is_strict: bool,
}

/// A case: constraints that hold together.
pub(super) type Case = Vec<Constraint>;

/// The most cases and the most terms of a comparison.
const MOST: usize = 64;

/// The cases in which a comparison holds. Beyond the bounds it is one case that says nothing.
pub(super) fn cases(left: &Quantity, comparison: Comparison, right: &Quantity) -> Vec<Case> {
    try_cases(left, comparison, right).unwrap_or_else(|| vec![Case::new()])
}

fn try_cases(left: &Quantity, comparison: Comparison, right: &Quantity) -> Option<Vec<Case>> {
    let difference = Quantity::Sum(vec![(false, left.clone()), (true, right.clone())]);
    let mut cases = Vec::new();
    for (conditions, terms) in values(&difference)? {
        for signs in signs(comparison) {
            let constraints =
                signs.iter().filter_map(|&(sign, is_strict)| constraint(&terms, sign, is_strict));
            cases.push(conditions.iter().cloned().chain(constraints).collect());
        }
    }
    (cases.len() <= MOST).then_some(cases)
}

/// The constraints on a difference in each case of a comparison: whether its sign is turned round, and
/// whether it is strict.
fn signs(comparison: Comparison) -> Vec<Vec<(bool, bool)>> {
    match comparison {
        Comparison::Greater => vec![vec![(false, true)]],
        Comparison::AtLeast => vec![vec![(false, false)]],
        Comparison::Less => vec![vec![(true, true)]],
        Comparison::AtMost => vec![vec![(true, false)]],
        Comparison::Equal => vec![vec![(false, false), (true, false)]],
        Comparison::Unequal => vec![vec![(false, true)], vec![(true, true)]],
    }
}

/// A constraint on terms. None if two of them may be infinite, since then nothing is known of their
/// difference.
fn constraint(terms: &Terms, is_turned: bool, is_strict: bool) -> Option<Constraint> {
    if terms.iter().filter(|(unknown, _)| may_be_infinite(unknown)).count() > 1 {
        return None;
    }
    let (mut sum, mut constant) = (BTreeMap::new(), Ratio::zero());
    for (unknown, factor) in terms {
        let factor = if is_turned { -factor } else { factor.clone() };
        match unknown.is_empty() {
            true => constant += factor,
            false => *sum.entry(unknown.clone()).or_insert_with(Ratio::zero) += factor,
        }
    }
    sum.retain(|_, factor: &mut Ratio| !factor.is_zero());
    Some(Constraint { terms: sum, constant, is_strict })
}

fn may_be_infinite(unknown: &Unknown) -> bool {
    unknown.iter().any(|(factor, power)| match factor {
        Factor::Measure(measure) => measure.may_be_infinite() || (*power < 0 && measure.may_be_zero()),
        Factor::Opaque(_) => true,
    })
}

/// The values of a quantity, each with the constraints of its case.
fn values(quantity: &Quantity) -> Option<Vec<(Case, Terms)>> {
    match quantity {
        Quantity::Number { value, .. } => Some(vec![(Case::new(), vec![(Unknown::new(), value.clone())])]),
        Quantity::Measure(measure) => {
            Some(vec![(Case::new(), vec![(of(Factor::Measure(*measure)), Ratio::one())])])
        }
        Quantity::Sum(parts) => combined(parts, &[], |sum, terms, is_taken_away| {
            let signed = terms.iter().map(|(unknown, factor)| {
                (unknown.clone(), if is_taken_away { -factor } else { factor.clone() })
            });
            Some(sum.iter().cloned().chain(signed).collect())
        }),
        Quantity::Product(parts) => product(parts),
        Quantity::Largest(parts) => extremes(parts, false),
        Quantity::Smallest(parts) => extremes(parts, true),
    }
}

fn of(factor: Factor) -> Unknown {
    Unknown::from([(factor, 1)])
}

/// The values of parts put together one by one, in all their cases.
fn combined(
    parts: &[(bool, Quantity)],
    start: &[(Unknown, Ratio)],
    join: impl Fn(&Terms, &Terms, bool) -> Option<Terms>,
) -> Option<Vec<(Case, Terms)>> {
    let mut all = vec![(Case::new(), start.to_vec())];
    for (is_inverse, part) in parts {
        let mut next = Vec::new();
        for (conditions, value) in &values(part)? {
            for (before, sum) in &all {
                let terms = join(sum, value, *is_inverse)?;
                next.push((before.iter().chain(conditions).cloned().collect(), terms));
                if next.len() > MOST
                    || next.last().is_some_and(|(_, terms): &(Case, Terms)| terms.len() > MOST)
                {
                    return None;
                }
            }
        }
        all = next;
    }
    Some(all)
}

fn product(parts: &[(bool, Quantity)]) -> Option<Vec<(Case, Terms)>> {
    let one = [(Unknown::new(), Ratio::one())];
    let parts: Vec<(bool, Quantity)> = parts.to_vec();
    combined(&parts, &one, |product, terms, divides| {
        let terms = if divides { inverse(terms)? } else { terms.clone() };
        if product.len() * terms.len() > MOST {
            return None;
        }
        Some(product.iter().flat_map(|one| terms.iter().map(move |other| times(one, other))).collect())
    })
}

/// One over a quantity. Over a sum it is an unknown of its own.
fn inverse(terms: &Terms) -> Option<Terms> {
    match terms.as_slice() {
        [(_, factor)] if factor.is_zero() => None,
        [(unknown, factor)] => {
            let powers = unknown.iter().map(|(factor, power)| (factor.clone(), -power)).collect();
            Some(vec![(powers, factor.recip())])
        }
        // It need not be the same unknown where the same sum divides elsewhere.
        sum => {
            let parts = sum.iter().map(|(unknown, factor)| (false, written(unknown, factor))).collect();
            Some(vec![(Unknown::from([(Factor::Opaque(Quantity::Sum(parts)), -1)]), Ratio::one())])
        }
    }
}

/// A term as a quantity.
fn written(unknown: &Unknown, factor: &Ratio) -> Quantity {
    let number = (false, Quantity::Number { value: factor.clone(), is_time: false });
    let factors = unknown.iter().flat_map(|(factor, power)| {
        let part = match factor {
            Factor::Measure(measure) => Quantity::Measure(*measure),
            Factor::Opaque(quantity) => quantity.clone(),
        };
        std::iter::repeat_n((*power < 0, part), power.unsigned_abs() as usize)
    });
    Quantity::Product(std::iter::once(number).chain(factors).collect())
}

fn times((one, factor): &(Unknown, Ratio), (other, further): &(Unknown, Ratio)) -> (Unknown, Ratio) {
    let mut powers = one.clone();
    for (factor, power) in other {
        *powers.entry(factor.clone()).or_insert(0) += power;
    }
    powers.retain(|_, power| *power != 0);
    (powers, factor * further)
}

/// The extreme of several quantities: each of them, where none of the others is beyond it.
fn extremes(parts: &[Quantity], is_least: bool) -> Option<Vec<(Case, Terms)>> {
    let mut all = Vec::new();
    for (conditions, parts) in together(parts)? {
        for (index, part) in parts.iter().enumerate() {
            let others = parts.iter().enumerate().filter(|(other, _)| *other != index);
            let beyond =
                others.filter_map(|(_, other)| constraint(&difference(part, other), is_least, false));
            all.push((conditions.iter().cloned().chain(beyond).collect(), part.clone()));
        }
        if all.len() > MOST {
            return None;
        }
    }
    Some(all)
}

/// The values of several quantities beside each other, in all their cases.
fn together(parts: &[Quantity]) -> Option<Vec<(Case, Vec<Terms>)>> {
    let mut all: Vec<(Case, Vec<Terms>)> = vec![(Case::new(), Vec::new())];
    for part in parts {
        let values = values(part)?;
        if all.len() * values.len() > MOST || parts.len() > MOST {
            return None;
        }
        let next = |(before, terms): &(Case, Vec<Terms>)| -> Vec<(Case, Vec<Terms>)> {
            let joined = values.iter().map(|(conditions, value)| {
                let conditions = before.iter().chain(conditions).cloned().collect();
                (conditions, terms.iter().chain([value]).cloned().collect())
            });
            joined.collect()
        };
        all = all.iter().flat_map(next).collect();
    }
    Some(all)
}

/// One sum less another.
fn difference(one: &Terms, other: &Terms) -> Terms {
    let taken_away = other.iter().map(|(unknown, factor)| (unknown.clone(), -factor));
    one.iter().cloned().chain(taken_away).collect()
}

/// What is known of the unknowns of a list of constraints, whatever the condition says.
pub(super) fn known(constraints: &[Constraint]) -> Vec<Constraint> {
    let mut unknowns: Vec<&Unknown> =
        constraints.iter().flat_map(|constraint| constraint.terms.keys()).collect();
    unknowns.sort_unstable();
    unknowns.dedup();
    let mut known: Vec<Constraint> = unknowns.iter().flat_map(|unknown| bounds(unknown)).collect();
    for (less, more) in crate::rule::measure::ORDERED {
        let (less, more) = (of(Factor::Measure(less)), of(Factor::Measure(more)));
        if unknowns.contains(&&less) && unknowns.contains(&&more) {
            let terms = BTreeMap::from([(less, -Ratio::one()), (more, Ratio::one())]);
            known.push(Constraint { terms, constant: Ratio::zero(), is_strict: false });
        }
    }
    known
}

/// The bounds of one unknown.
fn bounds(unknown: &Unknown) -> Vec<Constraint> {
    let bound = |factor: Ratio, constant: Ratio, is_strict: bool| Constraint {
        terms: BTreeMap::from([(unknown.clone(), factor)]),
        constant,
        is_strict,
    };
    let factors: Option<Vec<Measure>> = unknown.keys().map(measure_of).collect();
    let Some(measures) = factors else { return Vec::new() };
    if let Some(measure) = single(unknown) {
        let range = measure.range();
        let whole = |number: i32| Ratio::from_integer(number.into());
        let least = bound(Ratio::one(), -whole(range.least), !range.includes_least);
        let greatest = range.greatest.map(|greatest| bound(-Ratio::one(), whole(greatest), false));
        return std::iter::once(least).chain(greatest).collect();
    }
    let is_positive = measures.iter().all(|measure| !measure.may_be_zero());
    vec![bound(Ratio::one(), Ratio::zero(), is_positive)]
}

fn measure_of(factor: &Factor) -> Option<Measure> {
    match factor {
        Factor::Measure(measure) => Some(*measure),
        Factor::Opaque(_) => None,
    }
}

/// The measure that an unknown is, if it is one.
pub(super) fn single(unknown: &Unknown) -> Option<Measure> {
    let mut factors = unknown.iter();
    match (factors.next(), factors.next()) {
        (Some((factor, 1)), None) => measure_of(factor),
        _ => None,
    }
}

impl Literal {
    /// The cases in which it holds. A measure that is yes or no has one, which says nothing.
    pub(super) fn cases(&self) -> Vec<Case> {
        match self {
            Literal::Is(..) => vec![Case::new()],
            Literal::Compare(left, comparison, right) => cases(left, *comparison, right),
        }
    }
}
