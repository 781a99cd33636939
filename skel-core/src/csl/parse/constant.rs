//! Numbers that are known while a text is read: times, bounds and the values of constants.

use num_traits::Zero;

use super::Parser;
use crate::csl::print::written_out;
use crate::csl::tree::{Formula, Place};
use crate::diagnostic::{Code, Diagnostic, Span, TextSpan, did_you_mean};
use crate::number::{Ratio, decimal};
use crate::rate::{ProductOperator, SumOperator};
use crate::syntax::ast::At;
use crate::syntax::cursor::{Read, Reported};
use crate::syntax::token::{Bracket, TokenKind};

impl Parser<'_> {
    /// The value of an expression over numbers and constants.
    pub(super) fn constant(&mut self) -> Read<(Ratio, TextSpan)> {
        let (mut value, mut span) = self.constant_product()?;
        while let Some(TokenKind::Symbol(symbol @ ('+' | '-'))) = self.tokens.kind(0) {
            self.tokens.advance(1);
            let (term, at) = self.constant_product()?;
            span = span.join(at);
            value = if *symbol == '+' { value + term } else { value - term };
            self.refuse_long(&value, span)?;
        }
        Ok((value, span))
    }

    /// As [`Self::constant`], without sums outside of brackets: what follows may begin with a sign.
    pub(super) fn constant_product(&mut self) -> Read<(Ratio, TextSpan)> {
        let (mut value, mut span) = self.constant_factor()?;
        while let Some(TokenKind::Symbol(symbol @ ('*' | '/'))) = self.tokens.kind(0) {
            self.tokens.advance(1);
            let (factor, at) = self.constant_factor()?;
            span = span.join(at);
            if *symbol == '/' && factor.is_zero() {
                let finding = Diagnostic::new(Code::DivisionByZero, at, "a division by zero");
                return Err(self.tokens.report(finding.help("write a divisor that is not 0")));
            }
            value = if *symbol == '*' { value * factor } else { value / factor };
            self.refuse_long(&value, span)?;
        }
        Ok((value, span))
    }

    fn constant_factor(&mut self) -> Read<(Ratio, TextSpan)> {
        let start = self.tokens.span();
        match self.tokens.kind(0) {
            Some(TokenKind::Number(_)) => Ok((self.number()?.0, start)),
            Some(TokenKind::Symbol('-')) => {
                self.tokens.advance(1);
                let (value, at) = self.nested(Self::constant_factor)?;
                Ok((-value, start.join(at)))
            }
            Some(TokenKind::Open(Bracket::Round, _)) => {
                self.tokens.advance(1);
                let (value, _) = self.nested(Self::constant)?;
                self.close(Bracket::Round, start, "`)`")?;
                Ok((value, self.since(start).0))
            }
            Some(TokenKind::Name(name)) => match self.value_of(name) {
                Some(value) => {
                    let value = value.clone();
                    self.tokens.advance(1);
                    Ok((value, start))
                }
                None if self.unread.contains(name) => Err(Reported),
                None => {
                    let message = format!("the constant `{name}` is not defined");
                    let names = self.constants.iter().map(|constant| constant.name.text.as_str());
                    let help = match did_you_mean(name, names) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("write a number, or `const {name} = 1;` before the property"),
                    };
                    Err(self.tokens.report(Diagnostic::new(Code::UndefinedName, start, message).help(help)))
                }
            },
            _ => Err(self.expected("a number")),
        }
    }

    /// A literal.
    pub(super) fn number(&mut self) -> Read<(Ratio, Place)> {
        let at = self.tokens.span();
        let Some(TokenKind::Number(text)) = self.tokens.kind(0) else {
            return Err(self.expected("a number"));
        };
        self.tokens.advance(1);
        decimal(text).map(|value| (value, At(at))).map_err(|problem| {
            let finding = Diagnostic::new(Code::BadNumber, at, problem.to_string());
            self.tokens.report(
                finding.help(
                    "write digits, with a fraction or an exponent if needed: `2`, `0.25`, `1e-3`, `1/3`",
                ),
            )
        })
    }

    /// Numbers of many thousand digits, which products can make, are refused.
    fn refuse_long(&mut self, value: &Ratio, span: TextSpan) -> Read<()> {
        const MOST_BITS: u64 = 4000;
        if value.numer().bits().max(value.denom().bits()) <= MOST_BITS {
            return Ok(());
        }
        let finding = Diagnostic::new(Code::BadNumber, span, "a number of more than 1000 digits");
        Err(self.tokens.report(finding.help("write a number that a 64-bit float can hold")))
    }
}

/// The value of a constant as it would be written in its place.
pub(super) fn literal(value: &Ratio, at: Place) -> Formula {
    if *value < Ratio::zero() {
        return Formula::Negative(Box::new(literal(&-value, at)), at);
    }
    if written_out(value).is_some() {
        return Formula::Number(value.clone(), at);
    }
    let whole = |number: &num_bigint::BigInt| Formula::Number(Ratio::from_integer(number.clone()), at);
    let denominator = (ProductOperator::Over, whole(value.denom()));
    Formula::Product(Box::new(whole(value.numer())), vec![denominator])
}

/// The operator that a symbol of a sum stands for.
pub(super) fn sum_operator(kind: Option<&TokenKind>) -> Option<SumOperator> {
    match kind {
        Some(TokenKind::Symbol('+')) => Some(SumOperator::Plus),
        Some(TokenKind::Symbol('-')) => Some(SumOperator::Minus),
        _ => None,
    }
}

/// The operator that a symbol of a product stands for.
pub(super) fn product_operator(kind: Option<&TokenKind>) -> Option<ProductOperator> {
    match kind {
        Some(TokenKind::Symbol('*')) => Some(ProductOperator::Times),
        Some(TokenKind::Symbol('/')) => Some(ProductOperator::Over),
        _ => None,
    }
}
