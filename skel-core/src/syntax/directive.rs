//! Requests of a model to its checks: `allow(blocked_action)`, `check(deadlock_free, max_states = 1000)`.
//!
//! In a file it is a comment, so that other tools still read the file: `// skel: check(deadlock_free)`.
//! In a macro it is an attribute of the model: `#[check(deadlock_free)]`.

use super::ast::At;
use super::token::{Bracket, Token, TokenKind};
use crate::diagnostic::{Code, Diagnostic, Span, did_you_mean};

/// What to allow and what to check by exploring.
#[derive(Clone, Debug, PartialEq)]
pub struct Requests<S> {
    /// Findings that are not to be reported.
    pub allowed: Vec<Code>,
    /// Whether a deadlock is an error.
    pub deadlock_free: Option<At<S>>,
    /// Whether states that a run leaves for ever are an error.
    pub irreducible: Option<At<S>>,
    /// The most states that the check may explore.
    pub max_states: Option<u64>,
    /// Where a bound on the states was asked for without any other check.
    pub bounded: Option<At<S>>,
}

/// The most states a check explores where the model names no bound.
pub const DEFAULT_MAX_STATES: u64 = 10_000;

impl<S> Default for Requests<S> {
    fn default() -> Self {
        Requests {
            allowed: Vec::new(),
            deadlock_free: None,
            irreducible: None,
            max_states: None,
            bounded: None,
        }
    }
}

impl<S: Span> Requests<S> {
    /// Whether the check has to explore the state space.
    pub fn explores(&self) -> bool {
        self.deadlock_free.is_some() || self.irreducible.is_some() || self.bounded.is_some()
    }

    /// Reads further directives from their tokens; what it cannot read it reports.
    pub fn read(&mut self, tokens: &[Token<S>]) -> Vec<Diagnostic<S>> {
        let mut diagnostics = Vec::new();
        let mut rest = tokens;
        while let Some((head, after)) = rest.split_first() {
            rest = after;
            let word = match &head.kind {
                TokenKind::Name(word) if word == "allow" || word == "check" => word.as_str(),
                TokenKind::Symbol(',' | ';') => continue,
                other => {
                    diagnostics.push(
                        Diagnostic::new(
                            Code::BadDirective,
                            head.span,
                            format!("{} is not a directive", other.describe()),
                        )
                        .help("write `allow(...)` or `check(...)`"),
                    );
                    break;
                }
            };
            let Some((arguments, after)) = bracketed(rest) else {
                diagnostics.push(
                    Diagnostic::new(Code::BadDirective, head.span, format!("`{word}` needs a list"))
                        .help(format!("write `{word}(...)`")),
                );
                break;
            };
            rest = after;
            for argument in arguments.split(|token| token.kind == TokenKind::Symbol(',')) {
                if let Some(first) = argument.first() {
                    let outcome = missing_comma(argument).and_then(|()| match word {
                        "allow" => self.allow(first, argument),
                        _ => self.check(first, argument),
                    });
                    diagnostics.extend(outcome.err());
                }
            }
        }
        diagnostics
    }

    fn allow(&mut self, first: &Token<S>, argument: &[Token<S>]) -> Result<(), Diagnostic<S>> {
        let word = single_name(argument);
        match word.and_then(Code::from_word) {
            Some(code) if code.is_allowable() => {
                self.allowed.push(code);
                Ok(())
            }
            Some(code) => {
                let message = format!("`{}` is an error that cannot be allowed", code.word());
                Err(Diagnostic::new(Code::BadDirective, first.span, message).help(code.summary()))
            }
            None => {
                let words: Vec<&str> =
                    Code::ALL.iter().filter(|code| code.is_allowable()).map(|code| code.word()).collect();
                let help = match word.and_then(|word| did_you_mean(word, words.iter().copied())) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("one of: {}", words.join(", ")),
                };
                let message = format!("{} is not a finding that can be allowed", first.kind.describe());
                Err(Diagnostic::new(Code::BadDirective, first.span, message).help(help))
            }
        }
    }

    fn check(&mut self, first: &Token<S>, argument: &[Token<S>]) -> Result<(), Diagnostic<S>> {
        match (single_name(argument), argument) {
            (Some("deadlock_free"), _) => self.deadlock_free = Some(At(first.span)),
            (Some("irreducible"), _) => self.irreducible = Some(At(first.span)),
            (_, [Token { kind: TokenKind::Name(name), .. }, value @ ..]) if name == "max_states" => {
                let count = match value {
                    [equals, Token { kind: TokenKind::Number(text), .. }] if is_equals(equals) => {
                        text.replace('_', "").parse().ok().filter(|&count| count > 0)
                    }
                    _ => None,
                };
                let at = value.last().map_or(first.span, |last| last.span);
                self.max_states = Some(count.ok_or_else(|| {
                    Diagnostic::new(Code::BadDirective, at, "`max_states` needs a whole number above 0")
                        .help("write `max_states = 10_000`")
                })?);
                self.bounded = Some(At(first.span));
            }
            (word, _) => {
                let message = format!("{} is not a check", first.kind.describe());
                let help = match word.and_then(|word| did_you_mean(word, CHECKS)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "one of: deadlock_free, irreducible, max_states = 10_000".into(),
                };
                return Err(Diagnostic::new(Code::BadDirective, first.span, message).help(help));
            }
        }
        Ok(())
    }
}

const CHECKS: [&str; 3] = ["deadlock_free", "irreducible", "max_states"];

fn is_equals<S>(token: &Token<S>) -> bool {
    token.kind == TokenKind::Symbol('=')
}

/// Refuses two arguments without a comma between them.
fn missing_comma<S: Span>(argument: &[Token<S>]) -> Result<(), Diagnostic<S>> {
    let length = if argument.get(1).is_some_and(is_equals) { 3 } else { 1 };
    let Some(next) = argument.get(length) else { return Ok(()) };
    let message = format!("a comma is missing before {}", next.kind.describe());
    Err(Diagnostic::new(Code::BadDirective, next.span, message).help("arguments are separated by commas"))
}

fn single_name<S>(argument: &[Token<S>]) -> Option<&str> {
    match argument {
        [Token { kind: TokenKind::Name(name), .. }] => Some(name),
        _ => None,
    }
}

/// The arguments, and what follows their bracket.
type Split<'t, S> = (&'t [Token<S>], &'t [Token<S>]);

/// The tokens between a round bracket at the start and its partner, and those after it.
fn bracketed<S>(tokens: &[Token<S>]) -> Option<Split<'_, S>> {
    if tokens.first()?.kind != TokenKind::Open(Bracket::Round, None) {
        return None;
    }
    let end = tokens.iter().position(|token| token.kind == TokenKind::Close(Bracket::Round))?;
    Some((&tokens[1..end], &tokens[end + 1..]))
}
