//! Whether linear constraints can hold together, by Fourier and Motzkin's elimination in exact fractions.
//!
//! To eliminate an unknown, each constraint that bounds it from below is added to each that bounds it from
//! above, so that it drops out. The constraints that are left have a solution if and only if the former ones
//! have; without unknowns they can be read off. Their number may be squared in each step, so there is a
//! bound. Source: A. Schrijver, *Theory of Linear and Integer Programming*, 1986, section 12.2.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::{One, Signed, Zero};
use skel_core::number::{Ratio, ratio};

use super::linear::{Constraint, Unknown};

/// Whether constraints can hold together.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Answer {
    No,
    /// With values of the unknowns with which they do.
    Yes(BTreeMap<Unknown, Ratio>),
    /// The work would be beyond the bound.
    TooLong,
}

/// A bound on an unknown, and whether it is strict.
type Bound = (Ratio, bool);

/// How much work may be done: about the number of constraints that are made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget(pub(super) u32);

impl Budget {
    /// Whether this much work was left.
    pub(super) fn spend(&mut self, work: usize) -> bool {
        self.0 = self.0.saturating_sub(u32::try_from(work).unwrap_or(u32::MAX));
        self.0 > 0
    }
}

/// The most bits of a number.
const MOST_BITS: u64 = 1 << 12;

/// The number of an unknown among those of all constraints.
type Number = usize;

/// The terms of a constraint, divided by the size of the first factor. Of several constraints with the same
/// terms only the one with the least constant says something.
type Rows = BTreeMap<Vec<(Number, Ratio)>, (Ratio, bool)>;

/// Whether these constraints can hold together.
pub(super) fn solve(constraints: &[Constraint], budget: &mut Budget) -> Answer {
    if !budget.spend(1 + constraints.len()) {
        return Answer::TooLong;
    }
    let unknowns: BTreeSet<&Unknown> =
        constraints.iter().flat_map(|constraint| constraint.terms.keys()).collect();
    let unknowns: Vec<&Unknown> = unknowns.into_iter().collect();
    let mut rows = Rows::new();
    for constraint in constraints {
        let terms = constraint
            .terms
            .iter()
            .filter_map(|(unknown, factor)| Some((unknowns.binary_search(&unknown).ok()?, factor.clone())));
        let terms = terms.collect();
        if !insert(&mut rows, terms, constraint.constant.clone(), constraint.is_strict) {
            return Answer::No;
        }
    }
    let mut eliminated = Vec::new();
    while let Some(unknown) = next(&rows) {
        let (bounds, others): (Rows, Rows) =
            rows.into_iter().partition(|(terms, _)| factor(terms, unknown).is_some());
        rows = others;
        for (lower, upper) in pairs(&bounds, unknown) {
            let (terms, constant, is_strict) = sum(lower, upper, unknown);
            if !budget.spend(1) || is_long(&constant) || terms.iter().any(|(_, factor)| is_long(factor)) {
                return Answer::TooLong;
            }
            if !insert(&mut rows, terms, constant, is_strict) {
                return Answer::No;
            }
        }
        eliminated.push((unknown, bounds));
    }
    let values = example(eliminated).into_iter();
    Answer::Yes(values.map(|(number, value)| (unknowns[number].clone(), value)).collect())
}

/// Adds a constraint, unless it is one without unknowns. Whether such a one holds.
fn insert(rows: &mut Rows, mut terms: Vec<(Number, Ratio)>, mut constant: Ratio, is_strict: bool) -> bool {
    let Some(size) = terms.first().map(|(_, factor)| factor.abs()) else {
        return if is_strict { constant.is_positive() } else { !constant.is_negative() };
    };
    terms.iter_mut().for_each(|(_, factor)| *factor /= &size);
    constant /= &size;
    let row = rows.entry(terms).or_insert_with(|| (constant.clone(), is_strict));
    if constant < row.0 {
        *row = (constant, is_strict);
    } else if constant == row.0 {
        row.1 |= is_strict;
    }
    true
}

/// The unknown that takes the fewest sums to eliminate.
fn next(rows: &Rows) -> Option<Number> {
    let mut counts: BTreeMap<Number, (usize, usize)> = BTreeMap::new();
    for (unknown, factor) in rows.keys().flatten() {
        let (lower, upper) = counts.entry(*unknown).or_default();
        *(if factor.is_positive() { lower } else { upper }) += 1;
    }
    counts.into_iter().min_by_key(|(_, (lower, upper))| lower * upper).map(|(unknown, _)| unknown)
}

fn factor(terms: &[(Number, Ratio)], unknown: Number) -> Option<&Ratio> {
    terms.iter().find(|(other, _)| *other == unknown).map(|(_, factor)| factor)
}

type Row<'r> = (&'r Vec<(Number, Ratio)>, &'r (Ratio, bool));

/// Each constraint that bounds the unknown from below, with each that bounds it from above.
fn pairs<'r>(bounds: &'r Rows, unknown: Number) -> Vec<(Row<'r>, Row<'r>)> {
    let is_lower = |row: &Row<'_>| factor(row.0, unknown).is_some_and(Signed::is_positive);
    let (lower, upper): (Vec<Row<'r>>, Vec<Row<'r>>) = bounds.iter().partition(is_lower);
    lower.iter().flat_map(|low| upper.iter().map(move |high| (*low, *high))).collect()
}

/// The sum of two constraints in which the unknown drops out.
fn sum(lower: Row<'_>, upper: Row<'_>, unknown: Number) -> (Vec<(Number, Ratio)>, Ratio, bool) {
    let size = |row: Row<'_>| factor(row.0, unknown).map_or_else(Ratio::one, Signed::abs);
    let (of_lower, of_upper) = (size(upper), size(lower));
    let mut terms: BTreeMap<Number, Ratio> = BTreeMap::new();
    for ((terms_of, _), scale) in [(lower, &of_lower), (upper, &of_upper)] {
        for (unknown, factor) in terms_of {
            *terms.entry(*unknown).or_insert_with(Ratio::zero) += factor * scale;
        }
    }
    terms.retain(|_, factor| !factor.is_zero());
    let constant = &lower.1.0 * &of_lower + &upper.1.0 * &of_upper;
    (terms.into_iter().collect(), constant, lower.1.1 || upper.1.1)
}

fn is_long(number: &Ratio) -> bool {
    number.numer().bits() > MOST_BITS || number.denom().bits() > MOST_BITS
}

/// Values for all unknowns, the last eliminated first: each within the bounds that the values before it
/// leave.
fn example(eliminated: Vec<(Number, Rows)>) -> BTreeMap<Number, Ratio> {
    let mut values: BTreeMap<Number, Ratio> = BTreeMap::new();
    for (unknown, bounds) in eliminated.into_iter().rev() {
        let (mut lower, mut upper): (Option<Bound>, Option<Bound>) = (None, None);
        for (terms, (constant, is_strict)) in &bounds {
            let Some(own) = factor(terms, unknown) else { continue };
            let others = terms.iter().filter_map(|(other, factor)| Some(values.get(other)? * factor));
            let rest = others.fold(constant.clone(), |sum, term| sum + term);
            let bound = (-rest / own, *is_strict);
            let (place, is_tighter) = match own.is_positive() {
                true => (&mut lower, tighter(&bound, |new, old| new > old)),
                false => (&mut upper, tighter(&bound, |new, old| new < old)),
            };
            if place.as_ref().is_none_or(is_tighter) {
                *place = Some(bound);
            }
        }
        values.insert(unknown, between(lower, upper));
    }
    values
}

/// Whether a bound says more than another.
fn tighter<'b>(
    bound: &'b (Ratio, bool),
    beyond: fn(&Ratio, &Ratio) -> bool,
) -> impl Fn(&Bound) -> bool + use<'b> {
    move |old| beyond(&bound.0, &old.0) || (bound.0 == old.0 && bound.1)
}

/// A value between two bounds, of which it may have those that are not strict.
fn between(lower: Option<Bound>, upper: Option<Bound>) -> Ratio {
    match (lower, upper) {
        (Some((lower, false)), None) => lower,
        (Some((lower, true)), None) => lower + Ratio::one(),
        (None, Some((upper, false))) => upper,
        (None, Some((upper, true))) => upper - Ratio::one(),
        (Some((lower, _)), Some((upper, _))) => (lower + upper) * ratio(1, 2),
        (None, None) => Ratio::zero(),
    }
}
