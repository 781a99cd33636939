//! The parser: from tokens to a syntax tree and all syntax errors.
//!
//! Recursive descent with one token of look-ahead, except that the body of a definition is looked over once
//! to tell a rate from a process. After an error it goes on at the next definition. Linear in the tokens.

mod expression;
mod process;

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::syntax::MAX_DEPTH;
use crate::syntax::ast::{Ast, Body, Definition, Name, Process, ResultLine};
use crate::syntax::cursor::{Cursor, Read, Reported};
use crate::syntax::lex::instead_of;
use crate::syntax::token::{Bracket, Token, TokenKind};

/// The most syntax errors that are reported. A text with more of them is probably not a model.
const MOST_DIAGNOSTICS: usize = 50;

/// Parses a whole model. `end` is the place after the last token.
///
/// The tree has everything that could be read, and the names of the definitions that could not.
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
    let mut statements = Statements::new();
    statements.read(tokens, end, &mut |definition, definitions| definitions.push(definition));
    statements.finish(end)
}

/// Parses one definition, at the start of some tokens.
pub(crate) fn parse_definition<S: Span>(tokens: &[Token<S>], end: S) -> Option<Definition<S>> {
    Parser::new(tokens, end, false).definition().ok()
}

/// Where a definition goes that has been parsed; those that are to be in the tree belong in this list.
pub(crate) type Keep<'k, S> = dyn FnMut(Definition<S>, &mut Vec<Definition<S>>) + 'k;

/// What has been parsed of a model whose tokens come in pieces, each of whole statements.
pub(crate) struct Statements<S> {
    ast: Ast<S>,
    diagnostics: Vec<Diagnostic<S>>,
    failed: bool,
    system_is_cut: bool,
}

impl<S: Span> Statements<S> {
    pub(crate) fn new() -> Self {
        let ast = Ast { definitions: Vec::new(), system: None, results: Vec::new(), unread: Vec::new() };
        Statements { ast, diagnostics: Vec::new(), failed: false, system_is_cut: false }
    }

    /// Whether a definition that stands here is one of the model: behind its system equation it would be
    /// reported, and behind too many syntax errors passed over.
    pub(crate) fn take_definitions(&self) -> bool {
        self.ast.system.is_none() && self.diagnostics.is_empty()
    }

    /// Parses the next tokens. `end` is the place after the last token of all.
    pub(crate) fn read(&mut self, tokens: &[Token<S>], end: S, keep: &mut Keep<'_, S>) {
        let mut parser = Parser::new(tokens, end, false);
        parser.tokens.diagnostics = std::mem::take(&mut self.diagnostics);
        self.failed |= parser.statements(&mut self.ast, keep);
        self.system_is_cut |= parser.system_is_cut;
        self.diagnostics = parser.tokens.diagnostics;
    }

    /// The tree and all syntax errors, once everything was read.
    pub(crate) fn finish(mut self, end: S) -> (Ast<S>, Vec<Diagnostic<S>>) {
        // A part of it would be checked as if it were the whole.
        self.ast.system = self.ast.system.filter(|_| !self.system_is_cut);
        if self.ast.system.is_none() && !self.failed && self.diagnostics.is_empty() {
            self.diagnostics.push(
                Diagnostic::new(Code::MissingSystem, end, "the model has no system equation")
                    .label("the definitions end here")
                    .help("after the definitions, write what the system consists of: `P || Q` or `P <a> Q`"),
            );
        }
        (self.ast, self.diagnostics)
    }
}

/// Parses a pattern without its braces, as [`parse`] does in a result line.
pub fn parse_pattern<S: Span>(tokens: &[Token<S>], end: S) -> (Option<Process<S>>, Vec<Diagnostic<S>>) {
    let mut parser = Parser::new(tokens, end, true);
    let mut pattern = parser.process().ok();
    if pattern.is_some() && !parser.tokens.is_at_end() {
        parser.expected("`||` or the end of the pattern");
        pattern = None;
    }
    (pattern, parser.tokens.diagnostics)
}

struct Parser<'t, S> {
    tokens: Cursor<'t, S>,
    depth: usize,
    in_pattern: bool,
    /// Whether the system equation goes on with something that could not be read.
    system_is_cut: bool,
}

/// Whether the tokens of a definition's body can only be those of a rate, only those of a process, or both.
enum Evidence {
    Rate,
    Process,
    Neither,
}

impl<'t, S: Span> Parser<'t, S> {
    fn new(tokens: &'t [Token<S>], end: S, in_pattern: bool) -> Self {
        Parser {
            tokens: Cursor::new(tokens, end, "the end of the model"),
            depth: 0,
            in_pattern,
            system_is_cut: false,
        }
    }

    /// Whether a statement could not be read.
    fn statements(&mut self, ast: &mut Ast<S>, keep: &mut Keep<'_, S>) -> bool {
        let mut failed = false;
        while !self.tokens.is_at_end() && self.tokens.diagnostics.len() < MOST_DIAGNOSTICS {
            if self.tokens.take(';') {
                continue;
            }
            let start = self.tokens.at();
            let outcome = self.statement(ast, keep);
            if outcome.is_err() {
                failed = true;
                self.recover(start);
                self.note_unread(start, ast);
            }
        }
        let start = self.tokens.at();
        self.tokens.finish();
        self.note_unread(start, ast);
        failed
    }

    fn statement(&mut self, ast: &mut Ast<S>, keep: &mut Keep<'_, S>) -> Read<()> {
        self.skip_let();
        if self.starts_definition() {
            if ast.system.is_some() && self.is_result() {
                ast.results.push(self.result_line()?);
                return Ok(());
            }
            let definition = self.definition()?;
            if ast.system.is_some() {
                let span = definition.name.at.0;
                let message = format!("`{}` is defined after the system equation", definition.name.text);
                self.tokens.report(
                    Diagnostic::new(Code::Syntax, span, message)
                        .help("definitions stand before the system equation; after it come results, `name = rate * {pattern};`"),
                );
            }
            keep(definition, &mut ast.definitions);
            return Ok(());
        }
        let system = self.process()?;
        if ast.system.is_some() {
            self.tokens.report(
                Diagnostic::new(Code::Syntax, system.span(), "a second system equation")
                    .help("a model has one; a definition starts with `name =`, and ends with `;`"),
            );
        } else {
            ast.system = Some(system);
        }
        if !self.tokens.is_at_end() && !self.tokens.is_symbol(0, ';') && !self.starts_definition() {
            self.system_is_cut = true;
            return Err(self.expected("an operator (`<a>`, `||`, `+`, `/ {a}`), `;` or the end of the model"));
        }
        Ok(())
    }

    /// Goes on behind the next `;`, or at the next `name =` that is not inside brackets.
    fn recover(&mut self, start: usize) {
        self.depth = 0;
        self.in_pattern = false;
        let mut open = 0_usize;
        if self.tokens.at() == start {
            self.tokens.advance(1);
        }
        while let Some(kind) = self.tokens.kind(0) {
            match kind {
                TokenKind::Symbol(';') if open == 0 => {
                    self.tokens.advance(1);
                    return;
                }
                TokenKind::Name(_) | TokenKind::Quoted(_) if open == 0 && self.starts_definition() => return,
                TokenKind::Open(..) => open += 1,
                TokenKind::Close(_) => open = open.saturating_sub(1),
                _ => {}
            }
            self.tokens.advance(1);
        }
    }

    /// Keeps the name of every definition that begins among the tokens from `start` up to here, none of which
    /// could be read.
    fn note_unread(&self, start: usize, ast: &mut Ast<S>) {
        let kinds = || self.tokens.between(start).iter().map(|token| &token.kind);
        for ((kind, next), after) in kinds().zip(kinds().skip(1)).zip(kinds().skip(2).map(Some).chain([None]))
        {
            let is_definition = match next {
                TokenKind::Symbol(':') => after == Some(&TokenKind::Symbol('=')),
                next => *next == TokenKind::Symbol('='),
            };
            if let (TokenKind::Name(name) | TokenKind::Quoted(name), true) = (kind, is_definition) {
                ast.unread.push(name.clone());
            }
        }
    }

    /// Reports a `let` before a definition, and goes on behind it.
    fn skip_let(&mut self) {
        let ahead = if self.tokens.is_word(1, "mut") { 2 } else { 1 };
        if !self.tokens.is_word(0, "let") || !self.is_name(ahead) || !self.tokens.is_symbol(ahead + 1, '=') {
            return;
        }
        let (Some(TokenKind::Name(name)), value) = (self.tokens.kind(ahead), self.tokens.kind(ahead + 2))
        else {
            return;
        };
        let value = match value {
            Some(TokenKind::Number(digits)) if self.tokens.is_symbol(ahead + 3, ';') => digits,
            _ => "...",
        };
        let help = format!("write `{name} = {value};`");
        self.tokens.report(
            Diagnostic::new(Code::Syntax, self.tokens.span(), "a definition in a model has no `let`")
                .help(help),
        );
        self.tokens.advance(ahead);
    }

    // Looking

    fn is_name(&self, ahead: usize) -> bool {
        matches!(self.tokens.kind(ahead), Some(TokenKind::Name(_) | TokenKind::Quoted(_)))
    }

    fn starts_definition(&self) -> bool {
        self.is_name(0)
            && (self.tokens.is_symbol(1, '=')
                || (self.tokens.is_symbol(1, ':') && self.tokens.is_symbol(2, '=')))
    }

    /// Whether the statement that starts here has a pattern: a brace before its `;` or the next definition.
    fn is_result(&self) -> bool {
        let mut before: Option<&TokenKind> = None;
        for token in self.tokens.rest() {
            match &token.kind {
                TokenKind::Open(Bracket::Curly, _) => {
                    return matches!(before, Some(TokenKind::Symbol('=' | '*')));
                }
                TokenKind::Symbol(';') => return false,
                kind => before = Some(kind),
            }
        }
        false
    }

    /// Whether the body that starts here is a rate or a process, from its tokens up to the `;`.
    fn evidence(&self) -> Evidence {
        if self.lacks_comma().is_some() {
            return Evidence::Process;
        }
        let mut open = Vec::new();
        let rest = self.tokens.rest();
        for (index, token) in rest.iter().enumerate() {
            let at_top = open.is_empty();
            let before = index.checked_sub(1).map(|before| &rest[before].kind);
            match &token.kind {
                TokenKind::Symbol(';') if at_top => break,
                TokenKind::Symbol('=') if at_top => break,
                TokenKind::Symbol(',' | '<' | '>' | '|') | TokenKind::Open(Bracket::Square, _) => {
                    return Evidence::Process;
                }
                TokenKind::Symbol('/') if self.starts_hiding(index) => return Evidence::Process,
                TokenKind::Symbol('*' | '-' | '/') | TokenKind::Number(_) => return Evidence::Rate,
                // `P {a} Q`, where `P <a> Q` is meant.
                TokenKind::Open(Bracket::Curly, _) if matches!(before, Some(TokenKind::Name(_))) => {
                    return Evidence::Process;
                }
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
        self.tokens.is_symbol(ahead, '/')
            && (self.tokens.is_open(ahead + 1, Bracket::Curly) || self.tokens.is_symbol(ahead + 1, '<'))
    }

    // Reporting

    fn expected(&mut self, what: &str) -> Reported {
        self.tokens.diagnostics.extend(self.expectation(what));
        Reported
    }

    /// That something else was expected here, unless the lexer has said so.
    fn expectation(&self, what: &str) -> Option<Diagnostic<S>> {
        let Some(TokenKind::Foreign(text)) = self.tokens.kind(0) else {
            return self.tokens.expectation(what);
        };
        let message = format!("`{text}` has no meaning in a model");
        let help = instead_of(text).map_or_else(|| format!("expected {what}"), str::to_owned);
        Some(Diagnostic::new(Code::UnexpectedCharacter, self.tokens.span(), message).help(help))
    }

    /// As [`Self::expected`], behind a rate. There a path of Rust, `f64::MAX`, breaks off at its `::`.
    fn expected_in_rate(&mut self, what: &str) -> Reported {
        let finding = self.expectation(what);
        self.tokens.diagnostics.extend(self.with_braces(finding));
        Reported
    }

    fn with_braces(&self, finding: Option<Diagnostic<S>>) -> Option<Diagnostic<S>> {
        let is_path = self.tokens.is_symbol(0, ':') && self.tokens.is_symbol(1, ':');
        let help = "in `pepa!` a value of Rust stands in braces, as in `(work, { RATE }).P`";
        if is_path { finding.map(|finding| finding.help(help)) } else { finding }
    }

    fn symbol(&mut self, symbol: char, what: &str) -> Read<()> {
        if self.tokens.take(symbol) { Ok(()) } else { Err(self.expected(what)) }
    }

    fn close(&mut self, bracket: Bracket, opened: S) -> Read<()> {
        if self.tokens.is_close(0, bracket) {
            self.tokens.advance(1);
            return Ok(());
        }
        Err(self.unclosed(opened, bracket, &format!("`{}`", bracket.closing())))
    }

    /// That a bracket is not closed where something else stands.
    fn unclosed(&mut self, opened: S, bracket: Bracket, what: &str) -> Reported {
        let label = format!("to close this `{}`", bracket.opening());
        let finding = self.with_braces(self.expectation(what));
        let diagnostic = finding.map(|finding| finding.related(opened, label));
        self.tokens.diagnostics.extend(diagnostic);
        Reported
    }

    fn name(&mut self, what: &str) -> Read<Name<S>> {
        match self.tokens.name() {
            Some(name) => Ok(name),
            None => Err(self.expected(what)),
        }
    }

    /// Runs `inner` one level of brackets or signs deeper, unless that is too deep.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= MAX_DEPTH {
            let span = self.tokens.span();
            let (what, help) = match self.tokens.before() {
                Some(TokenKind::Symbol('-')) => ("minus signs in front of one another", "two of them cancel"),
                _ => ("brackets inside one another", "give an inner part a name of its own"),
            };
            let message = format!("more than {MAX_DEPTH} {what}");
            return Err(self.tokens.report(Diagnostic::new(Code::NestingTooDeep, span, message).help(help)));
        }
        self.depth += 1;
        let outcome = inner(self);
        self.depth -= 1;
        outcome
    }

    // Definitions

    fn definition(&mut self) -> Read<Definition<S>> {
        let name = self.name("a name")?;
        self.tokens.take(':');
        self.symbol('=', "`=`")?;
        let body = match self.evidence() {
            Evidence::Rate => Body::Rate(self.expression()?),
            Evidence::Process => Body::Process(self.process()?),
            Evidence::Neither => Body::Undecided(self.process()?),
        };
        if self.tokens.take(';') {
            return Ok(Definition { name, body });
        }
        let place = self.tokens.previous();
        let what = match body {
            Body::Rate(_) => "an operator or `;`",
            _ => "an operator (`+`, `<a>`, `||`, `/ {a}`) or `;`",
        };
        if self.starts_definition() || self.tokens.is_at_end() || self.starts_readable_system() {
            let message = format!("the definition of `{}` has no `;` at its end", name.text);
            self.tokens.report(Diagnostic::new(Code::Syntax, place, message).help("write `;` after this"));
            let body = match body {
                // What follows the names made this a process, and belongs to the system equation.
                Body::Process(process) if process.is_names() => Body::Undecided(process),
                body => body,
            };
            return Ok(Definition { name, body });
        }
        Err(self.expected_in_rate(what))
    }

    /// Whether a system equation starts here that can be read to its end, so that only the `;` before it is
    /// missing.
    fn starts_readable_system(&mut self) -> bool {
        if !self.is_name(0) && !self.tokens.is_open(0, Bracket::Round) {
            return false;
        }
        let (start, reported) = (self.tokens.at(), self.tokens.diagnostics.len());
        let is_read = self.process().is_ok() && (self.tokens.is_at_end() || self.tokens.is_symbol(0, ';'));
        let is_system = is_read && self.tokens.diagnostics.len() == reported;
        self.tokens.diagnostics.truncate(reported);
        self.tokens.go_back(start);
        self.depth = 0;
        is_system
    }

    fn result_line(&mut self) -> Read<ResultLine<S>> {
        let name = self.name("a name")?;
        self.tokens.take(':');
        self.symbol('=', "`=`")?;
        let factor = if self.tokens.is_open(0, Bracket::Curly) {
            None
        } else {
            let factor = self.product(true)?;
            self.symbol('*', "`*` and a pattern in braces (a sum stands in round brackets)")?;
            Some(factor)
        };
        let opened = self.tokens.span();
        if !self.tokens.is_open(0, Bracket::Curly) {
            return Err(self.expected("a pattern in braces"));
        }
        self.tokens.advance(1);
        self.in_pattern = true;
        let pattern = self.nested(Self::process);
        self.in_pattern = false;
        let pattern = pattern?;
        self.close(Bracket::Curly, opened)?;
        if !self.tokens.is_at_end() && !self.tokens.is_symbol(0, ';') && !self.starts_definition() {
            return Err(self.expected("`;`"));
        }
        Ok(ResultLine { name, factor, pattern })
    }

    // Processes
}

#[cfg(test)]
mod tests {
    use crate::testing::models;

    #[test]
    fn findings() {
        models(&[
            ("P = (a, 1).P;", &["missing_system ``: the model has no system equation"]),
            ("r = 1 P = (a, r).P; P", &["syntax `1`: the definition of `r` has no `;` at its end"]),
            ("P = (a, 1).P; P; Q = (b, 1).Q;", &["syntax `Q`: `Q` is defined after the system equation"]),
            ("P = (a, 1).P; P; P || P", &["syntax `P || P`: a second system equation"]),
            ("P = (a, 1).P P", &["syntax `P`: the definition of `P` has no `;` at its end"]),
            (
                "r = s P = (a, r).P; P",
                &[
                    "syntax `s`: the definition of `r` has no `;` at its end",
                    "undefined_process `s`: the process `s` is not defined",
                    "wrong_kind `r`: `r` is a process, but a rate is needed here",
                ],
            ),
            (
                "s = 1; r = s P || P",
                &[
                    "syntax `s`: the definition of `r` has no `;` at its end",
                    "undefined_process `P`: the process `P` is not defined",
                    "undefined_process `P`: the process `P` is not defined",
                ],
            ),
            (
                "P = (a, 1).P Q.R",
                &["syntax `Q`: expected an operator (`+`, `<a>`, `||`, `/ {a}`) or `;`, found `Q`"],
            ),
            ("let r = 2; P = (a, r).P; P", &["syntax `let`: a definition in a model has no `let`"]),
            ("let mut r = 2 * 3; P = (a, r).P; P", &["syntax `let`: a definition in a model has no `let`"]),
            (
                "P = (a, f64::MAX).P; P",
                &["syntax `:`: expected an operator or `)` after the rate, found `:`"],
            ),
            (
                "P = (a, 1).P\n#Q = (b, 1).Q;\nP || Q",
                &["syntax `P`: the definition of `P` has no `;` at its end"],
            ),
            ("P = (a, 1).P;\n# Q\nP", &["unexpected_character `#`: `#` begins no comment"]),
            ("#P\n = (a, 1).P;\nP", &[]),
            (
                "P = (a 1).P; P",
                &["syntax `1`: expected `,` between the action and its rate, found the number `1`"],
            ),
            ("P = (a, 1)P; P", &["syntax `P`: expected `.` and what follows the activity, found `P`"]),
            ("P = (a, 1; P", &["syntax `;`: expected an operator or `)` after the rate, found `;`"]),
            ("P = ; P", &["syntax `;`: expected a process: a name, `(action, rate).P` or `(`, found `;`"]),
            (
                "= 1; P",
                &[
                    "syntax `=`: expected a process: a name, `(action, rate).P` or `(`, found `=`",
                    "undefined_process `P`: the process `P` is not defined",
                ],
            ),
            (
                "P = (a, 1).P; P Q",
                &[
                    "syntax `Q`: expected an operator (`<a>`, `||`, `+`, `/ {a}`), `;` or the end of the model, found `Q`",
                ],
            ),
        ]);
    }
}
