//! The printer: from a syntax tree to a text that parses to the same tree.

use std::fmt::{self, Write as _};

use super::ast::{Ast, Body, CooperationSet, Definition, Expression, Name, Process, ResultLine, SetKind};
use super::name::is_plain;
use crate::diagnostic::Span;
use crate::number::{Ratio, decimals, digits, with_point};
use crate::rate::{ProductOperator, SumOperator};

/// Prints a model in the syntax of `.pepa` files.
///
/// `parse(print(ast)) == ast` for every tree that the parser makes; a value from Rust prints as `{..}`, which
/// files do not have.
///
/// # Examples
/// ```
/// use skel_core::syntax::print::print;
/// let parsed = skel_core::text::parse("P=(a,1).(b,2).P;P<a>P");
/// assert_eq!(print(&parsed.ast()), "P = (a, 1).(b, 2).P;\nP <a> P\n");
/// ```
#[must_use]
pub fn print<S: Span>(ast: &Ast<S>) -> String {
    ast.to_string()
}

impl<S> fmt::Display for Name<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_quotes = self.is_quoted || !is_plain(&self.text);
        if has_quotes { write!(f, "\"{}\"", self.text) } else { f.write_str(&self.text) }
    }
}

impl<S: Span> fmt::Display for Ast<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for definition in &self.definitions {
            writeln!(f, "{definition}")?;
        }
        if let Some(system) = &self.system {
            let end = if self.results.is_empty() { "" } else { ";" };
            writeln!(f, "{system}{end}")?;
        }
        for result in &self.results {
            writeln!(f, "{result}")?;
        }
        Ok(())
    }
}

impl<S: Span> fmt::Display for Definition<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.body {
            Body::Rate(rate) => write!(f, "{} = {rate};", self.name),
            Body::Process(process) | Body::Undecided(process) => write!(f, "{} = {process};", self.name),
        }
    }
}

impl<S: Span> fmt::Display for ResultLine<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = ", self.name)?;
        if let Some(factor) = &self.factor {
            let brackets = matches!(factor, Expression::Sum(..));
            write_bracketed(f, factor, brackets)?;
            f.write_str(" * ")?;
        }
        write!(f, "{{{}}};", self.pattern)
    }
}

fn write_bracketed(f: &mut fmt::Formatter<'_>, inner: &impl fmt::Display, brackets: bool) -> fmt::Result {
    if brackets { write!(f, "({inner})") } else { write!(f, "{inner}") }
}

fn write_names<S>(f: &mut fmt::Formatter<'_>, names: &[Name<S>]) -> fmt::Result {
    for (index, name) in names.iter().enumerate() {
        let separator = if index == 0 { "" } else { ", " };
        write!(f, "{separator}{name}")?;
    }
    Ok(())
}

impl<S> fmt::Display for CooperationSet<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            SetKind::Shared => f.write_str("<*>"),
            SetKind::Named(names) if names.is_empty() => f.write_str("||"),
            SetKind::Named(names) => {
                f.write_char('<')?;
                write_names(f, names)?;
                f.write_char('>')
            }
        }
    }
}

impl<S: Span> fmt::Display for Process<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Process::Constant(name) => write!(f, "{name}"),
            Process::Anything(_) => f.write_str("**"),
            Process::Prefix { activities, then } => {
                for activity in activities {
                    write!(f, "({}, {}).", activity.action, activity.rate)?;
                }
                write_bracketed(f, then, matches!(**then, Process::Choice(_)) || then.is_composed())
            }
            Process::Choice(operands) => {
                for (index, operand) in operands.iter().enumerate() {
                    let separator = if index == 0 { "" } else { " + " };
                    f.write_str(separator)?;
                    write_bracketed(f, operand, matches!(operand, Process::Choice(_)))?;
                }
                Ok(())
            }
            Process::Cooperation { first, rest } => {
                write_bracketed(f, first, first.is_operand_in_brackets())?;
                for (set, operand) in rest {
                    write!(f, " {set} ")?;
                    write_bracketed(f, operand, operand.is_operand_in_brackets())?;
                }
                Ok(())
            }
            Process::Hiding { of, set } => {
                let brackets = of.is_operand_in_brackets() || matches!(**of, Process::Hiding { .. });
                write_bracketed(f, of, brackets)?;
                f.write_str("/{")?;
                write_names(f, set)?;
                f.write_char('}')
            }
            Process::Array { of, count, set, .. } => {
                write!(f, "{of}[{count}")?;
                if !set.is_empty() {
                    f.write_str(", {")?;
                    write_names(f, set)?;
                    f.write_char('}')?;
                }
                f.write_char(']')
            }
        }
    }
}

impl<S> Process<S> {
    fn is_operand_in_brackets(&self) -> bool {
        matches!(self, Process::Choice(_) | Process::Cooperation { .. })
    }

    fn is_composed(&self) -> bool {
        matches!(self, Process::Cooperation { .. } | Process::Hiding { .. })
    }
}

impl<S: Span> fmt::Display for Expression<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expression::Number(value, _) => write_number(f, value),
            Expression::Name(name) => write!(f, "{name}"),
            Expression::Rust(..) => f.write_str("{..}"),
            Expression::Negative(inner, _) => {
                f.write_char('-')?;
                write_bracketed(f, inner, inner.is_sum_or_product())
            }
            Expression::Sum(first, rest) => {
                write_bracketed(f, first, matches!(**first, Expression::Sum(..)))?;
                for (operator, term) in rest {
                    f.write_str(match operator {
                        SumOperator::Plus => " + ",
                        SumOperator::Minus => " - ",
                    })?;
                    write_bracketed(f, term, matches!(term, Expression::Sum(..)))?;
                }
                Ok(())
            }
            Expression::Product(first, rest) => {
                write_bracketed(f, first, first.is_sum_or_product())?;
                for (operator, factor) in rest {
                    f.write_str(match operator {
                        ProductOperator::Times => " * ",
                        ProductOperator::Over => " / ",
                    })?;
                    write_bracketed(f, factor, factor.is_sum_or_product())?;
                }
                Ok(())
            }
        }
    }
}

impl<S> Expression<S> {
    fn is_sum_or_product(&self) -> bool {
        matches!(self, Expression::Sum(..) | Expression::Product(..))
    }
}

/// The most decimals, or zeros at the end, of a number that is written without an exponent.
const MOST_ZEROS: usize = 20;

/// A number of a syntax tree as a decimal, which it has, since it comes from a literal.
fn write_number(f: &mut fmt::Formatter<'_>, value: &Ratio) -> fmt::Result {
    let Some(decimals) = decimals(value) else { return write!(f, "{value}") };
    let digits = digits(value, decimals);
    let significant = digits.trim_end_matches('0');
    // A row of zeros is written as an exponent, as whoever writes such a number does.
    if decimals.max(digits.len() - significant.len()) > MOST_ZEROS && !significant.is_empty() {
        let (first, rest) = significant.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        let exponent = digits.len() as i64 - 1 - decimals as i64;
        return write!(f, "{first}{point}{rest}e{exponent}");
    }
    f.write_str(&with_point(&digits, decimals))
}
