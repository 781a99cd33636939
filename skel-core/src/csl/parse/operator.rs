//! The operators `P`, `S` and `R`, with what they ask, and filters.

use num_traits::{One, Signed, Zero};

use super::Parser;
use crate::csl::tree::{Bound, FilterKind, Formula, Relation, RewardUntil};
use crate::diagnostic::{Code, Diagnostic, TextSpan, did_you_mean};
use crate::number::Ratio;
use crate::syntax::ast::Name;
use crate::syntax::cursor::{Read, Reported};
use crate::syntax::token::{Bracket, TokenKind};

impl Parser<'_> {
    /// The operator that begins with this word, if one does. A local state may be called `P` as well: an
    /// operator has a bound and then `[`.
    pub(super) fn operator(&mut self, word: &str, start: TextSpan) -> Option<Read<Formula>> {
        match word {
            "P" if self.bound_follows(1) => Some(self.nested(|parser| parser.probability(start))),
            "S" if self.bound_follows(1) => Some(self.nested(|parser| parser.long_run(start))),
            "R" if self.bound_follows(1) => Some(Err(self.lacks_reward(start))),
            "R" if self.tokens.is_open(1, Bracket::Curly) => Some(self.nested(|parser| parser.reward(start))),
            "filter" if self.tokens.is_open(1, Bracket::Round) => {
                Some(self.nested(|parser| parser.filter(start)))
            }
            "Pmin" | "Pmax" | "Smin" | "Smax" | "Rmin" | "Rmax"
                if self.bound_follows(1) || self.tokens.is_open(1, Bracket::Curly) =>
            {
                let message = format!("`{word}` is for models with choices, and a Markov chain has none");
                let finding = Diagnostic::new(Code::BadProperty, start, message);
                Some(Err(self.tokens.report(finding.help(format!("write `{}`", &word[..1])))))
            }
            _ => None,
        }
    }

    /// Whether a bound and `[` follow: `=? [`, `>= 0.3 [`.
    fn bound_follows(&self, ahead: usize) -> bool {
        let mut tokens = self.tokens.rest().get(ahead..).unwrap_or_default();
        let is_relation = |kind: &TokenKind| matches!(kind, TokenKind::Symbol('<' | '>' | '='));
        if !tokens.first().is_some_and(|token| is_relation(&token.kind)) {
            return false;
        }
        while let Some((_, rest)) = tokens.split_first().filter(|(token, _)| is_relation(&token.kind)) {
            tokens = rest;
        }
        let is_constant = |kind: &TokenKind| match kind {
            TokenKind::Number(_) | TokenKind::Name(_) => true,
            TokenKind::Symbol(symbol) => "+-*/".contains(*symbol),
            TokenKind::Open(bracket, _) => *bracket == Bracket::Round,
            TokenKind::Close(bracket) => *bracket == Bracket::Round,
            _ => false,
        };
        let mut behind = tokens.iter().skip_while(|token| is_constant(&token.kind));
        match behind.next().map(|token| &token.kind) {
            Some(TokenKind::Open(Bracket::Square, _)) => true,
            _ => {
                matches!(tokens.first().map(|token| &token.kind), Some(TokenKind::Foreign(text)) if text == "?")
            }
        }
    }

    fn probability(&mut self, start: TextSpan) -> Read<Formula> {
        self.tokens.advance(1);
        let bound = self.bound(true)?;
        let opened = self.open(Bracket::Square, "`[` and a condition on runs")?;
        let path = self.path()?;
        self.close(Bracket::Square, opened, "an operator or `]`")?;
        Ok(Formula::Probability(bound, Box::new(path), self.since(start)))
    }

    fn long_run(&mut self, start: TextSpan) -> Read<Formula> {
        self.tokens.advance(1);
        let bound = self.bound(true)?;
        let opened = self.open(Bracket::Square, "`[` and a condition on states")?;
        let states = self.boxed(Self::formula)?;
        self.close(Bracket::Square, opened, "an operator or `]`")?;
        Ok(Formula::LongRun(bound, states, self.since(start)))
    }

    fn lacks_reward(&mut self, start: TextSpan) -> Reported {
        let finding = Diagnostic::new(Code::BadProperty, start, "`R` does not say what is counted");
        self.tokens.report(finding.help(
            "write it behind `R`: `R{\"serve\"}` counts activities, `R{\"Busy\"}` adds up components in a local state over time, and `R{\"time\"}` is time",
        ))
    }

    fn reward(&mut self, start: TextSpan) -> Read<Formula> {
        self.tokens.advance(1);
        let reward = self.reward_name()?;
        let bound = self.bound(false)?;
        let opened = self.open(Bracket::Square, "`[` and until when it is counted")?;
        let until = Box::new(self.until()?);
        self.close(Bracket::Square, opened, "an operator or `]`")?;
        Ok(Formula::Reward { reward, bound, until, at: self.since(start) })
    }

    /// `{"serve"}`
    fn reward_name(&mut self) -> Read<Name<TextSpan>> {
        let opened = self.open(Bracket::Curly, "`{`")?;
        if let Some(TokenKind::Name(word)) = self.tokens.kind(0) {
            let message = format!("the name `{word}` of what is counted has no quotes");
            let finding = Diagnostic::new(Code::Syntax, self.tokens.span(), message);
            return Err(self.tokens.report(finding.help(format!("write `R{{\"{word}\"}}`"))));
        }
        let name = self.name("what is counted, in quotes")?;
        self.close(Bracket::Curly, opened, "`}`")?;
        Ok(name)
    }

    /// `=?`, or a comparison with a number: a probability, or a reward.
    fn bound(&mut self, is_probability: bool) -> Read<Bound> {
        if self.tokens.is_symbol(0, '=') && self.is_foreign(1, "?") {
            self.tokens.advance(2);
            return Ok(Bound::Asked);
        }
        let at = self.tokens.span();
        let Some(relation) = self.relation()? else {
            return Err(self.expected("`=?`, or `<`, `<=`, `>`, `>=` and a number"));
        };
        if matches!(relation, Relation::Equal | Relation::Unequal) {
            let finding = Diagnostic::new(Code::BadProperty, at, "a bound is one of `<`, `<=`, `>`, `>=`");
            return Err(self.tokens.report(finding.help("write `=?` to ask for the value")));
        }
        let (value, span) = self.constant()?;
        let shown = format!("`{}`", crate::number::display_ratio(&value));
        if is_probability && (value.is_negative() || value > Ratio::one()) {
            let finding = Diagnostic::new(Code::BadBound, span, format!("{shown} is no probability"));
            self.tokens.report(finding.help("write a number from 0 to 1"));
            return Ok(Bound::Compared(relation, Ratio::zero()));
        }
        if value.is_negative() {
            let finding = Diagnostic::new(
                Code::BadBound,
                span,
                format!("the bound {shown} is negative, and no reward is"),
            );
            self.tokens.report(finding.help("write a number of at least 0"));
            return Ok(Bound::Compared(relation, Ratio::zero()));
        }
        Ok(Bound::Compared(relation, value))
    }

    /// `C<=t`, `I=t`, `F f` or `S`
    fn until(&mut self) -> Read<RewardUntil> {
        const EXPECTED: &str = "`C<=t`, `I=t`, `F` and a condition, or `S`";
        let Some(TokenKind::Name(word)) = self.tokens.kind(0) else { return Err(self.expected(EXPECTED)) };
        let start = self.tokens.span();
        match word.as_str() {
            "C" => {
                self.tokens.advance(1);
                match self.relation()? {
                    Some(Relation::AtMost | Relation::Less) => {
                        Ok(RewardUntil::Cumulative(self.time(Self::constant)?.0))
                    }
                    _ => {
                        let message = "`C` without a time counts for ever";
                        let finding = Diagnostic::new(Code::BadProperty, start, message);
                        Err(self.tokens.report(finding.help(
                            "write `C<=t`, or `S` for what is counted per unit of time in the long run",
                        )))
                    }
                }
            }
            "I" => {
                self.tokens.advance(1);
                self.symbol('=', "`=` and a time")?;
                Ok(RewardUntil::Instant(self.time(Self::constant)?.0))
            }
            "F" => {
                self.tokens.advance(1);
                if let Some(bound) = self.times_span()? {
                    let finding =
                        Diagnostic::new(Code::BadProperty, bound, "`F` has no bound on time in a reward");
                    return Err(self.tokens.report(finding.help("write `C<=t` to count until a time")));
                }
                Ok(RewardUntil::Reach(self.formula()?))
            }
            "S" => {
                self.tokens.advance(1);
                Ok(RewardUntil::LongRun)
            }
            _ => Err(self.expected(EXPECTED)),
        }
    }

    /// The place of a bound on time that begins here, if one does.
    fn times_span(&mut self) -> Read<Option<TextSpan>> {
        let span = self.tokens.span();
        let is_bound = self.tokens.is_open(0, Bracket::Square) || self.relation()?.is_some();
        Ok(is_bound.then_some(span))
    }

    /// `filter(max, formula, states)`
    fn filter(&mut self, start: TextSpan) -> Read<Formula> {
        self.tokens.advance(1);
        let opened = self.open(Bracket::Round, "`(`")?;
        let kind = self.filter_kind()?;
        self.symbol(',', "`,` and a formula")?;
        let formula = self.boxed(Self::formula)?;
        let states = match self.tokens.take(',') {
            true => Some(self.boxed(Self::formula)?),
            false => None,
        };
        self.close(Bracket::Round, opened, "`,` or `)`")?;
        Ok(Formula::Filter { kind, formula, states, at: self.since(start) })
    }

    fn filter_kind(&mut self) -> Read<FilterKind> {
        let span = self.tokens.span();
        let word = match self.tokens.kind(0) {
            Some(TokenKind::Name(word)) => word.as_str(),
            Some(TokenKind::Symbol('+')) => "sum",
            Some(TokenKind::Foreign(text)) if text == "&" => "forall",
            Some(TokenKind::Symbol('|')) => "exists",
            _ => return Err(self.expected("the kind of the filter, such as `max` or `print`")),
        };
        let words = FilterKind::ALL.iter().map(|kind| kind.word());
        if let Some(kind) = FilterKind::ALL.into_iter().find(|kind| kind.word() == word) {
            self.tokens.advance(1);
            return Ok(kind);
        }
        let listed = words.clone().collect::<Vec<_>>().join("`, `");
        let help = match did_you_mean(word, words) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("write one of `{listed}`"),
        };
        let finding = Diagnostic::new(Code::BadProperty, span, format!("there is no filter `{word}`"));
        Err(self.tokens.report(finding.help(help)))
    }
}
