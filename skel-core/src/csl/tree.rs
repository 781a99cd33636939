//! Properties as they are written: formulas whose names are not looked up yet.
//!
//! Two trees are equal if they have the same content, at whatever places: see [`At`]. Chains of `&`, `|`,
//! sums and products are lists, so that the depth of a tree is bounded by the brackets and operators that
//! [`MAX_DEPTH`](crate::syntax::MAX_DEPTH) allows.

use crate::diagnostic::{Span, TextSpan};
use crate::number::Ratio;
use crate::rate::{ProductOperator, SumOperator};
use crate::syntax::ast::{At, Name, Process};

/// The place of something in a text of properties.
pub type Place = At<TextSpan>;

/// A property, with its name if it has one.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// The name before it: `"often": P=? [ F<=1 "full" ]`.
    pub name: Option<Name<TextSpan>>,
    /// The formula.
    pub formula: Formula,
}

/// A formula: a condition on states, or a number for each state.
#[derive(Clone, Debug, PartialEq)]
pub enum Formula {
    /// `true` or `false`.
    Truth(bool, Place),
    /// A number, or the value of a constant.
    Number(Ratio, Place),
    /// A name without quotes: how many components are in that local state.
    Population(Name<TextSpan>),
    /// A name in quotes: a result line, a local state, `"init"` or `"deadlock"`.
    Label(Name<TextSpan>),
    /// `{P || **}`
    Pattern(Process<TextSpan>, Place),
    /// `Client@1:Wait`: one of several copies is in a local state.
    Copy {
        /// The name of the component: its initial local state.
        component: Name<TextSpan>,
        /// Which of them, from 1, in the order of the system equation.
        number: (Ratio, Place),
        /// The local state.
        state: Name<TextSpan>,
    },
    /// `!f`
    Not(Box<Formula>, Place),
    /// `f & g & ...`, at least two.
    And(Vec<Formula>),
    /// `f | g | ...`, at least two.
    Or(Vec<Formula>),
    /// `f => g`
    Implies(Box<Formula>, Box<Formula>),
    /// `f <=> g`
    Equivalent(Box<Formula>, Box<Formula>),
    /// `x <= y`
    Compare(Box<Formula>, Relation, Box<Formula>),
    /// `-x`
    Negative(Box<Formula>, Place),
    /// A sum, from left to right; at least one in the list.
    Sum(Box<Formula>, Vec<(SumOperator, Formula)>),
    /// A product, from left to right; at least one in the list.
    Product(Box<Formula>, Vec<(ProductOperator, Formula)>),
    /// `P>=0.3 [ path ]` or `P=? [ path ]`
    Probability(Bound, Box<Path>, Place),
    /// `S>=0.3 [ state ]` or `S=? [ state ]`
    LongRun(Bound, Box<Formula>, Place),
    /// `R{"serve"}<=4 [ F "full" ]` or with `=?`
    Reward {
        /// What is counted.
        reward: Name<TextSpan>,
        /// What is asked of it.
        bound: Bound,
        /// Until when it is counted.
        until: Box<RewardUntil>,
        /// The place of all of it.
        at: Place,
    },
    /// `filter(max, formula, states)`
    Filter {
        /// What becomes of the values of the states.
        kind: FilterKind,
        /// What has a value in each state.
        formula: Box<Formula>,
        /// The states that count; all of them where there is none.
        states: Option<Box<Formula>>,
        /// The place of all of it.
        at: Place,
    },
}

/// A condition on runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Path {
    /// `X f`: after the first activity.
    Next(Formula),
    /// `F<=2 f`: at some time.
    Finally(Interval, Formula),
    /// `G<=2 f`: at all times.
    Globally(Interval, Formula),
    /// `f U<=2 g` and its relatives.
    Binary(Formula, BinaryPath, Interval, Formula),
}

/// An operator over runs that has two conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryPath {
    /// `U`: the second holds at some time, and until then the first does.
    Until,
    /// `W`: as `U`, or the first holds for ever.
    WeakUntil,
    /// `R`: the second holds until the first does, that time included, or for ever.
    Release,
}

/// The times that a path formula speaks of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interval {
    /// The earliest time, and whether it is excluded; none is 0, included.
    pub from: Option<(Ratio, bool)>,
    /// The latest time, and whether it is excluded; none is no bound.
    pub to: Option<(Ratio, bool)>,
}

/// What a reward is counted until, or when it is read.
#[derive(Clone, Debug, PartialEq)]
pub enum RewardUntil {
    /// `C<=t`: all until the time t.
    Cumulative(Ratio),
    /// `I=t`: the rate at which it is earned at the time t.
    Instant(Ratio),
    /// `F f`: all until f holds.
    Reach(Formula),
    /// `S`: per unit of time in the long run.
    LongRun,
}

/// What is asked of a number.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// `=?`: its value.
    Asked,
    /// `>= 0.3`: whether it is so.
    Compared(Relation, Ratio),
}

/// A comparison of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
    /// `=`
    Equal,
    /// `!=`
    Unequal,
}

impl Relation {
    /// As it is written.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Relation::Less => "<",
            Relation::AtMost => "<=",
            Relation::More => ">",
            Relation::AtLeast => ">=",
            Relation::Equal => "=",
            Relation::Unequal => "!=",
        }
    }

    /// Whether it holds for two numbers in this order.
    ///
    /// # Examples
    /// ```
    /// use skel_core::csl::tree::Relation;
    /// assert!(Relation::AtLeast.holds(2.5.partial_cmp(&1.5)));
    /// assert!(!Relation::Equal.holds(f64::NAN.partial_cmp(&1.0)));
    /// ```
    #[must_use]
    pub fn holds(self, order: Option<std::cmp::Ordering>) -> bool {
        order.is_some_and(|order| match self {
            Relation::Less => order.is_lt(),
            Relation::AtMost => order.is_le(),
            Relation::More => order.is_gt(),
            Relation::AtLeast => order.is_ge(),
            Relation::Equal => order.is_eq(),
            Relation::Unequal => order.is_ne(),
        })
    }
}

/// What a filter makes of the values of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterKind {
    /// Each value.
    Print,
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// Their mean.
    Average,
    /// Their sum.
    Sum,
    /// In how many states a condition holds.
    Count,
    /// Whether a condition holds in all of them.
    ForAll,
    /// Whether a condition holds in one of them.
    Exists,
    /// The value of the only one.
    State,
    /// The smallest and the largest.
    Range,
}

impl FilterKind {
    /// Every kind.
    pub const ALL: [FilterKind; 10] = [
        FilterKind::Print,
        FilterKind::Min,
        FilterKind::Max,
        FilterKind::Average,
        FilterKind::Sum,
        FilterKind::Count,
        FilterKind::ForAll,
        FilterKind::Exists,
        FilterKind::State,
        FilterKind::Range,
    ];

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            FilterKind::Print => "print",
            FilterKind::Min => "min",
            FilterKind::Max => "max",
            FilterKind::Average => "avg",
            FilterKind::Sum => "sum",
            FilterKind::Count => "count",
            FilterKind::ForAll => "forall",
            FilterKind::Exists => "exists",
            FilterKind::State => "state",
            FilterKind::Range => "range",
        }
    }
}

impl Formula {
    /// The place of the first `P`, `S` or `R` in it.
    #[must_use]
    pub fn operator(&self) -> Option<TextSpan> {
        match self {
            Formula::Probability(_, _, at) | Formula::LongRun(_, _, at) | Formula::Reward { at, .. } => {
                Some(at.0)
            }
            Formula::Truth(..)
            | Formula::Number(..)
            | Formula::Population(_)
            | Formula::Label(_)
            | Formula::Pattern(..)
            | Formula::Copy { .. } => None,
            Formula::Not(inner, _) | Formula::Negative(inner, _) => inner.operator(),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().find_map(Formula::operator),
            Formula::Implies(left, right)
            | Formula::Equivalent(left, right)
            | Formula::Compare(left, _, right) => left.operator().or_else(|| right.operator()),
            Formula::Sum(first, rest) => {
                first.operator().or_else(|| rest.iter().find_map(|(_, term)| term.operator()))
            }
            Formula::Product(first, rest) => {
                first.operator().or_else(|| rest.iter().find_map(|(_, factor)| factor.operator()))
            }
            Formula::Filter { formula, states, .. } => {
                formula.operator().or_else(|| states.as_ref().and_then(|states| states.operator()))
            }
        }
    }

    /// The place of all of it.
    #[must_use]
    pub fn span(&self) -> TextSpan {
        match self {
            Formula::Truth(_, at)
            | Formula::Number(_, at)
            | Formula::Pattern(_, at)
            | Formula::Probability(_, _, at)
            | Formula::LongRun(_, _, at)
            | Formula::Reward { at, .. }
            | Formula::Filter { at, .. } => at.0,
            Formula::Population(name) | Formula::Label(name) => name.at.0,
            Formula::Copy { component, state, .. } => component.at.0.join(state.at.0),
            Formula::Not(inner, at) | Formula::Negative(inner, at) => at.0.join(inner.span()),
            Formula::And(parts) | Formula::Or(parts) => parts[0].span().join(parts[parts.len() - 1].span()),
            Formula::Implies(left, right)
            | Formula::Equivalent(left, right)
            | Formula::Compare(left, _, right) => left.span().join(right.span()),
            Formula::Sum(first, rest) => join_last(first, rest.last()),
            Formula::Product(first, rest) => join_last(first, rest.last()),
        }
    }
}

fn join_last<O>(first: &Formula, last: Option<&(O, Formula)>) -> TextSpan {
    last.map_or(first.span(), |(_, last)| first.span().join(last.span()))
}
