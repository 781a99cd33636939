//! From an expression to a condition whose units fit.

use num_traits::Zero;
use skel_core::diagnostic::{Code, Diagnostic, TextSpan};

use super::expression::{Expression, What};
use super::test::{Quantity, Test};
use crate::rule::measure::Unit;

/// Checks a whole condition. None if something of it was reported, here or before.
pub(super) fn check(
    expression: &Expression,
    text: &str,
    found: &mut Vec<Diagnostic<TextSpan>>,
) -> Option<Test> {
    Checker { text, found }.test(expression)
}

struct Checker<'c> {
    text: &'c str,
    found: &'c mut Vec<Diagnostic<TextSpan>>,
}

impl Checker<'_> {
    /// A part that has to hold or not.
    fn test(&mut self, expression: &Expression) -> Option<Test> {
        match &expression.what {
            What::Any(parts) => self.tests(parts).map(Test::Any),
            What::All(parts) => self.tests(parts).map(Test::All),
            What::Not(part) => self.test(part).map(|test| Test::Not(Box::new(test))),
            What::Compare(left, comparison, right) => {
                let (left, right) = self.alike([left, right], "compared")?;
                Some(Test::Compare(left, *comparison, right))
            }
            What::Measure(measure) if measure.unit() == Unit::YesNo => Some(Test::Is(*measure)),
            _ => {
                let (_, unit) = self.quantity(expression)?;
                let excerpt = self.excerpt(expression);
                let message = format!("{excerpt} is {}, where a condition is expected", words(unit));
                let help = format!(
                    "compare it with something, as in `{} > {}`",
                    excerpt.trim_matches('`'),
                    example(expression, unit)
                );
                self.report(expression.at, message, Some(help))
            }
        }
    }

    fn tests(&mut self, parts: &[Expression]) -> Option<Vec<Test>> {
        let tests: Vec<Option<Test>> = parts.iter().map(|part| self.test(part)).collect();
        tests.into_iter().collect()
    }

    /// A part that has to be a number or a time.
    fn quantity(&mut self, expression: &Expression) -> Option<(Quantity, Unit)> {
        match &expression.what {
            What::Reported => None,
            What::Number { value, is_time } => {
                let number = Quantity::Number { value: value.clone(), is_time: *is_time };
                Some((number, Unit::SecondsTo(i32::from(*is_time))))
            }
            What::Measure(measure) if measure.unit() == Unit::YesNo => {
                let word = measure.word();
                let message = format!("`{word}` is yes or no, where a number or a time is expected");
                self.report(
                    expression.at,
                    message,
                    Some(format!("write `{word}` or `not {word}` as a condition of its own")),
                )
            }
            What::Measure(measure) => Some((Quantity::Measure(*measure), measure.unit())),
            What::Any(_) | What::All(_) | What::Not(_) | What::Compare(..) => {
                let message = format!(
                    "{} is a condition, where a number or a time is expected",
                    self.excerpt(expression)
                );
                self.report(expression.at, message, None)
            }
            What::Sum(terms) => self.sum(terms),
            What::Product(factors) => self.product(factors),
            What::Largest(parts) => self.same(parts).map(|(parts, unit)| (Quantity::Largest(parts), unit)),
            What::Smallest(parts) => self.same(parts).map(|(parts, unit)| (Quantity::Smallest(parts), unit)),
        }
    }

    fn sum(&mut self, terms: &[(bool, Expression)]) -> Option<(Quantity, Unit)> {
        let parts: Vec<&Expression> = terms.iter().map(|(_, term)| term).collect();
        let (quantities, unit) = self.all_alike(&parts, "added")?;
        let signs = terms.iter().map(|(is_taken_away, _)| *is_taken_away);
        Some((Quantity::Sum(signs.zip(quantities).collect()), unit))
    }

    fn product(&mut self, factors: &[(bool, Expression)]) -> Option<(Quantity, Unit)> {
        let (mut power, mut product, mut is_known) = (0_i32, Vec::new(), true);
        for (divides, factor) in factors {
            match self.quantity(factor) {
                Some((Quantity::Number { value, .. }, _)) if *divides && value.is_zero() => {
                    let finding = Diagnostic::new(Code::DivisionByZero, factor.at, "this divides by zero");
                    self.found.push(finding);
                    is_known = false;
                }
                Some((quantity, Unit::SecondsTo(seconds))) => {
                    power =
                        if *divides { power.saturating_sub(seconds) } else { power.saturating_add(seconds) };
                    product.push((*divides, quantity));
                }
                _ => is_known = false,
            }
        }
        is_known.then_some((Quantity::Product(product), Unit::SecondsTo(power)))
    }

    fn same(&mut self, parts: &[Expression]) -> Option<(Vec<Quantity>, Unit)> {
        self.all_alike(&parts.iter().collect::<Vec<_>>(), "compared")
    }

    fn alike(&mut self, sides: [&Expression; 2], how: &str) -> Option<(Quantity, Quantity)> {
        let (quantities, _) = self.all_alike(&sides, how)?;
        let [left, right] = <[Quantity; 2]>::try_from(quantities).ok()?;
        Some((left, right))
    }

    /// Quantities that have to be of one unit: that of the first.
    fn all_alike(&mut self, parts: &[&Expression], how: &str) -> Option<(Vec<Quantity>, Unit)> {
        let checked: Vec<Option<(Quantity, Unit)>> = parts.iter().map(|part| self.quantity(part)).collect();
        let known = parts.iter().zip(&checked).filter_map(|(part, found)| Some((*part, found.as_ref()?.1)));
        let known: Vec<(&Expression, Unit)> = known.collect();
        let &(first, unit) = known.first()?;
        let mut fits = true;
        for &(other, of_other) in known.iter().filter(|(_, other)| *other != unit) {
            self.unlike((first, unit), (other, of_other), how);
            fits = false;
        }
        let quantities: Option<Vec<Quantity>> = checked.into_iter().map(|found| Some(found?.0)).collect();
        Some((quantities.filter(|_| fits)?, unit))
    }

    fn unlike(
        &mut self,
        (first, unit): (&Expression, Unit),
        (other, of_other): (&Expression, Unit),
        how: &str,
    ) {
        let (left, right) = (self.excerpt(first), self.excerpt(other));
        let message =
            format!("{left} is {} and {right} is {}, so they cannot be {how}", words(unit), words(of_other));
        let without_unit = [(first, of_other), (other, unit)]
            .into_iter()
            .find(|(part, wanted)| *wanted == Unit::SecondsTo(1) && matches!(part.what, What::Number { .. }));
        let help = without_unit.map(|(number, _)| {
            let digits = self.excerpt(number);
            let digits = digits.trim_matches('`');
            format!("write the number with its unit: `{digits} ms` or `{digits} s`")
        });
        let finding = Diagnostic::new(Code::WrongUnit, other.at, message).related(first.at, words(unit));
        self.found.push(help.into_iter().fold(finding.label(words(of_other)), Diagnostic::help));
    }

    fn report<T>(&mut self, at: TextSpan, message: String, help: Option<String>) -> Option<T> {
        let finding = Diagnostic::new(Code::WrongUnit, at, message);
        self.found.push(help.into_iter().fold(finding, Diagnostic::help));
        None
    }

    /// A part as it is written, in quotation marks, cut where it is long.
    fn excerpt(&self, expression: &Expression) -> String {
        const MOST: usize = 40;
        let text = self.text.get(expression.at.start..expression.at.end).unwrap_or_default();
        match text.char_indices().nth(MOST) {
            Some((end, _)) => format!("`{}...`", &text[..end]),
            None => format!("`{text}`"),
        }
    }
}

/// A unit in words.
fn words(unit: Unit) -> String {
    match unit {
        Unit::SecondsTo(0) => "a number".to_owned(),
        Unit::SecondsTo(1) => "a time".to_owned(),
        Unit::SecondsTo(-1) => "one over a time".to_owned(),
        Unit::SecondsTo(power) => format!("a time to the power of {power}"),
        Unit::YesNo => "yes or no".to_owned(),
    }
}

/// A value that a quantity may be beyond, for an example.
fn example(expression: &Expression, unit: Unit) -> &'static str {
    match unit {
        Unit::SecondsTo(0) if is_a_part(expression) => "0.9",
        Unit::SecondsTo(0) => "2",
        Unit::SecondsTo(1) => "12 ms",
        _ => "1 / 12 ms",
    }
}

/// Whether it is a measure from 0 to 1.
fn is_a_part(expression: &Expression) -> bool {
    matches!(&expression.what, What::Measure(measure) if measure.range().greatest == Some(1))
}
