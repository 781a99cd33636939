//! A place in a list of tokens, with the questions and steps of a parser by recursive descent.
//!
//! All text forms (`.pepa`, `.skel`, `.des`) have the same tokens, so their parsers share this cursor. It
//! also keeps their diagnostics, since a token that the lexer has reported is not reported again.

use super::ast::{At, Name};
use super::token::{Bracket, Token, TokenKind};
use crate::diagnostic::{Code, Diagnostic, Span};

/// Something could not be read, and was reported; the caller goes on behind it.
#[derive(Clone, Copy, Debug)]
pub struct Reported;

/// What was read, unless something was reported instead.
pub type Read<T> = Result<T, Reported>;

/// A place between two tokens, and the diagnostics so far.
///
/// # Examples
/// ```
/// use skel_core::diagnostic::TextSpan;
/// use skel_core::syntax::{cursor::Cursor, lex::lex};
/// let lexed = lex("speed = 3;");
/// let mut tokens = Cursor::new(&lexed.tokens, TextSpan { start: 10, end: 10 }, "the end of the text");
/// assert!(tokens.is_word(0, "speed") && tokens.is_symbol(1, '='));
/// tokens.advance(2);
/// tokens.expected("a name");
/// assert_eq!(tokens.diagnostics[0].message, "expected a name, found the number `3`");
/// ```
#[derive(Debug)]
pub struct Cursor<'t, S> {
    tokens: &'t [Token<S>],
    at: usize,
    end: S,
    end_in_words: &'static str,
    /// Everything found so far.
    pub diagnostics: Vec<Diagnostic<S>>,
}

impl<'t, S: Span> Cursor<'t, S> {
    /// A cursor before the first token; `end` is the place behind the last, which messages call
    /// `end_in_words`.
    #[must_use]
    pub fn new(tokens: &'t [Token<S>], end: S, end_in_words: &'static str) -> Self {
        Cursor { tokens, at: 0, end, end_in_words, diagnostics: Vec::new() }
    }

    /// How many tokens have been read.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }

    /// The tokens that have not been read yet.
    #[must_use]
    pub fn rest(&self) -> &'t [Token<S>] {
        self.tokens.get(self.at..).unwrap_or_default()
    }

    /// Whether there is no token left.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// The token so many ahead; the next is at 0.
    #[must_use]
    pub fn kind(&self, ahead: usize) -> Option<&'t TokenKind> {
        self.tokens.get(self.at + ahead).map(|token| &token.kind)
    }

    /// The token that was read last.
    #[must_use]
    pub fn before(&self) -> Option<&'t TokenKind> {
        self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map(|token| &token.kind)
    }

    /// Whether the token so many ahead is this symbol.
    #[must_use]
    pub fn is_symbol(&self, ahead: usize, symbol: char) -> bool {
        self.kind(ahead) == Some(&TokenKind::Symbol(symbol))
    }

    /// Whether the token so many ahead is this name.
    #[must_use]
    pub fn is_word(&self, ahead: usize, word: &str) -> bool {
        matches!(self.kind(ahead), Some(TokenKind::Name(name)) if name == word)
    }

    /// Whether the token so many ahead opens this bracket.
    #[must_use]
    pub fn is_open(&self, ahead: usize, bracket: Bracket) -> bool {
        matches!(self.kind(ahead), Some(TokenKind::Open(found, _)) if *found == bracket)
    }

    /// Whether the token so many ahead closes this bracket.
    #[must_use]
    pub fn is_close(&self, ahead: usize, bracket: Bracket) -> bool {
        self.kind(ahead) == Some(&TokenKind::Close(bracket))
    }

    /// The place of the next token, or behind the last.
    #[must_use]
    pub fn span(&self) -> S {
        self.tokens.get(self.at).map_or(self.end, |token| token.span)
    }

    /// The place of the token that was read last.
    #[must_use]
    pub fn previous(&self) -> S {
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        before.map_or(self.end, |token| token.span)
    }

    /// Goes on by so many tokens.
    pub fn advance(&mut self, tokens: usize) {
        self.at += tokens;
    }

    /// Goes back to where the cursor was when [`Self::at`] was this.
    pub(super) fn go_back(&mut self, at: usize) {
        self.at = at;
    }

    /// The tokens from where the cursor was when [`Self::at`] was `start` up to where it is now.
    pub(super) fn between(&self, start: usize) -> &'t [Token<S>] {
        self.tokens.get(start..self.at).unwrap_or_default()
    }

    /// Goes on behind this symbol; whether it is there.
    pub fn take(&mut self, symbol: char) -> bool {
        let is_there = self.is_symbol(0, symbol);
        self.at += usize::from(is_there);
        is_there
    }

    /// Goes on behind a name, quoted or not, if one is there.
    pub fn name(&mut self) -> Option<Name<S>> {
        let at = At(self.span());
        let (text, is_quoted) = match self.kind(0)? {
            TokenKind::Name(text) => (text.clone(), false),
            TokenKind::Quoted(text) => (text.clone(), true),
            _ => return None,
        };
        self.advance(1);
        Some(Name { text, is_quoted, at })
    }

    /// Goes on behind the next `;`.
    pub fn recover(&mut self) {
        while !self.is_at_end() && !self.take(';') {
            self.at += 1;
        }
    }

    /// Goes on behind the last token.
    pub fn finish(&mut self) {
        self.at = self.tokens.len();
    }

    /// Keeps a finding.
    pub fn report(&mut self, diagnostic: Diagnostic<S>) -> Reported {
        self.diagnostics.push(diagnostic);
        Reported
    }

    /// Reports that something else was expected here, unless the lexer has said so.
    pub fn expected(&mut self, what: &str) -> Reported {
        self.diagnostics.extend(self.expectation(what));
        Reported
    }

    /// That something else was expected here, unless the lexer has said so.
    pub fn expectation(&self, what: &str) -> Option<Diagnostic<S>> {
        let found = match self.kind(0) {
            Some(TokenKind::Reported) => return None,
            Some(kind) => kind.describe(),
            None => self.end_in_words.to_owned(),
        };
        Some(Diagnostic::new(Code::Syntax, self.span(), format!("expected {what}, found {found}")))
    }
}
