//! What a filter makes of the values of states. States count without lumping: a lumped one as often as it
//! stands for others.

use num_bigint::BigInt;
use skel_core::csl::tree::FilterKind;
use skel_core::number::Ratio;

use super::answer::{Answer, Figure, OfState, Value, Verdict};
use super::sum::Compensated;
use super::values::{Sets, Values};
use crate::error::Error;
use crate::over_time::uniformisation::UNIT;
use crate::space::StateSpace;

/// What has a value in each state.
pub(super) enum PerState {
    Conditions(Sets),
    Numbers(Values),
}

impl PerState {
    pub(super) fn value(&self, state: usize) -> Value {
        match self {
            PerState::Conditions(sets) => Value::Verdict(Verdict::of(sets.get(state))),
            PerState::Numbers(values) => Value::Figure(figure(values, state)),
        }
    }
}

pub(super) fn figure(values: &Values, state: usize) -> Figure {
    let exact = values.exact.as_ref().and_then(|exact| exact[state].clone());
    Figure { low: values.low[state], high: values.high[state], exact }
}

/// A state of a filter.
struct Member {
    state: usize,
    stands_for: u128,
    is_sure: bool,
}

/// The answer of a filter over the states of a set.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn filtered(
    space: &StateSpace,
    kind: FilterKind,
    of: &PerState,
    states: &Sets,
) -> Result<Answer, Error> {
    let members = members(space, states)?;
    match (kind, of) {
        (FilterKind::Print, _) => {
            let of_state = |member: &Member| OfState {
                state: member.state,
                value: of.value(member.state),
                is_certain: member.is_sure,
            };
            Ok(Answer::States(members.iter().map(of_state).collect()))
        }
        (FilterKind::Count, PerState::Conditions(sets)) => count(&members, sets),
        (FilterKind::ForAll, PerState::Conditions(sets)) => Ok(verdict(all(&members, sets))),
        (FilterKind::Exists, PerState::Conditions(sets)) => {
            let none = all(&members, &sets.clone().not());
            Ok(verdict(none.map(|none| !none)))
        }
        (FilterKind::Min, PerState::Numbers(values)) => Ok(one(least(&members, values)?)),
        (FilterKind::Max, PerState::Numbers(values)) => Ok(one(largest(&members, values)?)),
        (FilterKind::Range, PerState::Numbers(values)) => {
            Ok(Answer::Range(least(&members, values)?, largest(&members, values)?))
        }
        (FilterKind::Sum, PerState::Numbers(values)) => Ok(one(sum(&members, values))),
        (FilterKind::Average, PerState::Numbers(values)) => average(&members, values).map(one),
        _ => Err(Error::Unknown(format!("the filter `{kind}` does not fit the formula"))),
    }
}

fn one(figure: Figure) -> Answer {
    Answer::One(Value::Figure(figure))
}

fn verdict(known: Option<bool>) -> Answer {
    Answer::One(Value::Verdict(Verdict::of(known)))
}

#[cfg_attr(debug_assertions, inline)]
fn members(space: &StateSpace, states: &Sets) -> Result<Vec<Member>, Error> {
    let possible = (0..states.possible.len()).filter(|&state| states.possible[state]);
    let member = |state: usize| {
        let stands_for = space.stands_for(state).ok_or_else(too_many)?;
        Ok(Member { state, stands_for, is_sure: states.sure[state] })
    };
    possible.map(member).collect()
}

fn too_many() -> Error {
    Error::Unknown("the filter has more states than 128 bits can count".into())
}

fn empty() -> Error {
    Error::Unknown("the filter has no states: its condition holds in none that can be reached".into())
}

/// The only state of the filter `state`.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn only(space: &StateSpace, states: &Sets) -> Result<usize, Error> {
    match members(space, states)?.as_slice() {
        [] => Err(empty()),
        [Member { state, stands_for: 1, is_sure: true }] => Ok(*state),
        _ => {
            let message = "the filter `state` is for a single state, and its condition holds in several";
            Err(Error::Unknown(message.into()))
        }
    }
}

fn count(members: &[Member], sets: &Sets) -> Result<Answer, Error> {
    let total = |holds: &dyn Fn(&&Member) -> bool| {
        let counted = members.iter().filter(|member| holds(member));
        counted.map(|member| member.stands_for).try_fold(0_u128, u128::checked_add).ok_or_else(too_many)
    };
    let least = total(&|member| member.is_sure && sets.sure[member.state])?;
    Ok(Answer::Count(least, total(&|member| sets.possible[member.state])?))
}

/// Whether a condition holds in all members.
fn all(members: &[Member], sets: &Sets) -> Option<bool> {
    if members.iter().any(|member| member.is_sure && !sets.possible[member.state]) {
        return Some(false);
    }
    members.iter().all(|member| sets.sure[member.state]).then_some(true)
}

/// The exact values of the members, if all of them are known, finite and members for certain.
fn exact<'v>(members: &[Member], values: &'v Values) -> Option<Vec<&'v Ratio>> {
    let exact = values.exact.as_ref()?;
    members.iter().map(|member| exact[member.state].as_ref().filter(|_| member.is_sure)).collect()
}

fn least(members: &[Member], values: &Values) -> Result<Figure, Error> {
    if members.is_empty() {
        return Err(empty());
    }
    if let Some(value) = exact(members, values).and_then(|exact| exact.into_iter().min().cloned()) {
        return Ok(Figure::of_exact(value));
    }
    let over = |is_wanted: &dyn Fn(&Member) -> bool, ends: &[f64]| {
        let ends = members.iter().filter(|member| is_wanted(member)).map(|member| ends[member.state]);
        ends.fold(f64::INFINITY, f64::min)
    };
    let low = over(&|_| true, &values.low);
    let high = match members.iter().any(|member| member.is_sure) {
        true => over(&|member| member.is_sure, &values.high),
        // One of them is a member, whichever it is.
        false => members.iter().map(|member| values.high[member.state]).fold(f64::NEG_INFINITY, f64::max),
    };
    Ok(Figure { low, high, exact: None })
}

fn largest(members: &[Member], values: &Values) -> Result<Figure, Error> {
    let negative = |ends: &[f64]| ends.iter().map(|end| -end).collect();
    let exact = values.exact.as_ref();
    let exact = exact.map(|exact| exact.iter().map(|value| value.as_ref().map(|value| -value)).collect());
    let values = Values {
        low: negative(&values.high),
        high: negative(&values.low),
        exact,
        certain: None,
        is_undecided: values.is_undecided,
    };
    let Figure { low, high, exact } = least(members, &values)?;
    Ok(Figure { low: -high, high: -low, exact: exact.map(|value| -value) })
}

fn sum(members: &[Member], values: &Values) -> Figure {
    if let Some(exact) = exact(members, values) {
        let terms =
            exact.into_iter().zip(members).map(|(value, member)| value * BigInt::from(member.stands_for));
        return Figure::of_exact(terms.sum());
    }
    let mut low = Compensated::default();
    let mut high = Compensated::default();
    for member in members {
        let weight = member.stands_for as f64;
        let (least, most) = (values.low[member.state] * weight, values.high[member.state] * weight);
        low.add(if member.is_sure { least } else { least.min(0.0) });
        high.add(if member.is_sure { most } else { most.max(0.0) });
    }
    Figure { low: low.below(), high: high.above(), exact: None }
}

fn average(members: &[Member], values: &Values) -> Result<Figure, Error> {
    if members.is_empty() {
        return Err(empty());
    }
    if members.iter().any(|member| !member.is_sure) {
        // Whichever of them are members, the mean is between the extremes.
        let (least, largest) = (least(members, values)?, largest(members, values)?);
        return Ok(Figure { low: least.low, high: largest.high, exact: None });
    }
    let count = members.iter().map(|member| member.stands_for).try_fold(0_u128, u128::checked_add);
    let count = count.ok_or_else(too_many)?;
    let Figure { low, high, exact } = sum(members, values);
    if let Some(exact) = exact {
        return Ok(Figure::of_exact(exact / BigInt::from(count)));
    }
    if low.is_infinite() {
        return Ok(Figure { low, high, exact: None });
    }
    let count = count as f64;
    let (least, most) = (low / count, high / count);
    Ok(Figure {
        low: (least - least.abs() * 4.0 * UNIT).next_down(),
        high: (most + most.abs() * 4.0 * UNIT).next_up(),
        exact: None,
    })
}
