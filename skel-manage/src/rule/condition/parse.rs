//! From tokens to an expression, by recursive descent.
//!
//! ```text
//! condition  = all { "or" all }
//! all        = not { "and" not }
//! not        = "not" not | comparison
//! comparison = sum [ ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum ]
//! sum        = product { ( "+" | "-" ) product }
//! product    = signed { ( "*" | "/" ) signed }
//! signed     = "-" signed | atom
//! atom       = number [ "s" | "ms" | "us" | "ns" | "min" | "h" | "%" ] | measure
//!            | ( "max" | "min" ) "(" sum { "," sum } ")" | "(" condition ")"
//! ```
//! The first fault of the grammar ends the reading; words that no measure has are all reported.

use skel_core::diagnostic::{Code, Diagnostic, Span, TextSpan, did_you_mean};
use skel_core::number::{Ratio, decimal, ratio};
use skel_core::syntax::cursor::{Read, Reported};

use super::expression::{Comparison, Expression, What};
use super::lex::{Kind, Token};
use crate::rule::measure::Measure;

/// How deep brackets, `not` and signs may nest, so that no text overflows the stack.
const MOST_DEPTH: usize = 50;

/// The words of the grammar. No measure has one of them.
const WORDS: [&str; 5] = ["and", "or", "not", "max", "min"];

/// Reads a condition from all of the tokens.
pub(super) fn parse(tokens: &[Token], text: &str) -> (Option<Expression>, Vec<Diagnostic<TextSpan>>) {
    let end = text.trim_end().len();
    let mut parser = Parser { tokens, at: 0, end: TextSpan { start: end, end }, depth: 0, found: Vec::new() };
    let expression = parser.whole().ok();
    (expression, parser.found)
}

struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    end: TextSpan,
    depth: usize,
    found: Vec<Diagnostic<TextSpan>>,
}

impl Parser<'_> {
    fn whole(&mut self) -> Read<Expression> {
        let expression = self.condition()?;
        match self.kind() {
            None => Ok(expression),
            Some(Kind::Sign(")")) => Err(self.report(
                Code::Unclosed,
                "this `)` closes nothing",
                "leave it out, or write `(` where it should begin",
            )),
            Some(kind) => {
                let message =
                    format!("expected `and`, `or` or the end of the condition, found {}", kind.describe());
                let help = match kind {
                    Kind::Word(word) => {
                        did_you_mean(word, ["and", "or"]).map(|word| format!("did you mean `{word}`?"))
                    }
                    Kind::Number(_) | Kind::Sign(_) => None,
                };
                let finding = Diagnostic::new(Code::Syntax, self.place(), message);
                Err(self.push(help.into_iter().fold(finding, Diagnostic::help)))
            }
        }
    }

    fn condition(&mut self) -> Read<Expression> {
        self.nested(|parser| {
            parser.chain("or", What::Any, |parser| parser.chain("and", What::All, Self::not))
        })
    }

    /// Parts with a word between them.
    fn chain(
        &mut self,
        word: &str,
        make: fn(Vec<Expression>) -> What,
        part: fn(&mut Self) -> Read<Expression>,
    ) -> Read<Expression> {
        let mut parts = vec![part(self)?];
        while self.take_word(word) {
            parts.push(part(self)?);
        }
        Ok(match <[Expression; 1]>::try_from(parts) {
            Ok([part]) => part,
            Err(parts) => {
                let at = covering(parts.iter().map(|part| part.at));
                Expression { what: make(parts), at }
            }
        })
    }

    fn not(&mut self) -> Read<Expression> {
        let start = self.place();
        if !self.take_word("not") {
            return self.comparison();
        }
        let inner = self.nested(Self::not)?;
        let at = start.join(inner.at);
        Ok(Expression { what: What::Not(Box::new(inner)), at })
    }

    fn nested(&mut self, part: fn(&mut Self) -> Read<Expression>) -> Read<Expression> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            let message = format!("more than {MOST_DEPTH} brackets, `not` and signs inside of one another");
            return Err(self.report(
                Code::NestingTooDeep,
                &message,
                "leave out what is not needed, or say it in several rules",
            ));
        }
        let inner = part(self);
        self.depth -= 1;
        inner
    }

    fn comparison(&mut self) -> Read<Expression> {
        let left = self.sum()?;
        let Some(comparison) = self.take_comparison() else { return Ok(left) };
        let right = self.sum()?;
        let place = self.place();
        if self.take_comparison().is_some() {
            let finding =
                Diagnostic::new(Code::Syntax, place, "a comparison has two sides, and this is a third");
            return Err(self.push(finding.help("write `a < b and b < c`")));
        }
        let at = left.at.join(right.at);
        Ok(Expression { what: What::Compare(Box::new(left), comparison, Box::new(right)), at })
    }

    fn sum(&mut self) -> Read<Expression> {
        self.signs(["+", "-"], What::Sum, |parser| parser.signs(["*", "/"], What::Product, Self::signed))
    }

    /// Parts with one of two signs between them, of which the second is the inverse of the first.
    fn signs(
        &mut self,
        signs: [&str; 2],
        make: fn(Vec<(bool, Expression)>) -> What,
        part: fn(&mut Self) -> Read<Expression>,
    ) -> Read<Expression> {
        let first = part(self)?;
        if !signs.iter().any(|sign| self.is_sign(sign)) {
            return Ok(first);
        }
        let mut parts = vec![(false, first)];
        while let Some(inverse) = signs.iter().position(|sign| self.is_sign(sign)) {
            self.at += 1;
            parts.push((inverse == 1, part(self)?));
        }
        let at = covering(parts.iter().map(|(_, part)| part.at));
        Ok(Expression { what: make(parts), at })
    }

    fn signed(&mut self) -> Read<Expression> {
        let start = self.place();
        if !self.take_sign("-") {
            return self.atom();
        }
        let inner = self.nested(Self::signed)?;
        let at = start.join(inner.at);
        Ok(Expression { what: What::Sum(vec![(true, inner)]), at })
    }

    fn atom(&mut self) -> Read<Expression> {
        let (place, kind) = (self.place(), self.kind().cloned());
        match kind {
            Some(Kind::Number(digits)) => {
                self.at += 1;
                self.number(&digits, place)
            }
            Some(Kind::Word(word)) if word == "max" || word == "min" => {
                self.at += 1;
                self.extreme(&word, place)
            }
            Some(Kind::Word(word)) if !WORDS.contains(&word.as_str()) => {
                self.at += 1;
                Ok(Expression { what: self.measure(&word, place), at: place })
            }
            Some(Kind::Sign("(")) => {
                self.at += 1;
                let inner = self.condition()?;
                let at = place.join(self.place());
                self.close(place)?;
                Ok(Expression { at, ..inner })
            }
            Some(kind) => {
                let message = format!("expected a measure, a number or `(`, found {}", kind.describe());
                Err(self.push(Diagnostic::new(Code::Syntax, place, message)))
            }
            None if self.tokens.is_empty() => Err(self.report(
                Code::Syntax,
                "the condition is empty",
                "say when the rule fires, as in `service_time > limit`",
            )),
            None => Err(self.push(Diagnostic::new(
                Code::Syntax,
                place,
                "expected a measure, a number or `(`, found the end of the condition",
            ))),
        }
    }

    /// A number, whose digits were read, and its unit.
    fn number(&mut self, digits: &str, place: TextSpan) -> Read<Expression> {
        let value = decimal(digits)
            .map_err(|error| self.push(Diagnostic::new(Code::BadNumber, place, error.to_string())))?;
        let unit = match self.kind() {
            Some(Kind::Sign("%")) => Some((ratio(1, 100), false)),
            Some(Kind::Word(word)) => unit(word).map(|factor| (factor, true)),
            _ => None,
        };
        let at = if unit.is_some() { place.join(self.place()) } else { place };
        self.at += usize::from(unit.is_some());
        if let (None, Some(Kind::Word(word))) = (&unit, self.kind())
            && !WORDS.contains(&word.as_str())
        {
            let help = match did_you_mean(word, ["and", "or"]) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "the units are `h`, `min`, `s`, `ms`, `us`, `ns` and `%`".to_owned(),
            };
            return Err(self.report(Code::BadNumber, &format!("`{word}` is no unit"), &help));
        }
        let (factor, is_time) = unit.unwrap_or((ratio(1, 1), false));
        Ok(Expression { what: What::Number { value: value * factor, is_time }, at })
    }

    /// `(a, b, c)`, behind `max` or `min`.
    fn extreme(&mut self, word: &str, place: TextSpan) -> Read<Expression> {
        let open = self.place();
        if !self.take_sign("(") {
            let message = format!("expected `(` behind `{word}`");
            return Err(self.report(
                Code::Syntax,
                &message,
                &format!("write `{word}(dispatch_time, collect_time)`, say"),
            ));
        }
        let mut parts = vec![self.nested(Self::sum)?];
        while self.take_sign(",") {
            parts.push(self.nested(Self::sum)?);
        }
        let at = place.join(self.place());
        self.close(open)?;
        Ok(Expression { what: if word == "max" { What::Largest(parts) } else { What::Smallest(parts) }, at })
    }

    fn measure(&mut self, word: &str, place: TextSpan) -> What {
        if let Some(measure) = Measure::from_word(word) {
            return What::Measure(measure);
        }
        let words = Measure::ALL.iter().map(|measure| measure.word());
        let help = match did_you_mean(word, words.chain(WORDS)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                let words: Vec<&str> = Measure::ALL.iter().map(|measure| measure.word()).collect();
                format!("the measures are {}", words.join(", "))
            }
        };
        self.found
            .push(Diagnostic::new(Code::UnknownMeasure, place, format!("`{word}` is no measure")).help(help));
        What::Reported
    }

    fn close(&mut self, open: TextSpan) -> Read<()> {
        if self.take_sign(")") {
            return Ok(());
        }
        let found = self.kind().map_or("the end of the condition".to_owned(), Kind::describe);
        let finding = Diagnostic::new(
            Code::Unclosed,
            open,
            format!("this `(` is not closed: expected `)`, found {found}"),
        );
        Err(self.push(finding.label("opened here").related(self.place(), "`)` is expected here")))
    }

    fn kind(&self) -> Option<&Kind> {
        self.tokens.get(self.at).map(|token| &token.kind)
    }

    fn place(&self) -> TextSpan {
        self.tokens.get(self.at).map_or(self.end, |token| token.at)
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.kind(), Some(Kind::Sign(found)) if *found == sign)
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let is_there = self.is_sign(sign);
        self.at += usize::from(is_there);
        is_there
    }

    fn take_word(&mut self, word: &str) -> bool {
        let is_there = matches!(self.kind(), Some(Kind::Word(found)) if found == word);
        self.at += usize::from(is_there);
        is_there
    }

    fn take_comparison(&mut self) -> Option<Comparison> {
        let Some(Kind::Sign(sign)) = self.kind() else { return None };
        let comparison = Comparison::of_sign(sign)?;
        self.at += 1;
        Some(comparison)
    }

    fn push(&mut self, finding: Diagnostic<TextSpan>) -> Reported {
        self.found.push(finding);
        Reported
    }

    fn report(&mut self, code: Code, message: &str, help: &str) -> Reported {
        let finding = Diagnostic::new(code, self.place(), message).help(help);
        self.push(finding)
    }
}

/// The smallest place that covers all of these.
fn covering(places: impl Iterator<Item = TextSpan>) -> TextSpan {
    places.reduce(Span::join).unwrap_or(TextSpan::NOWHERE)
}

/// The seconds of a unit of time.
fn unit(word: &str) -> Option<Ratio> {
    Some(match word {
        "h" => ratio(3600, 1),
        "min" => ratio(60, 1),
        "s" => ratio(1, 1),
        "ms" => ratio(1, 1000),
        "us" | "µs" | "μs" => ratio(1, 1_000_000),
        "ns" => ratio(1, 1_000_000_000),
        _ => return None,
    })
}
