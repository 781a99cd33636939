//! Rate expressions: sums, products, numbers, names and values from Rust.

use super::Parser;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::number::{NumberError, decimal};
use crate::rate::{OUT_OF_RANGE, ProductOperator, SumOperator};
use crate::syntax::ast::{At, Expression};
use crate::syntax::cursor::{Read, Reported};
use crate::syntax::token::{Bracket, TokenKind};

impl<S: Span> Parser<'_, S> {
    pub(super) fn expression(&mut self) -> Read<Expression<S>> {
        let first = self.product(false)?;
        let mut rest = Vec::new();
        loop {
            let operator = match self.tokens.kind(0) {
                Some(TokenKind::Symbol('+')) => SumOperator::Plus,
                Some(TokenKind::Symbol('-')) => SumOperator::Minus,
                _ => break,
            };
            self.tokens.advance(1);
            rest.push((operator, self.product(false)?));
        }
        Ok(if rest.is_empty() { first } else { Expression::Sum(Box::new(first), rest) })
    }

    pub(super) fn product(&mut self, before_pattern: bool) -> Read<Expression<S>> {
        let first = self.factor()?;
        let mut rest = Vec::new();
        loop {
            let operator = match self.tokens.kind(0) {
                Some(TokenKind::Symbol('*')) if before_pattern && self.tokens.is_open(1, Bracket::Curly) => {
                    break;
                }
                Some(TokenKind::Symbol('*')) => ProductOperator::Times,
                Some(TokenKind::Symbol('/')) => ProductOperator::Over,
                _ => break,
            };
            self.tokens.advance(1);
            rest.push((operator, self.factor()?));
        }
        Ok(if rest.is_empty() { first } else { Expression::Product(Box::new(first), rest) })
    }

    fn factor(&mut self) -> Read<Expression<S>> {
        let at = At(self.tokens.span());
        match self.tokens.kind(0) {
            Some(TokenKind::Number(text)) => match decimal(text) {
                Ok(value) => {
                    self.tokens.advance(1);
                    Ok(Expression::Number(value, at))
                }
                Err(problem) => {
                    let diagnostic = Diagnostic::new(Code::BadNumber, at.0, problem.to_string());
                    Err(self.tokens.report(diagnostic.help(instead_of_number(text, &problem))))
                }
            },
            Some(TokenKind::Name(_) | TokenKind::Quoted(_)) => Ok(Expression::Name(self.name("a rate")?)),
            Some(TokenKind::Symbol('-')) => {
                self.tokens.advance(1);
                let inner = self.nested(Self::factor)?;
                Ok(Expression::Negative(Box::new(inner), at))
            }
            Some(TokenKind::Open(Bracket::Round, _)) => {
                self.tokens.advance(1);
                let inner = self.nested(Self::expression)?;
                self.close(Bracket::Round, at.0)?;
                Ok(inner)
            }
            Some(TokenKind::Open(Bracket::Curly, Some(group))) => {
                let group = *group;
                self.skip_group();
                Ok(Expression::Rust(group, At(at.0.join(self.tokens.previous()))))
            }
            Some(TokenKind::Open(Bracket::Curly, None)) => {
                let diagnostic = self.expectation("a rate").map(|diagnostic| diagnostic.help(
                    "a value from Rust in braces is for macros; a result with its pattern stands after the system equation",
                ));
                self.tokens.diagnostics.extend(diagnostic);
                Err(Reported)
            }
            _ => Err(self.expected("a rate: a number, a name or `infty`")),
        }
    }

    fn skip_group(&mut self) {
        let mut open = 0_usize;
        while let Some(kind) = self.tokens.kind(0) {
            match kind {
                TokenKind::Open(..) => open += 1,
                TokenKind::Close(_) => open -= 1,
                _ => {}
            }
            self.tokens.advance(1);
            if open == 0 {
                return;
            }
        }
    }
}

/// What to write instead of a number that cannot be read.
fn instead_of_number(text: &str, problem: &NumberError) -> String {
    let after_digits = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_' || c == '.');
    let digits = &text[..text.len() - after_digits.len()];
    if problem.is_out_of_range() {
        return OUT_OF_RANGE.into();
    }
    if decimal(digits).is_ok()
        && digits != "0"
        && after_digits.starts_with(|c: char| c.is_alphabetic() && c != 'e')
    {
        return format!("write `{digits} * {after_digits}` for a product");
    }
    "write digits, with a fraction or an exponent if needed: `2`, `0.25`, `1e-3`".into()
}

#[cfg(test)]
mod tests {
    use crate::testing::models;

    #[test]
    fn findings() {
        models(&[
            ("P = (a, 2r).P; P", &["bad_number `2r`: `2r` is not a number"]),
            ("P = (a, ).P; P", &["syntax `)`: expected a rate: a number, a name or `infty`, found `)`"]),
            ("P = (a, 2 +).P; P", &["syntax `)`: expected a rate: a number, a name or `infty`, found `)`"]),
            ("P = (a, (1).P; P", &["syntax `.`: expected an operator or `)` after the rate, found `.`"]),
            ("P = (a, 1e999).P; P", &["bad_number `1e999`: `1e999` is beyond the range of a 64-bit float"]),
            ("P = (a, {x}).P; P", &["syntax `{`: expected a rate, found `{`"]),
        ]);
    }
}
