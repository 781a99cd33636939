//! Conditions on states and numbers of states, from the weakest operator to the atoms.

use super::Parser;
use super::constant::{literal, product_operator, sum_operator};
use crate::csl::tree::{Formula, Relation};
use crate::diagnostic::{Code, Diagnostic, TextSpan};
use crate::syntax::ast::{At, Name};
use crate::syntax::cursor::{Read, Reported};
use crate::syntax::parse::parse_pattern;
use crate::syntax::token::{Bracket, TokenKind};

impl Parser<'_> {
    pub(super) fn formula(&mut self) -> Read<Formula> {
        let left = self.equivalence()?;
        if !(self.tokens.is_symbol(0, '=') && self.tokens.is_symbol(1, '>')) {
            return Ok(left);
        }
        self.tokens.advance(2);
        let right = self.nested(Self::formula)?;
        Ok(Formula::Implies(Box::new(left), Box::new(right)))
    }

    fn equivalence(&mut self) -> Read<Formula> {
        let mut left = self.or()?;
        let depth = self.depth;
        while self.is_equivalence() {
            self.tokens.advance(3);
            // The tree grows deeper to its left.
            let right = self.nested(Self::or)?;
            self.depth += 1;
            left = Formula::Equivalent(Box::new(left), Box::new(right));
        }
        self.depth = depth;
        Ok(left)
    }

    fn is_equivalence(&self) -> bool {
        ['<', '=', '>'].into_iter().enumerate().all(|(ahead, symbol)| self.tokens.is_symbol(ahead, symbol))
    }

    fn or(&mut self) -> Read<Formula> {
        let mut parts = vec![self.and()?];
        while self.tokens.is_symbol(0, '|') {
            self.refuse_doubled("|")?;
            self.tokens.advance(1);
            parts.push(self.and()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Formula::Or(parts) })
    }

    fn and(&mut self) -> Read<Formula> {
        let mut parts = vec![self.not()?];
        while self.is_foreign(0, "&") {
            self.refuse_doubled("&")?;
            self.tokens.advance(1);
            parts.push(self.not()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Formula::And(parts) })
    }

    /// Reports `&&` and `||`.
    fn refuse_doubled(&mut self, operator: &str) -> Read<()> {
        let is_doubled = match operator {
            "|" => self.tokens.is_symbol(1, '|'),
            _ => self.is_foreign(1, operator),
        };
        if !is_doubled {
            return Ok(());
        }
        let span = self.tokens.span();
        let span = TextSpan { end: span.end + 1, ..span };
        let message = format!("`{operator}{operator}` is no operator of properties");
        let finding = Diagnostic::new(Code::Syntax, span, message);
        Err(self.tokens.report(finding.help(format!("write `{operator}`"))))
    }

    fn not(&mut self) -> Read<Formula> {
        let at = self.tokens.span();
        if !self.is_foreign(0, "!") {
            return self.comparison();
        }
        self.tokens.advance(1);
        Ok(Formula::Not(Box::new(self.nested(Self::not)?), At(at)))
    }

    fn comparison(&mut self) -> Read<Formula> {
        let left = self.sum()?;
        let Some(relation) = self.relation()? else { return Ok(left) };
        let right = self.boxed(Self::sum)?;
        let chained = self.tokens.span();
        if self.relation()?.is_some() {
            let finding = Diagnostic::new(Code::Syntax, chained, "a comparison of a comparison");
            return Err(self.tokens.report(finding.help("write `1 < x & x < 3`, or brackets and `<=>`")));
        }
        Ok(Formula::Compare(Box::new(left), relation, right))
    }

    /// The comparison that begins here, if one does.
    pub(super) fn relation(&mut self) -> Read<Option<Relation>> {
        let is = |ahead, symbol| self.tokens.is_symbol(ahead, symbol);
        let (relation, length) = match self.tokens.kind(0) {
            Some(TokenKind::Symbol('<')) if is(1, '=') && is(2, '>') => return Ok(None),
            Some(TokenKind::Symbol('=')) if is(1, '>') => return Ok(None),
            Some(TokenKind::Symbol('=')) if is(1, '=') => {
                let span = self.tokens.span();
                let span = TextSpan { end: span.end + 1, ..span };
                let finding = Diagnostic::new(Code::Syntax, span, "`==` is no operator of properties");
                return Err(self.tokens.report(finding.help("write `=`")));
            }
            Some(TokenKind::Symbol('<')) if is(1, '=') => (Relation::AtMost, 2),
            Some(TokenKind::Symbol('<')) => (Relation::Less, 1),
            Some(TokenKind::Symbol('>')) if is(1, '=') => (Relation::AtLeast, 2),
            Some(TokenKind::Symbol('>')) => (Relation::More, 1),
            Some(TokenKind::Symbol('=')) => (Relation::Equal, 1),
            Some(TokenKind::Foreign(text)) if text == "!" && is(1, '=') => (Relation::Unequal, 2),
            _ => return Ok(None),
        };
        self.tokens.advance(length);
        Ok(Some(relation))
    }

    fn sum(&mut self) -> Read<Formula> {
        let first = self.product()?;
        let mut rest = Vec::new();
        while let Some(operator) = sum_operator(self.tokens.kind(0)) {
            self.tokens.advance(1);
            rest.push((operator, self.product()?));
        }
        Ok(if rest.is_empty() { first } else { Formula::Sum(Box::new(first), rest) })
    }

    fn product(&mut self) -> Read<Formula> {
        let first = self.atom()?;
        let mut rest = Vec::new();
        while let Some(operator) = product_operator(self.tokens.kind(0)) {
            self.tokens.advance(1);
            rest.push((operator, self.atom()?));
        }
        Ok(if rest.is_empty() { first } else { Formula::Product(Box::new(first), rest) })
    }

    fn atom(&mut self) -> Read<Formula> {
        let start = self.tokens.span();
        match self.tokens.kind(0) {
            Some(TokenKind::Number(_)) => self.number().map(|(value, at)| Formula::Number(value, at)),
            Some(TokenKind::Quoted(_)) => Ok(Formula::Label(self.name("a label")?)),
            Some(TokenKind::Symbol('-')) => {
                self.tokens.advance(1);
                Ok(Formula::Negative(Box::new(self.nested(Self::atom)?), At(start)))
            }
            Some(TokenKind::Open(Bracket::Round, _)) => {
                self.tokens.advance(1);
                let inner = self.nested(Self::formula)?;
                self.close(Bracket::Round, start, "an operator or `)`")?;
                Ok(inner)
            }
            Some(TokenKind::Open(Bracket::Curly, _)) => self.pattern(),
            Some(TokenKind::Name(word)) => self.word(word, start),
            Some(TokenKind::Foreign(text)) if text == "!" => {
                let finding = Diagnostic::new(Code::WrongUnit, start, "`!` where a number is needed");
                Err(self
                    .tokens
                    .report(finding.help("`!` binds less tightly than a comparison: `!x = 1` is `!(x = 1)`")))
            }
            _ => Err(self.expected("a formula: a label in quotes, a comparison, `P`, `S`, `R` or `(`")),
        }
    }

    /// What begins with a word: an operator, a constant, `true`, or the name of a local state.
    fn word(&mut self, word: &str, start: TextSpan) -> Read<Formula> {
        if let Some(operator) = self.operator(word, start) {
            return operator;
        }
        self.refuse_nested_path(word)?;
        if self.unread.iter().any(|unread| unread == word) {
            return Err(Reported);
        }
        let name = self.name("a name")?;
        if self.is_foreign(0, "@") {
            return self.copy(name);
        }
        Ok(match word {
            "true" | "false" => Formula::Truth(word == "true", At(start)),
            _ => match self.value_of(word) {
                Some(value) => literal(value, At(start)),
                None => Formula::Population(name),
            },
        })
    }

    /// What follows the component in `Client@1:Wait`.
    fn copy(&mut self, component: Name<TextSpan>) -> Read<Formula> {
        self.tokens.advance(1);
        let number = self.number()?;
        if !self.tokens.is_symbol(0, ':') {
            return Err(self.expected("`:` and a local state, as in `Client@1:Wait`"));
        }
        self.tokens.advance(1);
        let state = self.name("a local state")?;
        Ok(Formula::Copy { component, number, state })
    }

    /// `{P || **}`
    fn pattern(&mut self) -> Read<Formula> {
        let opened = self.open(Bracket::Curly, "`{`")?;
        let tokens = self.tokens.rest();
        let mut depth = 1_usize;
        let length = tokens.iter().position(|token| {
            match &token.kind {
                TokenKind::Open(Bracket::Curly, _) => depth += 1,
                TokenKind::Close(Bracket::Curly) => depth -= 1,
                _ => {}
            }
            depth == 0 || token.kind == TokenKind::Symbol(';')
        });
        let Some(length) = length.filter(|_| depth == 0) else {
            let finding = Diagnostic::new(Code::Unclosed, opened, "this brace is never closed");
            return Err(self
                .tokens
                .report(finding.label("opened here").help("write `}` behind the pattern")));
        };
        let (pattern, findings) = parse_pattern(&tokens[..length], tokens[length].span);
        self.tokens.advance(length + 1);
        self.tokens.diagnostics.extend(findings);
        pattern.map(|pattern| Formula::Pattern(pattern, self.since(opened))).ok_or(Reported)
    }
}
