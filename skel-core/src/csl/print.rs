//! Prints properties as they are written. What is printed reads back as the same tree.

use std::fmt::{self, Display, Formatter};

use super::tree::{BinaryPath, Bound, FilterKind, Formula, Interval, Path, Property, Relation, RewardUntil};
use crate::number::{Ratio, decimal, decimals, digits, with_point};
use crate::rate::{ProductOperator, SumOperator};

/// How tightly an operator binds; a part in a place that wants more stands in brackets.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Implies,
    Equivalent,
    Or,
    And,
    Not,
    Compare,
    Sum,
    Product,
    Negative,
    Atom,
}

fn binding(formula: &Formula) -> Binding {
    match formula {
        Formula::Implies(..) => Binding::Implies,
        Formula::Equivalent(..) => Binding::Equivalent,
        Formula::Or(_) => Binding::Or,
        Formula::And(_) => Binding::And,
        Formula::Not(..) => Binding::Not,
        Formula::Compare(..) => Binding::Compare,
        Formula::Sum(..) => Binding::Sum,
        Formula::Product(..) => Binding::Product,
        Formula::Negative(..) => Binding::Negative,
        _ => Binding::Atom,
    }
}

struct At<'f>(&'f Formula, Binding);

impl Display for At<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if binding(self.0) < self.1 { write!(f, "({})", self.0) } else { write!(f, "{}", self.0) }
    }
}

impl Display for Property {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "\"{}\": {}", name.text, self.formula),
            None => write!(f, "{}", self.formula),
        }
    }
}

impl Display for Formula {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Formula::Truth(value, _) => write!(f, "{value}"),
            Formula::Number(value, _) => Constant(value).fmt(f),
            Formula::Population(name) => f.write_str(&name.text),
            Formula::Label(name) => write!(f, "\"{}\"", name.text),
            Formula::Pattern(pattern, _) => write!(f, "{{{pattern}}}"),
            Formula::Copy { component, number: (number, _), state } => {
                write!(f, "{}@{number}:{}", component.text, state.text)
            }
            Formula::Not(inner, _) => write!(f, "!{}", At(inner, Binding::Not)),
            Formula::And(parts) => write_list(f, parts, " & ", Binding::Not),
            Formula::Or(parts) => write_list(f, parts, " | ", Binding::And),
            Formula::Implies(left, right) => {
                write!(f, "{} => {}", At(left, Binding::Equivalent), At(right, Binding::Implies))
            }
            Formula::Equivalent(left, right) => {
                write!(f, "{} <=> {}", At(left, Binding::Equivalent), At(right, Binding::Or))
            }
            Formula::Compare(left, relation, right) => {
                write!(f, "{} {} {}", At(left, Binding::Sum), relation.symbol(), At(right, Binding::Sum))
            }
            Formula::Negative(inner, _) => write!(f, "-{}", At(inner, Binding::Negative)),
            Formula::Sum(first, rest) => {
                write!(f, "{}", At(first, Binding::Sum))?;
                rest.iter().try_for_each(|(operator, term)| {
                    let symbol = if *operator == SumOperator::Plus { '+' } else { '-' };
                    write!(f, " {symbol} {}", At(term, Binding::Product))
                })
            }
            Formula::Product(first, rest) => {
                write!(f, "{}", At(first, Binding::Negative))?;
                rest.iter().try_for_each(|(operator, factor)| {
                    let symbol = if *operator == ProductOperator::Times { '*' } else { '/' };
                    write!(f, " {symbol} {}", At(factor, Binding::Negative))
                })
            }
            Formula::Probability(bound, path, _) => write!(f, "P{bound} [ {path} ]"),
            Formula::LongRun(bound, states, _) => write!(f, "S{bound} [ {states} ]"),
            Formula::Reward { reward, bound, until, .. } => {
                write!(f, "R{{\"{}\"}}{bound} [ {until} ]", reward.text)
            }
            Formula::Filter { kind, formula, states: None, .. } => write!(f, "filter({kind}, {formula})"),
            Formula::Filter { kind, formula, states: Some(states), .. } => {
                write!(f, "filter({kind}, {formula}, {states})")
            }
        }
    }
}

fn write_list(f: &mut Formatter<'_>, parts: &[Formula], between: &str, least: Binding) -> fmt::Result {
    for (index, part) in parts.iter().enumerate() {
        write!(f, "{}{}", if index == 0 { "" } else { between }, At(part, least))?;
    }
    Ok(())
}

impl Display for Path {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let part = |formula| At(formula, Binding::Implies);
        match self {
            Path::Next(then) => write!(f, "X {}", part(then)),
            Path::Finally(interval, then) => write!(f, "F{interval} {}", part(then)),
            Path::Globally(interval, then) => write!(f, "G{interval} {}", part(then)),
            Path::Binary(first, operator, interval, second) => {
                write!(f, "{} {operator}{interval} {}", part(first), part(second))
            }
        }
    }
}

impl Display for BinaryPath {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BinaryPath::Until => "U",
            BinaryPath::WeakUntil => "W",
            BinaryPath::Release => "R",
        })
    }
}

impl Display for Interval {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let strict = |is_strict: &bool| if *is_strict { "" } else { "=" };
        match (&self.from, &self.to) {
            (None, None) => Ok(()),
            (None, Some((to, is_strict))) => write!(f, "<{}{}", strict(is_strict), Constant(to)),
            (Some((from, is_strict)), None) => write!(f, ">{}{}", strict(is_strict), Constant(from)),
            (Some((from, _)), Some((to, _))) => write!(f, "[{},{}]", Constant(from), Constant(to)),
        }
    }
}

impl Display for RewardUntil {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            RewardUntil::Cumulative(time) => write!(f, "C<={}", Constant(time)),
            RewardUntil::Instant(time) => write!(f, "I={}", Constant(time)),
            RewardUntil::Reach(formula) => write!(f, "F {formula}"),
            RewardUntil::LongRun => f.write_str("S"),
        }
    }
}

impl Display for Bound {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Asked => f.write_str("=?"),
            Bound::Compared(relation, value) => write!(f, "{relation}{}", Constant(value)),
        }
    }
}

impl Display for Relation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

impl Display for FilterKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A number where a constant expression stands: a decimal where it has one, else a fraction.
struct Constant<'r>(&'r Ratio);

impl Display for Constant<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match written_out(self.0) {
            Some(decimal) => f.write_str(&decimal),
            None => write!(f, "{}/{}", self.0.numer(), self.0.denom()),
        }
    }
}

/// A number, which is not negative, as a decimal that can be read again, if it has one.
pub(super) fn written_out(value: &Ratio) -> Option<String> {
    let decimals = decimals(value)?;
    let written = with_point(&digits(value, decimals), decimals);
    decimal(&written).is_ok().then_some(written)
}
