//! Conditions on runs, and the times that they speak of.

use num_traits::{Signed, Zero};

use super::Parser;
use crate::csl::tree::{BinaryPath, Interval, Path, Relation};
use crate::diagnostic::{Code, Diagnostic, Span, TextSpan};
use crate::number::Ratio;
use crate::syntax::cursor::Read;
use crate::syntax::token::{Bracket, TokenKind};

impl Parser<'_> {
    pub(super) fn path(&mut self) -> Read<Path> {
        let word = match self.tokens.kind(0) {
            Some(TokenKind::Name(word)) => word.as_str(),
            _ => "",
        };
        if ["X", "F", "G"].contains(&word) {
            self.tokens.advance(1);
            if word == "X" {
                self.refuse_times_of_next()?;
                return Ok(Path::Next(self.formula()?));
            }
            let interval = self.interval()?;
            let then = self.formula()?;
            return Ok(if word == "F" {
                Path::Finally(interval, then)
            } else {
                Path::Globally(interval, then)
            });
        }
        let first = self.formula()?;
        let operator = match self.tokens.kind(0) {
            Some(TokenKind::Name(word)) => binary(word),
            _ => None,
        };
        let Some(operator) = operator else {
            let what = "`U`, `W` or `R`: between the brackets of `P` stands a condition on runs";
            let help = "write `F` before a condition on states, for \"at some time\", or `G`, for \"always\"";
            let finding = self.tokens.expectation(what).map(|finding| finding.help(help));
            self.tokens.diagnostics.extend(finding);
            return Err(crate::syntax::cursor::Reported);
        };
        self.tokens.advance(1);
        let interval = self.interval()?;
        Ok(Path::Binary(first, operator, interval, self.formula()?))
    }

    /// The times behind a path operator: `<=2`, `>1`, `[1,2]`, `=2`, or nothing.
    fn interval(&mut self) -> Read<Interval> {
        self.refuse_steps()?;
        let start = self.tokens.span();
        if self.tokens.is_open(0, Bracket::Square) {
            return self.closed_interval(start);
        }
        let Some(relation) = self.relation()? else { return Ok(Interval::default()) };
        let (time, at) = self.time(Self::constant_product)?;
        Ok(match relation {
            Relation::AtMost => Interval { from: None, to: Some((time, false)) },
            Relation::Less => Interval { from: None, to: Some((time, true)) },
            Relation::AtLeast => Interval { from: Some((time, false)), to: None },
            Relation::More => Interval { from: Some((time, true)), to: None },
            Relation::Equal => Interval { from: Some((time.clone(), false)), to: Some((time, false)) },
            Relation::Unequal => {
                let finding = Diagnostic::new(Code::BadBound, start.join(at), "times are no interval");
                self.tokens.report(finding.help("write `<=t`, `>=t` or `[a,b]`"));
                Interval::default()
            }
        })
    }

    fn closed_interval(&mut self, start: TextSpan) -> Read<Interval> {
        self.tokens.advance(1);
        let (from, _) = self.time(Self::constant)?;
        self.symbol(',', "`,` and the end of the interval")?;
        let (to, _) = self.time(Self::constant)?;
        self.close(Bracket::Square, start, "`]`")?;
        if from > to {
            let message = "the interval ends before it begins";
            let finding = Diagnostic::new(Code::BadBound, self.since(start).0, message);
            self.tokens.report(finding.help("write the earlier time first, `[1,2]`"));
        }
        Ok(Interval { from: Some((from, false)), to: Some((to, false)) })
    }

    /// A time, which is not negative.
    pub(super) fn time(&mut self, read: fn(&mut Self) -> Read<(Ratio, TextSpan)>) -> Read<(Ratio, TextSpan)> {
        let (time, at) = read(self)?;
        if time.is_negative() {
            let finding = Diagnostic::new(Code::BadBound, at, "a time is negative");
            self.tokens.report(finding.help("write a time of at least 0"));
            return Ok((Ratio::zero(), at));
        }
        Ok((time, at))
    }

    /// Reports a bound on steps: `F{steps}<=5`.
    fn refuse_steps(&mut self) -> Read<()> {
        let is_word = match self.tokens.kind(1) {
            Some(TokenKind::Name(word) | TokenKind::Quoted(word)) => {
                ["steps", "step"].contains(&word.as_str())
            }
            _ => false,
        };
        if !(self.tokens.is_open(0, Bracket::Curly) && is_word && self.tokens.is_close(2, Bracket::Curly)) {
            return Ok(());
        }
        let start = self.tokens.span();
        self.tokens.advance(3);
        let finding = Diagnostic::new(
            Code::BadProperty,
            self.since(start).0,
            "steps are not counted here: time is continuous",
        );
        Err(self.tokens.report(finding.help("write a bound on time, `F<=5`; `X` is the next activity")))
    }

    fn refuse_times_of_next(&mut self) -> Read<()> {
        let start = self.tokens.span();
        if !self.tokens.is_open(0, Bracket::Square) && self.relation()?.is_none() {
            return Ok(());
        }
        let finding = Diagnostic::new(Code::BadProperty, start, "`X` has no bound on time");
        Err(self.tokens.report(finding.help("leave the bound out, or ask with `F<=t`")))
    }

    /// Reports a condition on runs in a place for one on states, where it begins.
    pub(super) fn refuse_nested_path(&mut self, word: &str) -> Read<()> {
        if !["X", "F", "G"].contains(&word) || !self.path_follows() {
            return Ok(());
        }
        Err(self.nested_path(word))
    }

    /// Whether behind a word, and times perhaps, a formula begins.
    fn path_follows(&self) -> bool {
        let tokens = self.tokens.rest();
        let is_number = |kind: &TokenKind| matches!(kind, TokenKind::Number(_) | TokenKind::Name(_));
        let mut ahead = 1;
        let is_relation = |at: usize| {
            matches!(tokens.get(at).map(|token| &token.kind), Some(TokenKind::Symbol('<' | '>' | '=')))
        };
        let has_times = is_relation(ahead);
        while is_relation(ahead) {
            ahead += 1;
        }
        if has_times {
            while tokens.get(ahead).is_some_and(|token| is_number(&token.kind)) {
                ahead += 1;
                match tokens.get(ahead).map(|token| &token.kind) {
                    Some(TokenKind::Symbol('*' | '/')) => ahead += 1,
                    _ => break,
                }
            }
        }
        match tokens.get(ahead).map(|token| &token.kind) {
            Some(TokenKind::Name(word)) => binary(word).is_none(),
            Some(TokenKind::Quoted(_) | TokenKind::Open(..)) => true,
            Some(TokenKind::Number(_)) => !has_times,
            Some(TokenKind::Foreign(text)) => {
                text == "!"
                    && !matches!(tokens.get(ahead + 1).map(|next| &next.kind), Some(TokenKind::Symbol('=')))
            }
            _ => false,
        }
    }

    /// Reports `U`, `W` or `R` behind a formula that is no part of a path.
    pub(super) fn refuse_path_operator(&mut self) -> Read<()> {
        match self.tokens.kind(0) {
            Some(TokenKind::Name(word)) if binary(word).is_some() => Err(self.nested_path(word)),
            _ => Ok(()),
        }
    }

    fn nested_path(&mut self, word: &str) -> crate::syntax::cursor::Reported {
        let message = format!("`{word}` begins a condition on runs, where one on states is needed");
        let message = if binary(word).is_some() {
            format!("`{word}` makes a condition on runs, where one on states is needed")
        } else {
            message
        };
        let help = "write `P` with a bound around it: `P>=0.5 [ F<=3 \"full\" ]`; a path holds with some probability";
        self.tokens.report(Diagnostic::new(Code::NestedPath, self.tokens.span(), message).help(help))
    }
}

fn binary(word: &str) -> Option<BinaryPath> {
    match word {
        "U" => Some(BinaryPath::Until),
        "W" => Some(BinaryPath::WeakUntil),
        "R" => Some(BinaryPath::Release),
        _ => None,
    }
}
