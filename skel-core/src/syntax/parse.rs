//! The parser: from tokens to a syntax tree and all syntax errors.
//!
//! Recursive descent with one token of look-ahead, except that the body of a definition is looked over once to
//! tell a rate from a process. After an error it goes on at the next definition. Linear in the tokens.

use super::MAX_DEPTH;
use super::ast::{
    Ast, At, Body, CooperationSet, Definition, Expression, Name, PrefixActivity, Process, ResultLine, SetKind,
};
use super::lex::instead_of;
use super::token::{Bracket, Token, TokenKind};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::number::{NumberError, decimal};
use crate::rate::{OUT_OF_RANGE, ProductOperator, SumOperator};

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

    fn process(&mut self) -> Parsed<Process<S>> {
        let first = self.cooperation()?;
        if !self.is_symbol(0, '+') {
            return Ok(first);
        }
        let mut operands = vec![first];
        while self.is_symbol(0, '+') {
            self.at += 1;
            operands.push(self.cooperation()?);
        }
        Ok(Process::Choice(operands))
    }

    fn cooperation(&mut self) -> Parsed<Process<S>> {
        let first = self.postfix()?;
        let mut rest = Vec::new();
        while self.is_symbol(0, '<') || self.is_symbol(0, '|') {
            let set = self.cooperation_set()?;
            rest.push((set, self.postfix()?));
        }
        Ok(if rest.is_empty() { first } else { Process::Cooperation { first: Box::new(first), rest } })
    }

    fn cooperation_set(&mut self) -> Parsed<CooperationSet<S>> {
        let start = self.span();
        if self.is_symbol(0, '|') {
            self.at += 1;
            let at = At(start.join(self.span()));
            self.symbol('|', "`||`")?;
            return Ok(CooperationSet { kind: SetKind::Named(Vec::new()), at });
        }
        self.at += 1;
        let kind = if self.is_symbol(0, '*') {
            self.at += 1;
            SetKind::Shared
        } else {
            SetKind::Named(self.actions(|parser| parser.is_symbol(0, '>'))?)
        };
        let at = At(start.join(self.span()));
        self.symbol('>', "`,` or `>`")?;
        Ok(CooperationSet { kind, at })
    }

    /// Names separated by commas; a comma may also stand behind the last.
    fn actions(&mut self, at_end: impl Fn(&Self) -> bool) -> Parsed<Vec<Name<S>>> {
        let mut names = Vec::new();
        while !at_end(self) {
            names.push(self.name("an action")?);
            if !self.is_symbol(0, ',') {
                break;
            }
            self.at += 1;
        }
        Ok(names)
    }

    /// `P/{a}/{b}` is `P/{a, b}`.
    fn postfix(&mut self) -> Parsed<Process<S>> {
        let process = self.prefix()?;
        let mut hidden: Option<Vec<Name<S>>> = None;
        while self.starts_hiding(0) {
            self.at += 1;
            let opened = self.span();
            let angles = self.is_symbol(0, '<');
            self.at += 1;
            let set = if angles {
                let set = self.actions(|parser| parser.is_symbol(0, '>'))?;
                self.symbol('>', "`,` or `>`")?;
                set
            } else {
                let closing = TokenKind::Close(Bracket::Curly);
                let set = self.actions(|parser| parser.kind(0) == Some(&closing))?;
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

    fn prefix(&mut self) -> Parsed<Process<S>> {
        let mut activities = Vec::new();
        loop {
            match self.kind(0) {
                Some(TokenKind::Open(Bracket::Round, _)) => {
                    let opened = self.span();
                    if self.is_name(1) && self.is_symbol(2, ',') {
                        self.at += 1;
                        activities.push(self.activity(opened)?);
                        continue;
                    }
                    self.comma_in_activity()?;
                    self.at += 1;
                    let inner = self.nested(Self::process)?;
                    self.close(Bracket::Round, opened)?;
                    return Ok(after(activities, inner));
                }
                Some(TokenKind::Name(_) | TokenKind::Quoted(_)) => {
                    let name = self.name("a process")?;
                    let process = self.constant_or_array(name)?;
                    return Ok(after(activities, process));
                }
                Some(TokenKind::Symbol('*')) if self.in_pattern && self.is_symbol(1, '*') => {
                    let at = At(self.span());
                    self.at += 2;
                    return Ok(after(activities, Process::Anything(at)));
                }
                Some(TokenKind::Symbol('*')) if self.is_symbol(1, '*') => {
                    return Err(self.expected("a process (`**` stands in patterns alone)"));
                }
                _ => return Err(self.expected("a process: a name, `(action, rate).P` or `(`")),
            }
        }
    }

    /// Where `(action rate).P` starts here, an activity without its comma: how far off its bracket closes.
    fn lacks_comma(&self) -> Option<usize> {
        let continues_process = match self.kind(2)? {
            TokenKind::Symbol(symbol) => ",+<|/.".contains(*symbol),
            TokenKind::Open(bracket, _) => *bracket != Bracket::Round,
            TokenKind::Close(_) | TokenKind::Foreign(_) | TokenKind::Reported => true,
            _ => false,
        };
        if !self.is_open(0, Bracket::Round) || !self.is_name(1) || continues_process {
            return None;
        }
        let is_end = |token: &Token<S>| token.kind == TokenKind::Close(Bracket::Round);
        let end = self.tokens[self.at..].iter().position(is_end)?;
        self.is_symbol(end + 1, '.').then_some(end)
    }

    /// Reports an activity without its comma, and goes on behind it.
    fn comma_in_activity(&mut self) -> Parsed<()> {
        let Some(end) = self.lacks_comma() else { return Ok(()) };
        self.at += 2;
        let diagnostic = self.expectation("`,` between the action and its rate");
        self.diagnostics.extend(diagnostic.map(|found| found.help("an activity is `(action, rate)`")));
        self.at += end - 1;
        Err(Reported)
    }

    /// `action, rate)` and the dot after it.
    fn activity(&mut self, opened: S) -> Parsed<PrefixActivity<S>> {
        let action = self.name("an action")?;
        self.symbol(',', "`,` and a rate")?;
        let rate = self.expression()?;
        if self.kind(0) != Some(&TokenKind::Close(Bracket::Round)) {
            return Err(self.unclosed(opened, Bracket::Round, "an operator or `)` after the rate"));
        }
        self.at += 1;
        self.symbol('.', "`.` and what follows the activity")?;
        Ok(PrefixActivity { action, rate })
    }

    fn constant_or_array(&mut self, of: Name<S>) -> Parsed<Process<S>> {
        let opened = self.span();
        if !self.is_open(0, Bracket::Square) {
            return Ok(Process::Constant(of));
        }
        self.at += 1;
        let count_at = At(self.span());
        let count = match self.kind(0) {
            Some(TokenKind::Number(text)) => text.replace('_', "").parse::<u32>().ok(),
            _ => None,
        };
        let Some(count) = count.filter(|&count| count <= LARGEST_ARRAY) else {
            let found = self.kind(0).map_or("the end of the model".into(), TokenKind::describe);
            let message = format!("expected how many copies there are of `{}`, found {found}", of.text);
            return Err(self.report(
                Diagnostic::new(Code::Syntax, count_at.0, message)
                    .help(format!("write a whole number from 1 to {LARGEST_ARRAY}")),
            ));
        };
        self.at += 1;
        let mut set = Vec::new();
        if self.is_symbol(0, ',') {
            self.at += 1;
            let opened = self.span();
            if !self.is_open(0, Bracket::Curly) {
                return Err(self.expected("the actions on which the copies cooperate, in braces"));
            }
            self.at += 1;
            let closing = TokenKind::Close(Bracket::Curly);
            set = self.actions(|parser| parser.kind(0) == Some(&closing))?;
            self.close(Bracket::Curly, opened)?;
        }
        self.close(Bracket::Square, opened)?;
        let at = At(of.at.0.join(self.previous_span()));
        Ok(Process::Array { of, count, count_at, set, at })
    }

    // Rates

    fn expression(&mut self) -> Parsed<Expression<S>> {
        let first = self.product(false)?;
        let mut rest = Vec::new();
        loop {
            let operator = match self.kind(0) {
                Some(TokenKind::Symbol('+')) => SumOperator::Plus,
                Some(TokenKind::Symbol('-')) => SumOperator::Minus,
                _ => break,
            };
            self.at += 1;
            rest.push((operator, self.product(false)?));
        }
        Ok(if rest.is_empty() { first } else { Expression::Sum(Box::new(first), rest) })
    }

    fn product(&mut self, before_pattern: bool) -> Parsed<Expression<S>> {
        let first = self.factor()?;
        let mut rest = Vec::new();
        loop {
            let operator = match self.kind(0) {
                Some(TokenKind::Symbol('*')) if before_pattern && self.is_open(1, Bracket::Curly) => break,
                Some(TokenKind::Symbol('*')) => ProductOperator::Times,
                Some(TokenKind::Symbol('/')) => ProductOperator::Over,
                _ => break,
            };
            self.at += 1;
            rest.push((operator, self.factor()?));
        }
        Ok(if rest.is_empty() { first } else { Expression::Product(Box::new(first), rest) })
    }

    fn factor(&mut self) -> Parsed<Expression<S>> {
        let at = At(self.span());
        match self.kind(0) {
            Some(TokenKind::Number(text)) => match decimal(text) {
                Ok(value) => {
                    self.at += 1;
                    Ok(Expression::Number(value, at))
                }
                Err(problem) => {
                    let diagnostic = Diagnostic::new(Code::BadNumber, at.0, problem.to_string());
                    Err(self.report(diagnostic.help(instead_of_number(text, &problem))))
                }
            },
            Some(TokenKind::Name(_) | TokenKind::Quoted(_)) => Ok(Expression::Name(self.name("a rate")?)),
            Some(TokenKind::Symbol('-')) => {
                self.at += 1;
                let inner = self.nested(Self::factor)?;
                Ok(Expression::Negative(Box::new(inner), at))
            }
            Some(TokenKind::Open(Bracket::Round, _)) => {
                self.at += 1;
                let inner = self.nested(Self::expression)?;
                self.close(Bracket::Round, at.0)?;
                Ok(inner)
            }
            Some(TokenKind::Open(Bracket::Curly, Some(group))) => {
                let group = *group;
                self.skip_group();
                Ok(Expression::Rust(group, At(at.0.join(self.previous_span()))))
            }
            Some(TokenKind::Open(Bracket::Curly, None)) => {
                let diagnostic = self.expectation("a rate").map(|diagnostic| diagnostic.help(
                    "a value from Rust in braces is for macros; a result with its pattern stands after the system equation",
                ));
                self.diagnostics.extend(diagnostic);
                Err(Reported)
            }
            _ => Err(self.expected("a rate: a number, a name or `infty`")),
        }
    }

    fn skip_group(&mut self) {
        let mut open = 0_usize;
        while let Some(kind) = self.kind(0) {
            match kind {
                TokenKind::Open(..) => open += 1,
                TokenKind::Close(_) => open -= 1,
                _ => {}
            }
            self.at += 1;
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
