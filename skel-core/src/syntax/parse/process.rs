//! Process terms: prefix, choice, cooperation, hiding, arrays.

use super::Parser;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::size::MOST_COMPONENTS;
use crate::syntax::ast::{At, CooperationSet, Expression, Name, PrefixActivity, Process, SetKind};
use crate::syntax::cursor::{Read, Reported};
use crate::syntax::token::{Bracket, Token, TokenKind};

impl<S: Span> Parser<'_, S> {
    pub(super) fn process(&mut self) -> Read<Process<S>> {
        let first = self.cooperation()?;
        if !self.tokens.is_symbol(0, '+') {
            return Ok(first);
        }
        let mut operands = vec![first];
        while self.tokens.take('+') {
            operands.push(self.cooperation()?);
        }
        Ok(Process::Choice(operands))
    }

    pub(super) fn cooperation(&mut self) -> Read<Process<S>> {
        let first = self.postfix()?;
        let mut rest = Vec::new();
        while self.tokens.is_symbol(0, '<') || self.tokens.is_symbol(0, '|') || self.starts_set_in_braces() {
            let set = self.cooperation_set()?;
            rest.push((set, self.postfix()?));
        }
        Ok(if rest.is_empty() { first } else { Process::Cooperation { first: Box::new(first), rest } })
    }

    pub(super) fn cooperation_set(&mut self) -> Read<CooperationSet<S>> {
        let start = self.tokens.span();
        if self.starts_set_in_braces() {
            return self.set_in_braces();
        }
        if self.tokens.take('|') {
            let at = At(start.join(self.tokens.span()));
            self.symbol('|', "`||`")?;
            return Ok(CooperationSet { kind: SetKind::Named(Vec::new()), at });
        }
        self.tokens.advance(1);
        let kind = if self.tokens.take('*') {
            SetKind::Shared
        } else {
            SetKind::Named(self.actions(|parser| parser.tokens.is_symbol(0, '>'))?)
        };
        let at = At(start.join(self.tokens.span()));
        self.symbol('>', "`,` or `>`")?;
        Ok(CooperationSet { kind, at })
    }

    /// Whether `{a}` follows a process, where `<a>` is meant. Only patterns and array sets have braces.
    fn starts_set_in_braces(&self) -> bool {
        let starts_names =
            self.is_name(1) && (self.tokens.is_symbol(2, ',') || self.tokens.is_close(2, Bracket::Curly));
        !self.in_pattern
            && self.tokens.is_open(0, Bracket::Curly)
            && (starts_names || self.tokens.is_close(1, Bracket::Curly))
    }

    /// Reports a set in braces and takes it for one in angle brackets.
    fn set_in_braces(&mut self) -> Read<CooperationSet<S>> {
        let opened = self.tokens.span();
        self.tokens.advance(1);
        let names = self.actions(|parser| parser.tokens.is_close(0, Bracket::Curly))?;
        let at = opened.join(self.tokens.span());
        self.close(Bracket::Curly, opened)?;
        let written: Vec<String> = names.iter().map(Name::to_string).collect();
        self.tokens.report(
            Diagnostic::new(Code::Syntax, at, "a cooperation set stands in angle brackets")
                .help(format!("write `<{}>`", written.join(", "))),
        );
        Ok(CooperationSet { kind: SetKind::Named(names), at: At(at) })
    }

    /// Names separated by commas; a comma may also stand behind the last.
    pub(super) fn actions(&mut self, at_end: impl Fn(&Self) -> bool) -> Read<Vec<Name<S>>> {
        let mut names = Vec::new();
        while !at_end(self) {
            names.push(self.name("an action")?);
            if !self.tokens.take(',') {
                break;
            }
        }
        Ok(names)
    }

    /// `P/{a}/{b}` is `P/{a, b}`.
    pub(super) fn postfix(&mut self) -> Read<Process<S>> {
        let process = self.prefix()?;
        let mut hidden: Option<Vec<Name<S>>> = None;
        while self.starts_hiding(0) {
            self.tokens.advance(1);
            let opened = self.tokens.span();
            let angles = self.tokens.is_symbol(0, '<');
            self.tokens.advance(1);
            let set = if angles {
                let set = self.actions(|parser| parser.tokens.is_symbol(0, '>'))?;
                self.symbol('>', "`,` or `>`")?;
                set
            } else {
                let set = self.actions(|parser| parser.tokens.is_close(0, Bracket::Curly))?;
                self.close(Bracket::Curly, opened)?;
                set
            };
            hidden.get_or_insert_default().extend(set);
        }
        Ok(match hidden {
            Some(set) => Process::Hiding { of: Box::new(process), set },
            None => process,
        })
    }

    pub(super) fn prefix(&mut self) -> Read<Process<S>> {
        let mut activities = Vec::new();
        loop {
            match self.tokens.kind(0) {
                Some(TokenKind::Open(Bracket::Round, _)) => {
                    let opened = self.tokens.span();
                    if self.is_name(1) && self.tokens.is_symbol(2, ',') {
                        self.tokens.advance(1);
                        activities.push(self.activity(opened)?);
                        continue;
                    }
                    self.comma_in_activity()?;
                    self.tokens.advance(1);
                    let inner = self.nested(Self::process)?;
                    self.close(Bracket::Round, opened)?;
                    return Ok(after(activities, inner));
                }
                Some(TokenKind::Name(_) | TokenKind::Quoted(_)) => {
                    let name = self.name("a process")?;
                    let process = self.constant_or_array(name)?;
                    return Ok(after(activities, process));
                }
                Some(TokenKind::Symbol('*')) if self.in_pattern && self.tokens.is_symbol(1, '*') => {
                    let at = At(self.tokens.span());
                    self.tokens.advance(2);
                    return Ok(after(activities, Process::Anything(at)));
                }
                Some(TokenKind::Symbol('*')) if self.tokens.is_symbol(1, '*') => {
                    return Err(self.expected("a process (`**` stands in patterns alone)"));
                }
                _ => return Err(self.expected("a process: a name, `(action, rate).P` or `(`")),
            }
        }
    }

    /// Whether an activity without its comma, `(action rate).P`, starts here: if so, how many tokens ahead
    /// its bracket closes.
    pub(super) fn lacks_comma(&self) -> Option<usize> {
        let continues_process = match self.tokens.kind(2)? {
            TokenKind::Symbol(symbol) => ",+<|/.".contains(*symbol),
            TokenKind::Open(bracket, _) => *bracket != Bracket::Round,
            TokenKind::Close(_) | TokenKind::Foreign(_) | TokenKind::Reported => true,
            _ => false,
        };
        if !self.tokens.is_open(0, Bracket::Round) || !self.is_name(1) || continues_process {
            return None;
        }
        let is_end = |token: &Token<S>| token.kind == TokenKind::Close(Bracket::Round);
        let end = self.tokens.rest().iter().position(is_end)?;
        self.tokens.is_symbol(end + 1, '.').then_some(end)
    }

    /// Reports an activity without its comma, and goes on behind it.
    fn comma_in_activity(&mut self) -> Read<()> {
        let Some(end) = self.lacks_comma() else { return Ok(()) };
        self.tokens.advance(2);
        let diagnostic = self.expectation("`,` between the action and its rate");
        self.tokens.diagnostics.extend(diagnostic.map(|found| found.help("an activity is `(action, rate)`")));
        self.tokens.advance(end - 1);
        Err(Reported)
    }

    /// `action, rate)` and the dot after it.
    fn activity(&mut self, opened: S) -> Read<PrefixActivity<S>> {
        let action = self.name("an action")?;
        self.symbol(',', "`,` and a rate")?;
        let rate = self.expression()?;
        if !self.tokens.is_close(0, Bracket::Round) {
            return Err(self.unclosed(opened, Bracket::Round, "an operator or `)` after the rate"));
        }
        self.tokens.advance(1);
        self.symbol('.', "`.` and what follows the activity")?;
        Ok(PrefixActivity { action, rate })
    }

    fn constant_or_array(&mut self, of: Name<S>) -> Read<Process<S>> {
        let opened = self.tokens.span();
        if !self.tokens.is_open(0, Bracket::Square) {
            return Ok(Process::Constant(of));
        }
        self.tokens.advance(1);
        let count = self.count(&of)?;
        let mut set = Vec::new();
        if self.tokens.take(',') {
            let opened = self.tokens.span();
            if !self.tokens.is_open(0, Bracket::Curly) {
                return Err(self.expected("the actions on which the copies cooperate, in braces"));
            }
            self.tokens.advance(1);
            set = self.actions(|parser| parser.tokens.is_close(0, Bracket::Curly))?;
            self.close(Bracket::Curly, opened)?;
        }
        self.close(Bracket::Square, opened)?;
        let at = At(of.at.0.join(self.tokens.previous()));
        Ok(Process::Array { of, count, set, at })
    }

    /// How many copies an array has: an expression, of which most are a number or a name.
    fn count(&mut self, of: &Name<S>) -> Read<Expression<S>> {
        let starts_expression = matches!(
            self.tokens.kind(0),
            Some(
                TokenKind::Number(_)
                    | TokenKind::Name(_)
                    | TokenKind::Quoted(_)
                    | TokenKind::Symbol('-')
                    | TokenKind::Open(Bracket::Round, _)
                    | TokenKind::Open(Bracket::Curly, Some(_))
            )
        );
        if starts_expression {
            return self.expression();
        }
        if let Some(TokenKind::Foreign(_) | TokenKind::Reported) = self.tokens.kind(0) {
            return Err(self.expected("a number of copies"));
        }
        let found = self.tokens.kind(0).map_or("the end of the model".into(), TokenKind::describe);
        let message = format!("expected how many copies there are of `{}`, found {found}", of.text);
        let help = match self.tokens.is_open(0, Bracket::Curly) {
            true => format!("write the number or the name of a size without braces, `{of}[3]` or `{of}[n]`"),
            false => format!("write a whole number from 1 to {MOST_COMPONENTS}, or the name of a size"),
        };
        Err(self.tokens.report(Diagnostic::new(Code::Syntax, self.tokens.span(), message).help(help)))
    }

    // Rates
}

/// The process behind the activities, merged where it is itself a prefix in brackets.
fn after<S>(mut activities: Vec<PrefixActivity<S>>, process: Process<S>) -> Process<S> {
    match process {
        process if activities.is_empty() => process,
        Process::Prefix { activities: more, then } => {
            activities.extend(more);
            Process::Prefix { activities, then }
        }
        process => Process::Prefix { activities, then: Box::new(process) },
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::models;

    #[test]
    fn findings() {
        models(&[
            ("P = (a, 1).P; P {a} P", &["syntax `{a}`: a cooperation set stands in angle brackets"]),
            ("P = (a, 1).P; S = P {} P; S", &["syntax `{}`: a cooperation set stands in angle brackets"]),
            ("P = (a, 1).P; P[{n}]", &["syntax `{`: expected how many copies there are of `P`, found `{`"]),
            ("P = (a, 1).P; P | P", &["syntax `P`: expected `||`, found `P`"]),
            ("P = (a, 1).P; P <a P", &["syntax `P`: expected `,` or `>`, found `P`"]),
            ("P = (a, 1).P; P[]", &["syntax `]`: expected how many copies there are of `P`, found `]`"]),
            (
                "P = (a, 1).P; P[2, a]",
                &["syntax `a`: expected the actions on which the copies cooperate, in braces, found `a`"],
            ),
            ("P = (a, 1).P; P[2", &["syntax ``: expected `]`, found the end of the model"]),
            ("P = (a, 1).P; P/{a", &["syntax ``: expected `}`, found the end of the model"]),
            (
                "P = (a, 1).P; ** || P",
                &["syntax `*`: expected a process (`**` stands in patterns alone), found `*`"],
            ),
            ("P = (a, 1).P; P[2 3]", &["syntax `3`: expected `]`, found the number `3`"]),
        ]);
    }
}
