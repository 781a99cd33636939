//! Looks up the names of properties in a model, and tells conditions from numbers.

mod copy;
mod earlier;
mod name;
mod pattern;
mod reward;

use super::formula::{Condition, Filter, Number, Path, Quantity, Query, Question, Until};
use super::parse::{Constant, Entry, Parsed};
use super::tree::{self, Bound, FilterKind, Formula, Property, RewardUntil};
use crate::diagnostic::{Code, Diagnostic, TextSpan};
use crate::model::Model;
use crate::syntax::cursor::{Read, Reported};
use earlier::{Earlier, Extent};

/// A property whose names are those of a model, or what is wrong with it.
///
/// # Errors
/// Every name that the model does not have or that stands for several things, every pattern of another shape,
/// and every number where a condition is needed, or the other way round.
///
/// # Examples
/// ```
/// use skel_core::csl;
/// let model = skel_core::text::parse("P = (go, 1).Q; Q = (back, 2).P; P").into_model().unwrap();
/// let parsed = csl::parse("P=? [ F<=1 Q = 1 ]; S=? [ \"R\" ]");
/// let [right, wrong] = [0, 1].map(|at| parsed.entries[at].property.as_ref().unwrap());
/// assert_eq!(csl::resolve(right, &model).unwrap().text, "P=? [ F<=1 Q = 1 ]");
/// let found = csl::resolve(wrong, &model).unwrap_err();
/// assert_eq!(found[0].message, "the model has no result line or local state `R`");
/// ```
#[cfg_attr(debug_assertions, inline)]
pub fn resolve(property: &Property, model: &Model) -> Result<Query, Vec<Diagnostic<TextSpan>>> {
    Checker::new(model).alone(property)
}

/// What is wrong with the constants of a text beside a model: one that has the name of a local state would
/// hide it.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn constants(constants: &[Constant], model: &Model) -> Vec<Diagnostic<TextSpan>> {
    let hides = |constant: &&Constant| model.local_state_named(&constant.name.text).is_some();
    let found = constants.iter().filter(hides).map(|constant| {
        let message = format!("the constant `{}` has the name of a local state", constant.name.text);
        Diagnostic::new(Code::AmbiguousName, constant.name.at.0, message)
            .help("give the constant another name")
    });
    found.collect()
}

/// The properties of a text for a model, each of them or what is wrong with it, in the order of the text. The
/// name of a property that is a condition stands for it in those behind it.
///
/// # Examples
/// ```
/// let model = skel_core::text::parse("P = (go, 1).Q; Q = (back, 2).P; P").into_model().unwrap();
/// let parsed = skel_core::csl::parse("P=? [ F<=1 Q = 1 ]; S=? [ \"R\" ]; S=? [");
/// let (queries, findings) = skel_core::csl::resolve_all(&parsed, &model);
/// assert!(queries[0].is_some() && queries[1].is_none() && queries[2].is_none());
/// assert_eq!(findings.len(), 2);
/// ```
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn resolve_all(parsed: &Parsed, model: &Model) -> (Vec<Option<Query>>, Vec<Diagnostic<TextSpan>>) {
    let mut findings = parsed.diagnostics.clone();
    findings.extend(constants(&parsed.constants, model));
    let (mut queries, mut earlier) = (Vec::with_capacity(parsed.entries.len()), Vec::new());
    for (at, entry) in parsed.entries.iter().enumerate() {
        let mut checker = Checker { earlier: &earlier, later: &parsed.entries[at..], ..Checker::new(model) };
        let query = match entry.property.as_ref().map(|property| checker.alone(property)) {
            Some(Ok(query)) => Some(query),
            Some(Err(found)) => {
                findings.extend(found);
                None
            }
            None => None,
        };
        let known = Earlier::of(entry, query.as_ref(), checker.extent);
        earlier.extend(known);
        queries.push(query);
    }
    crate::diagnostic::sort_by_place(&mut findings);
    (queries, findings)
}

/// A condition on states without `P`, `S` and `R`.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn predicate(formula: &Formula, model: &Model) -> Result<Condition, Vec<Diagnostic<TextSpan>>> {
    let mut checker = Checker::new(model);
    let condition = checker.condition(formula);
    if let Some(at) = formula.operator() {
        let finding = Diagnostic::new(
            Code::WrongUnit,
            at,
            "`P`, `S` and `R` have no place in a condition on states alone",
        );
        checker.diagnostics.push(finding.help("ask with `skel csl` for what depends on how runs go on"));
    }
    match condition {
        Ok(condition) if checker.diagnostics.is_empty() => Ok(condition),
        _ => Err(checker.diagnostics),
    }
}

struct Checker<'m> {
    model: &'m Model,
    diagnostics: Vec<Diagnostic<TextSpan>>,
    /// The properties with names that come before.
    earlier: &'m [Earlier],
    /// This property and those that come later.
    later: &'m [Entry],
    /// How many conditions are open.
    depth: usize,
    /// How large the property is.
    extent: Extent,
}

impl<'m> Checker<'m> {
    fn new(model: &'m Model) -> Checker<'m> {
        let extent = Extent::default();
        Checker { model, diagnostics: Vec::new(), earlier: &[], later: &[], depth: 0, extent }
    }

    /// A property, or everything that is wrong with it.
    fn alone(&mut self, property: &Property) -> Result<Query, Vec<Diagnostic<TextSpan>>> {
        match self.query(property) {
            Ok(query) if self.diagnostics.is_empty() => Ok(query),
            _ => Err(std::mem::take(&mut self.diagnostics)),
        }
    }

    fn query(&mut self, property: &Property) -> Read<Query> {
        let (formula, filter) = match &property.formula {
            Formula::Filter { kind, formula, states, .. } => {
                let states = states.as_ref().map(|states| self.condition(states)).transpose();
                (&**formula, Some((*kind, states)))
            }
            formula => (formula, None),
        };
        let question = self.question(formula)?;
        let filter = match filter {
            Some((kind, states)) => {
                self.fits(kind, &question, formula)?;
                Some(Filter { kind, states: states? })
            }
            None => None,
        };
        let name = property.name.as_ref().map(|name| name.text.clone());
        Ok(Query { name, text: property.formula.to_string(), question, filter })
    }

    /// Whether the filter is for conditions or numbers, as the formula is.
    fn fits(&mut self, kind: FilterKind, question: &Question, formula: &Formula) -> Read<()> {
        let is_condition = matches!(question, Question::Condition(_));
        let (wanted, other) = match kind {
            FilterKind::Print | FilterKind::State => return Ok(()),
            FilterKind::Count | FilterKind::ForAll | FilterKind::Exists if !is_condition => {
                ("a condition", "write a bound in place of `=?`, `P>=0.5 [ .. ]`")
            }
            FilterKind::Count | FilterKind::ForAll | FilterKind::Exists => return Ok(()),
            _ if is_condition => {
                ("a number", "use `count`, `forall` or `exists`, or ask for a value with `=?`")
            }
            _ => return Ok(()),
        };
        let message = format!("the filter `{kind}` needs {wanted}");
        Err(self.report(Diagnostic::new(Code::WrongUnit, formula.span(), message).help(other)))
    }

    fn question(&mut self, formula: &Formula) -> Read<Question> {
        match formula {
            Formula::Probability(Bound::Asked, ..)
            | Formula::LongRun(Bound::Asked, ..)
            | Formula::Reward { bound: Bound::Asked, .. } => Ok(Question::Quantity(self.quantity(formula)?)),
            _ if is_number(formula) => Ok(Question::Number(self.number(formula)?)),
            _ => Ok(Question::Condition(self.condition(formula)?)),
        }
    }

    fn quantity(&mut self, formula: &Formula) -> Read<Quantity> {
        match formula {
            Formula::Probability(_, path, _) => Ok(Quantity::Probability(self.path(path)?)),
            Formula::LongRun(_, states, _) => Ok(Quantity::LongRun(self.condition(states)?)),
            Formula::Reward { reward, until, .. } => {
                let reward = self.reward(reward);
                let until = match &**until {
                    RewardUntil::Cumulative(time) => Until::Cumulative(time.clone()),
                    RewardUntil::Instant(time) => Until::Instant(time.clone()),
                    RewardUntil::Reach(states) => Until::Reach(self.condition(states)?),
                    RewardUntil::LongRun => Until::LongRun,
                };
                Ok(Quantity::Reward(reward?, until))
            }
            _ => unreachable!("an operator is asked for"),
        }
    }

    fn path(&mut self, path: &tree::Path) -> Read<Path> {
        Ok(match path {
            tree::Path::Next(then) => Path::Next(self.condition(then)?),
            tree::Path::Finally(interval, then) => Path::Finally(interval.clone(), self.condition(then)?),
            tree::Path::Globally(interval, then) => Path::Globally(interval.clone(), self.condition(then)?),
            tree::Path::Binary(first, operator, interval, second) => {
                let (first, second) = (self.condition(first), self.condition(second));
                Path::Binary(first?, *operator, interval.clone(), second?)
            }
        })
    }

    fn condition(&mut self, formula: &Formula) -> Read<Condition> {
        self.depth += 1;
        self.extent.conditions += 1;
        self.extent.depth = self.extent.depth.max(self.depth);
        let read = self.condition_of(formula);
        self.depth -= 1;
        read
    }

    fn condition_of(&mut self, formula: &Formula) -> Read<Condition> {
        match formula {
            Formula::Truth(value, _) => Ok(Condition::Truth(*value)),
            Formula::Label(name) => self.label(name),
            Formula::Pattern(pattern, _) => self.pattern(pattern),
            Formula::Copy { component, number, state } => self.copy(component, number, state),
            Formula::Not(inner, _) => Ok(Condition::Not(Box::new(self.condition(inner)?))),
            Formula::And(parts) => Ok(Condition::And(self.conditions(parts)?)),
            Formula::Or(parts) => Ok(Condition::Or(self.conditions(parts)?)),
            Formula::Implies(left, right) => {
                let (left, right) = (self.condition(left), self.condition(right));
                Ok(Condition::Or(vec![Condition::Not(Box::new(left?)), right?]))
            }
            Formula::Equivalent(left, right) => {
                let (left, right) = (self.condition(left), self.condition(right));
                let (left, right) = (left?, right?);
                let not = |condition: &Condition| Condition::Not(Box::new(condition.clone()));
                let neither = Condition::And(vec![not(&left), not(&right)]);
                Ok(Condition::Or(vec![neither, Condition::And(vec![left, right])]))
            }
            Formula::Compare(left, relation, right) => {
                let (left, right) = (self.number(left), self.number(right));
                Ok(Condition::Compare(Box::new(left?), *relation, Box::new(right?)))
            }
            Formula::Probability(Bound::Compared(relation, value), ..)
            | Formula::LongRun(Bound::Compared(relation, value), ..)
            | Formula::Reward { bound: Bound::Compared(relation, value), .. } => {
                Ok(Condition::Bounded(Box::new(self.quantity(formula)?), *relation, value.clone()))
            }
            Formula::Probability(..) | Formula::LongRun(..) | Formula::Reward { .. } => {
                Err(self.not_a_condition(formula, "write a bound in place of `=?`, such as `>=0.5`"))
            }
            Formula::Filter { .. } => Err(self.filter_inside(formula)),
            Formula::Population(name) => {
                let help = format!("write `{0} >= 1` or `{0} = 0`", name.text);
                match self.population(name) {
                    Ok(_) => Err(self.not_a_condition(formula, &help)),
                    Err(reported) => Err(reported),
                }
            }
            _ => Err(self.not_a_condition(formula, "compare it, as in `x >= 1`")),
        }
    }

    /// As many conditions, with the findings of all of them.
    fn conditions(&mut self, parts: &[Formula]) -> Read<Vec<Condition>> {
        let read: Vec<Read<Condition>> = parts.iter().map(|part| self.condition(part)).collect();
        read.into_iter().collect()
    }

    fn number(&mut self, formula: &Formula) -> Read<Number> {
        match formula {
            Formula::Number(value, _) => Ok(Number::Constant(value.clone())),
            Formula::Population(name) => self.population(name).map(Number::Population),
            Formula::Negative(inner, _) => Ok(Number::Negative(Box::new(self.number(inner)?))),
            Formula::Sum(first, rest) => {
                let first = self.number(first);
                let rest: Vec<_> =
                    rest.iter().map(|(operator, term)| (*operator, self.number(term))).collect();
                Ok(Number::Sum(Box::new(first?), all(rest)?))
            }
            Formula::Product(first, rest) => {
                let first = self.number(first);
                let rest: Vec<_> =
                    rest.iter().map(|(operator, factor)| (*operator, self.number(factor))).collect();
                Ok(Number::Product(Box::new(first?), all(rest)?))
            }
            Formula::Filter { .. } => Err(self.filter_inside(formula)),
            Formula::Label(name) => {
                let message = format!("`\"{}\"` is a condition, where a number is needed", name.text);
                let finding = Diagnostic::new(Code::WrongUnit, name.at.0, message);
                let help = match self.model.local_state_named(&name.text) {
                    Some(_) => "a local state without quotes is the number of components in it".to_owned(),
                    None => "leave the comparison out, or compare numbers of components".to_owned(),
                };
                Err(self.report(finding.help(help)))
            }
            Formula::Probability(..) | Formula::LongRun(..) | Formula::Reward { .. } => {
                let message = "`P`, `S` and `R` cannot be part of a calculation";
                let finding = Diagnostic::new(Code::WrongUnit, formula.span(), message);
                Err(self.report(finding.help("put the bound behind the letter: `P>=0.5 [ .. ]`")))
            }
            _ => {
                let message = format!("`{}` is a condition, where a number is needed", brief(formula));
                let finding = Diagnostic::new(Code::WrongUnit, formula.span(), message);
                Err(self
                    .report(finding.help("compare numbers, and join conditions by `&`, `|`, `=>` or `<=>`")))
            }
        }
    }

    fn not_a_condition(&mut self, formula: &Formula, help: &str) -> Reported {
        let message = format!("`{}` is a number, where a condition is needed", brief(formula));
        self.report(Diagnostic::new(Code::WrongUnit, formula.span(), message).help(help))
    }

    fn filter_inside(&mut self, formula: &Formula) -> Reported {
        let message = "a filter stands around a whole property, and in no other formula";
        let finding = Diagnostic::new(Code::WrongUnit, formula.span(), message);
        self.report(finding.help("ask for it as a property of its own"))
    }

    fn report(&mut self, finding: Diagnostic<TextSpan>) -> Reported {
        self.diagnostics.push(finding);
        Reported
    }
}

/// All of them, or that one could not be read.
fn all<O>(read: Vec<(O, Read<Number>)>) -> Read<Vec<(O, Number)>> {
    read.into_iter().map(|(operator, number)| Ok((operator, number?))).collect()
}

fn is_number(formula: &Formula) -> bool {
    matches!(
        formula,
        Formula::Number(..)
            | Formula::Population(_)
            | Formula::Negative(..)
            | Formula::Sum(..)
            | Formula::Product(..)
    )
}

/// A formula as a message shows it, cut where it is long.
fn brief(formula: &Formula) -> String {
    crate::number::shorten(&formula.to_string())
}
