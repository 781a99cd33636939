//! Short ways to the parts of a syntax tree, for models that a program makes and nobody writes. They have no
//! places in a text.
//!
//! # Examples
//! ```
//! use skel_core::model::Model;
//! use skel_core::syntax::ast::Ast;
//! use skel_core::syntax::construct::{at_rate, constant, cooperation, offering, passive, set_of, whole_number};
//!
//! let client = offering("Client", [passive("serve".into())].into_iter());
//! let server = offering("Server", [at_rate("serve".into(), whole_number(2))].into_iter());
//! let parts = vec![(set_of([]), constant("Client")), (set_of(["serve".into()]), constant("Server"))];
//! let ast = Ast { definitions: vec![client, server], system: Some(cooperation(parts)), results: vec![], unread: vec![] };
//! assert_eq!(ast.to_string().lines().last(), Some("Client <serve> Server"));
//! assert_eq!(Model::from_ast(&ast).unwrap(), Model::from_text(&ast.to_string()).unwrap());
//! ```

use num_traits::One;

use super::ast::{At, Body, CooperationSet, Definition, Expression, Name, PrefixActivity, Process, SetKind};
use crate::diagnostic::TextSpan;
use crate::number::Ratio;
use crate::rate::ProductOperator;
use crate::syntax::literal::number;

/// A name.
#[must_use]
pub fn name(text: String) -> Name<TextSpan> {
    Name { text, is_quoted: false, at: At(TextSpan::NOWHERE) }
}

/// The process of a name.
#[must_use]
pub fn constant(text: &str) -> Process<TextSpan> {
    Process::Constant(name(text.to_owned()))
}

/// `(action, infty)`
#[must_use]
pub fn passive(action: String) -> PrefixActivity<TextSpan> {
    PrefixActivity { action: name(action), rate: Expression::Name(name("infty".to_owned())) }
}

/// `(action, weight * infty)`
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn passive_with_weight(action: String, weight: Expression<TextSpan>) -> PrefixActivity<TextSpan> {
    let infty = Expression::Name(name("infty".to_owned()));
    PrefixActivity { action: name(action), rate: times(weight, infty) }
}

/// `name[copies]`: equal processes side by side.
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn array(text: &str, copies: i64) -> Process<TextSpan> {
    let at = At(TextSpan::NOWHERE);
    Process::Array { of: name(text.to_owned()), count: whole_number(copies), set: Vec::new(), at }
}

/// `(action, rate)`
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn at_rate(action: String, rate: Expression<TextSpan>) -> PrefixActivity<TextSpan> {
    PrefixActivity { action: name(action), rate }
}

/// A whole number.
#[must_use]
pub fn whole_number(value: i64) -> Expression<TextSpan> {
    Expression::Number(Ratio::from_integer(value.into()), At(TextSpan::NOWHERE))
}

/// A number, as a decimal where it has one, else as a fraction.
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn exact_number(value: &Ratio) -> Expression<TextSpan> {
    number(value)
}

/// `factor * name`, or the name alone where the factor is 1.
///
/// # Examples
/// ```
/// use skel_core::{number::ratio, syntax::construct::multiple_of};
/// assert_eq!(multiple_of(&ratio(4, 1), "mu".into()).to_string(), "4 * mu");
/// assert_eq!(multiple_of(&ratio(2, 3), "mu".into()).to_string(), "2 / 3 * mu");
/// assert_eq!(multiple_of(&ratio(1, 1), "mu".into()).to_string(), "mu");
/// ```
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn multiple_of(factor: &Ratio, name: String) -> Expression<TextSpan> {
    let named = rate_called(name);
    if factor.is_one() { named } else { times(number(factor), named) }
}

/// `factor * other`
#[cfg_attr(debug_assertions, inline)]
fn times(factor: Expression<TextSpan>, other: Expression<TextSpan>) -> Expression<TextSpan> {
    match factor {
        Expression::Product(first, mut factors) => {
            factors.push((ProductOperator::Times, other));
            Expression::Product(first, factors)
        }
        factor => Expression::Product(Box::new(factor), vec![(ProductOperator::Times, other)]),
    }
}

/// The rate of a name.
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn rate_called(text: String) -> Expression<TextSpan> {
    Expression::Name(name(text))
}

/// `name = rate;`
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn named_rate(text: String, rate: Expression<TextSpan>) -> Definition<TextSpan> {
    Definition { name: name(text), body: Body::Rate(rate) }
}

/// `name = activity.activity. ... .name;`: the activities in turn, over and over. There must be one.
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn cycle(text: &str, activities: Vec<PrefixActivity<TextSpan>>) -> Definition<TextSpan> {
    let process = Process::Prefix { activities, then: Box::new(constant(text)) };
    Definition { name: name(text.to_owned()), body: Body::Process(process) }
}

/// `name = activity.name + activity.name + ...;`: any of the activities at any time. There must be one.
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn offering(
    text: &str,
    activities: impl Iterator<Item = PrefixActivity<TextSpan>>,
) -> Definition<TextSpan> {
    let mut terms: Vec<Process<TextSpan>> = activities
        .map(|activity| Process::Prefix { activities: vec![activity], then: Box::new(constant(text)) })
        .collect();
    let process = if terms.len() == 1 { terms.remove(0) } else { Process::Choice(terms) };
    Definition { name: name(text.to_owned()), body: Body::Process(process) }
}

/// `<name, name, ...>`, or `||` without names.
#[must_use]
pub fn set_of(names: impl IntoIterator<Item = String>) -> CooperationSet<TextSpan> {
    let names = names.into_iter().map(name).collect();
    CooperationSet { kind: SetKind::Named(names), at: At(TextSpan::NOWHERE) }
}

/// `part <set> part <set> ...`: each part with the set to its left; the first set stands for nothing. A part
/// alone is itself.
///
/// # Panics
/// If there is no part.
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn cooperation(mut parts: Vec<(CooperationSet<TextSpan>, Process<TextSpan>)>) -> Process<TextSpan> {
    let (_, first) = parts.remove(0);
    if parts.is_empty() { first } else { Process::Cooperation { first: Box::new(first), rest: parts } }
}
