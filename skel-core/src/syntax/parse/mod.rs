//! The parser: from tokens to a syntax tree and all syntax errors.
//!
//! Recursive descent with one token of look-ahead, except that the body of a definition is looked over once to
//! tell a rate from a process. After an error it goes on at the next definition. Linear in the tokens.

mod expression;
mod process;

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::syntax::MAX_DEPTH;
use crate::syntax::ast::{Ast, At, Body, Definition, Name, Process, ResultLine};
use crate::syntax::lex::instead_of;
use crate::syntax::token::{Bracket, Token, TokenKind};

/// Syntax errors are reported up to this many; a text with more is probably no model at all.
const MOST_DIAGNOSTICS: usize = 50;

/// The largest array that the grammar takes.
const LARGEST_ARRAY: u32 = 1_000_000;

/// Parses a whole model. `end` is the place after the last token.
///
/// The tree holds whatever could be read.
///
/// # Examples
/// ```
/// use skel_core::syntax::{lex::lex, parse::parse};
/// use skel_core::diagnostic::TextSpan;
/// let text = "P = (a, 1).P; P";
/// let (ast, diagnostics) = parse(&lex(text).tokens, TextSpan { start: 15, end: 15 });
/// assert!(diagnostics.is_empty() && ast.definitions.len() == 1);
/// ```
pub fn parse<S: Span>(tokens: &[Token<S>], end: S) -> (Ast<S>, Vec<Diagnostic<S>>) {
    let mut parser = Parser { tokens, at: 0, end, depth: 0, in_pattern: false, diagnostics: Vec::new() };
    let ast = parser.model();
    (ast, parser.diagnostics)
}

/// Parses a pattern without its braces, as [`parse`] does in a result line.
pub fn parse_pattern<S: Span>(tokens: &[Token<S>], end: S) -> (Option<Process<S>>, Vec<Diagnostic<S>>) {
    let mut parser = Parser { tokens, at: 0, end, depth: 0, in_pattern: true, diagnostics: Vec::new() };
    let mut pattern = parser.process().ok();
    if pattern.is_some() && parser.at < tokens.len() {
        parser.expected("`||` or the end of the pattern");
        pattern = None;
    }
    (pattern, parser.diagnostics)
}

/// An error that has been reported; the caller goes on elsewhere.
struct Reported;

type Parsed<T> = Result<T, Reported>;

struct Parser<'t, S> {
    tokens: &'t [Token<S>],
    at: usize,
    end: S,
    depth: usize,
    in_pattern: bool,
    diagnostics: Vec<Diagnostic<S>>,
}

/// What the tokens of a definition's body show.
enum Evidence {
    Rate,
    Process,
    Neither,
}

impl<S: Span> Parser<'_, S> {
    fn model(&mut self) -> Ast<S> {
        let mut ast = Ast { definitions: Vec::new(), system: None, results: Vec::new() };
        let mut failed = false;
        while self.at < self.tokens.len() && self.diagnostics.len() < MOST_DIAGNOSTICS {
            if self.is_symbol(0, ';') {
                self.at += 1;
                continue;
            }
            let start = self.at;
            let outcome = self.statement(&mut ast);
            if outcome.is_err() {
                failed = true;
                self.recover(start);
            }
        }
        if ast.system.is_none() && !failed && self.diagnostics.is_empty() {
            self.diagnostics.push(
                Diagnostic::new(Code::MissingSystem, self.end, "the model has no system equation")
                    .label("the definitions end here")
                    .help("after the definitions, write what the system consists of: `P || Q` or `P <a> Q`"),
            );
        }
        ast
    }

    fn statement(&mut self, ast: &mut Ast<S>) -> Parsed<()> {
        if self.starts_definition() {
            if ast.system.is_some() && self.is_result() {
                ast.results.push(self.result_line()?);
                return Ok(());
            }
            let definition = self.definition()?;
            if ast.system.is_some() {
                let span = definition.name.at.0;
                let message = format!("`{}` is defined after the system equation", definition.name.text);
                self.diagnostics.push(
                    Diagnostic::new(Code::Syntax, span, message)
                        .help("definitions stand before the system equation; after it come results, `name = rate * {pattern};`"),
                );
            }
            ast.definitions.push(definition);
            return Ok(());
        }
        let system = self.process()?;
        if ast.system.is_some() {
            self.diagnostics.push(
                Diagnostic::new(Code::Syntax, system.span(), "a second system equation")
                    .help("a model has one; a definition starts with `name =`, and ends with `;`"),
            );
        } else {
            ast.system = Some(system);
        }
        if self.at < self.tokens.len() && !self.is_symbol(0, ';') && !self.starts_definition() {
            return Err(self.expected("an operator (`<a>`, `||`, `+`, `/ {a}`), `;` or the end of the model"));
        }
        Ok(())
    }

    /// Goes on behind the next `;`, or at the next `name =` that is not inside brackets.
    fn recover(&mut self, start: usize) {
        self.depth = 0;
        self.in_pattern = false;
        let mut open = 0_usize;
        if self.at == start {
            self.at += 1;
        }
        while let Some(token) = self.tokens.get(self.at) {
            match &token.kind {
                TokenKind::Symbol(';') if open == 0 => {
                    self.at += 1;
                    return;
                }
                TokenKind::Name(_) | TokenKind::Quoted(_) if open == 0 && self.starts_definition() => return,
                TokenKind::Open(..) => open += 1,
                TokenKind::Close(_) => open = open.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
        }
    }

    // Looking

    fn kind(&self, ahead: usize) -> Option<&TokenKind> {
        self.tokens.get(self.at + ahead).map(|token| &token.kind)
    }

    fn is_symbol(&self, ahead: usize, symbol: char) -> bool {
        self.kind(ahead) == Some(&TokenKind::Symbol(symbol))
    }

    fn is_open(&self, ahead: usize, bracket: Bracket) -> bool {
        matches!(self.kind(ahead), Some(TokenKind::Open(found, _)) if *found == bracket)
    }

    fn is_name(&self, ahead: usize) -> bool {
        matches!(self.kind(ahead), Some(TokenKind::Name(_) | TokenKind::Quoted(_)))
    }

    fn starts_definition(&self) -> bool {
        self.is_name(0) && (self.is_symbol(1, '=') || (self.is_symbol(1, ':') && self.is_symbol(2, '=')))
    }

    fn span(&self) -> S {
        self.tokens.get(self.at).map_or(self.end, |token| token.span)
    }

    fn previous_span(&self) -> S {
        self.at.checked_sub(1).map_or(self.end, |before| self.tokens[before].span)
    }

    /// Whether the statement that starts here has a pattern: a brace before its `;` or the next definition.
    fn is_result(&self) -> bool {
        for (index, token) in self.tokens[self.at..].iter().enumerate() {
            match &token.kind {
                TokenKind::Open(Bracket::Curly, _) => {
                    let before = &self.tokens[self.at + index - 1].kind;
                    return matches!(before, TokenKind::Symbol('=' | '*'));
                }
                TokenKind::Symbol(';') => return false,
                _ => {}
            }
        }
        false
    }

    /// What the body that starts here shows to be, up to its `;`.
    fn evidence(&self) -> Evidence {
        if self.lacks_comma().is_some() {
            return Evidence::Process;
        }
        let mut open = Vec::new();
        for (index, token) in self.tokens[self.at..].iter().enumerate() {
            let at_top = open.is_empty();
            match &token.kind {
                TokenKind::Symbol(';') if at_top => break,
                TokenKind::Symbol('=') if at_top => break,
                TokenKind::Symbol(',' | '<' | '>' | '|') | TokenKind::Open(Bracket::Square, _) => {
                    return Evidence::Process;
                }
                TokenKind::Symbol('/') if self.starts_hiding(index) => return Evidence::Process,
                TokenKind::Symbol('*' | '-' | '/') | TokenKind::Number(_) => return Evidence::Rate,
                TokenKind::Open(Bracket::Curly, _) => return Evidence::Rate,
                TokenKind::Name(name) if name == "infty" => return Evidence::Rate,
                TokenKind::Open(bracket, _) => open.push(*bracket),
                TokenKind::Close(_) if open.pop().is_none() => {
                    break;
                }
                _ => {}
            }
        }
        Evidence::Neither
    }

    fn starts_hiding(&self, ahead: usize) -> bool {
        self.is_symbol(ahead, '/')
            && (self.is_open(ahead + 1, Bracket::Curly) || self.is_symbol(ahead + 1, '<'))
    }

    // Reporting

    fn expected(&mut self, what: &str) -> Reported {
        self.diagnostics.extend(self.expectation(what));
        Reported
    }

    /// That something else was expected here, unless the lexer has said so.
    fn expectation(&self, what: &str) -> Option<Diagnostic<S>> {
        let expected = match self.kind(0) {
            Some(TokenKind::Reported) => return None,
            Some(TokenKind::Foreign(text)) => {
                let message = format!("`{text}` has no meaning in a model");
                let help = instead_of(text).map_or_else(|| format!("expected {what}"), str::to_owned);
                return Some(Diagnostic::new(Code::UnexpectedCharacter, self.span(), message).help(help));
            }
            Some(found) => format!("expected {what}, found {}", found.describe()),
            None => format!("expected {what}, found the end of the model"),
        };
        Some(Diagnostic::new(Code::Syntax, self.span(), expected))
    }

    fn report(&mut self, diagnostic: Diagnostic<S>) -> Reported {
        self.diagnostics.push(diagnostic);
        Reported
    }

    fn symbol(&mut self, symbol: char, what: &str) -> Parsed<()> {
        if !self.is_symbol(0, symbol) {
            return Err(self.expected(what));
        }
        self.at += 1;
        Ok(())
    }

    fn close(&mut self, bracket: Bracket, opened: S) -> Parsed<()> {
        if self.kind(0) == Some(&TokenKind::Close(bracket)) {
            self.at += 1;
            return Ok(());
        }
        Err(self.unclosed(opened, bracket, &format!("`{}`", bracket.closing())))
    }

    /// That a bracket is not closed where something else stands.
    fn unclosed(&mut self, opened: S, bracket: Bracket, what: &str) -> Reported {
        let label = format!("to close this `{}`", bracket.opening());
        let diagnostic = self.expectation(what).map(|diagnostic| diagnostic.related(opened, label));
        self.diagnostics.extend(diagnostic);
        Reported
    }

    fn name(&mut self, what: &str) -> Parsed<Name<S>> {
        let at = At(self.span());
        let (text, is_quoted) = match self.kind(0) {
            Some(TokenKind::Name(text)) => (text.clone(), false),
            Some(TokenKind::Quoted(text)) => (text.clone(), true),
            _ => return Err(self.expected(what)),
        };
        self.at += 1;
        Ok(Name { text, is_quoted, at })
    }

    /// Runs `inner` one level of brackets or signs deeper, unless that is too deep.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let span = self.span();
            let (what, help) = match self.at.checked_sub(1).map(|before| &self.tokens[before].kind) {
                Some(TokenKind::Symbol('-')) => ("minus signs in front of one another", "two of them cancel"),
                _ => ("brackets inside one another", "give an inner part a name of its own"),
            };
            let message = format!("more than {MAX_DEPTH} {what}");
            return Err(self.report(Diagnostic::new(Code::NestingTooDeep, span, message).help(help)));
        }
        self.depth += 1;
        let outcome = inner(self);
        self.depth -= 1;
        outcome
    }

    // Definitions

    fn definition(&mut self) -> Parsed<Definition<S>> {
        let name = self.name("a name")?;
        if self.is_symbol(0, ':') {
            self.at += 1;
        }
        self.symbol('=', "`=`")?;
        let body = match self.evidence() {
            Evidence::Rate => Body::Rate(self.expression()?),
            Evidence::Process => Body::Process(self.process()?),
            Evidence::Neither => Body::Undecided(self.process()?),
        };
        if self.is_symbol(0, ';') {
            self.at += 1;
            return Ok(Definition { name, body });
        }
        let place = self.previous_span();
        let what = match body {
            Body::Rate(_) => "an operator or `;`",
            _ => "an operator (`+`, `<a>`, `||`, `/ {a}`) or `;`",
        };
        if self.starts_definition() || self.at == self.tokens.len() {
            let message = format!("the definition of `{}` has no `;` at its end", name.text);
            self.report(Diagnostic::new(Code::Syntax, place, message).help("write `;` after this"));
            return Ok(Definition { name, body });
        }
        Err(self.expected(what))
    }

    fn result_line(&mut self) -> Parsed<ResultLine<S>> {
        let name = self.name("a name")?;
        if self.is_symbol(0, ':') {
            self.at += 1;
        }
        self.symbol('=', "`=`")?;
        let factor = if self.is_open(0, Bracket::Curly) {
            None
        } else {
            let factor = self.product(true)?;
            self.symbol('*', "`*` and a pattern in braces (a sum stands in round brackets)")?;
            Some(factor)
        };
        let opened = self.span();
        if !self.is_open(0, Bracket::Curly) {
            return Err(self.expected("a pattern in braces"));
        }
        self.at += 1;
        self.in_pattern = true;
        let pattern = self.nested(Self::process);
        self.in_pattern = false;
        let pattern = pattern?;
        self.close(Bracket::Curly, opened)?;
        if self.at < self.tokens.len() && !self.is_symbol(0, ';') && !self.starts_definition() {
            return Err(self.expected("`;`"));
        }
        Ok(ResultLine { name, factor, pattern })
    }

    // Processes
}
