//! Properties whose names have been looked up in a model: what analyses work on.

use std::fmt;

use super::tree::{BinaryPath, FilterKind, Interval, Relation};
use crate::model::{ActionId, LocalStateId};
use crate::number::Ratio;
use crate::rate::{ProductOperator, SumOperator};

/// A property of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// What is asked, as a text.
    pub text: String,
    /// What has a value in each state.
    pub question: Question,
    /// What becomes of the values; without a filter the value of the initial state counts.
    pub filter: Option<Filter>,
}

/// A filter: what becomes of the values of some states.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// What becomes of them.
    pub kind: FilterKind,
    /// The states; all of them where there is none.
    pub states: Option<Condition>,
}

/// What has a value in each state.
#[derive(Clone, Debug, PartialEq)]
// A property has few of them, and patterns cannot look into boxes.
#[allow(clippy::large_enum_variant)]
pub enum Question {
    /// Whether a condition holds.
    Condition(Condition),
    /// A number of components.
    Number(Number),
    /// A probability or a reward, `P=? [ .. ]`.
    Quantity(Quantity),
}

/// A condition on states.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// It holds always or never.
    Truth(bool),
    /// The initial state.
    Initial,
    /// A state without any transition.
    Deadlock,
    /// The local state at every position, or `None` where it does not matter.
    Pattern(Vec<Option<LocalStateId>>),
    /// A comparison of numbers of components.
    Compare(Box<Number>, Relation, Box<Number>),
    /// Not so.
    Not(Box<Condition>),
    /// All of them.
    And(Vec<Condition>),
    /// One of them at least.
    Or(Vec<Condition>),
    /// A comparison of a probability or a reward with a number.
    Bounded(Box<Quantity>, Relation, Ratio),
}

/// A number for each state.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// A constant.
    Constant(Ratio),
    /// How many components are in a local state.
    Population(LocalStateId),
    /// Its negative.
    Negative(Box<Number>),
    /// A sum, from left to right.
    Sum(Box<Number>, Vec<(SumOperator, Number)>),
    /// A product, from left to right.
    Product(Box<Number>, Vec<(ProductOperator, Number)>),
}

/// A number that depends on how runs go on.
#[derive(Clone, Debug, PartialEq)]
// A property has few of them, and patterns cannot look into boxes.
#[allow(clippy::large_enum_variant)]
pub enum Quantity {
    /// The probability of the runs on which a path formula holds.
    Probability(Path),
    /// The probability of some states in the long run.
    LongRun(Condition),
    /// The expected reward.
    Reward(Reward, Until),
}

/// A condition on runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Path {
    /// `X`
    Next(Condition),
    /// `F`
    Finally(Interval, Condition),
    /// `G`
    Globally(Interval, Condition),
    /// `U`, `W` and `R`
    Binary(Condition, BinaryPath, Interval, Condition),
}

/// What is counted.
#[derive(Clone, Debug, PartialEq)]
pub enum Reward {
    /// 1 for each activity of this type.
    Action(ActionId),
    /// The components in a local state, per unit of time.
    Population(LocalStateId),
    /// The value of the result line of this number, per unit of time.
    Result(usize),
    /// 1 per unit of time.
    Time,
}

/// Until when a reward is counted.
#[derive(Clone, Debug, PartialEq)]
pub enum Until {
    /// Until a time.
    Cumulative(Ratio),
    /// Not: how fast it is earned at a time.
    Instant(Ratio),
    /// Until a condition holds.
    Reach(Condition),
    /// Per unit of time in the long run.
    LongRun,
}

impl fmt::Display for Query {
    /// The property as it is written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Number {
    /// The value in a state; none where it divides by zero. `population` gives the number of components in a
    /// local state.
    ///
    /// # Examples
    /// ```
    /// use skel_core::csl::formula::Number;
    /// use skel_core::{model::LocalStateId, number::ratio};
    /// let half = Number::Product(
    ///     Box::new(Number::Population(LocalStateId(0))),
    ///     vec![(skel_core::rate::ProductOperator::Over, Number::Constant(ratio(2, 1)))],
    /// );
    /// assert_eq!(half.value(&|_| 3), Some(ratio(3, 2)));
    /// ```
    #[must_use]
    pub fn value(&self, population: &dyn Fn(LocalStateId) -> u32) -> Option<Ratio> {
        let of = |number: &Number| number.value(population);
        match self {
            Number::Constant(value) => Some(value.clone()),
            Number::Population(state) => Some(Ratio::from_integer(population(*state).into())),
            Number::Negative(inner) => Some(-of(inner)?),
            Number::Sum(first, rest) => rest.iter().try_fold(of(first)?, |sum, (operator, term)| {
                let term = of(term)?;
                Some(if *operator == SumOperator::Plus { sum + term } else { sum - term })
            }),
            Number::Product(first, rest) => {
                rest.iter().try_fold(of(first)?, |product, (operator, factor)| {
                    let factor = of(factor)?;
                    match operator {
                        ProductOperator::Times => Some(product * factor),
                        ProductOperator::Over if num_traits::Zero::is_zero(&factor) => None,
                        ProductOperator::Over => Some(product / factor),
                    }
                })
            }
        }
    }

    /// Calls `visit` with every local state whose components are counted.
    pub fn for_each_population(&self, visit: &mut dyn FnMut(LocalStateId)) {
        match self {
            Number::Constant(_) => {}
            Number::Population(state) => visit(*state),
            Number::Negative(inner) => inner.for_each_population(visit),
            Number::Sum(first, rest) => {
                first.for_each_population(visit);
                rest.iter().for_each(|(_, term)| term.for_each_population(visit));
            }
            Number::Product(first, rest) => {
                first.for_each_population(visit);
                rest.iter().for_each(|(_, factor)| factor.for_each_population(visit));
            }
        }
    }
}

impl Condition {
    /// `state >= 1`
    #[must_use]
    pub fn occupied(state: LocalStateId) -> Condition {
        let one = Number::Constant(num_traits::One::one());
        Condition::Compare(Box::new(Number::Population(state)), Relation::AtLeast, Box::new(one))
    }
}
