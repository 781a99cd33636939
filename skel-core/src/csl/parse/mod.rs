//! The grammar of properties, which is PRISM's as far as it speaks of Markov chains in continuous time.
//!
//! ```text
//! file     = { [ constant | [ quoted name ":" ] formula ] ";" }
//! constant = "const" [ "int" | "double" | "bool" | "rational" ] name "=" number
//! formula  = equivalence [ "=>" formula ]
//! equivalence = or { "<=>" or }         or = and { "|" and }          and = not { "&" not }
//! not      = "!" not | comparison       comparison = sum [ ( "<" | "<=" | ">" | ">=" | "=" | "!=" ) sum ]
//! sum      = product { ( "+" | "-" ) product }                        product = atom { ( "*" | "/" ) atom }
//! atom     = "true" | "false" | number | name | quoted name | "{" pattern "}" | "(" formula ")" | "-" atom | operator
//! operator = "P" bound "[" path "]" | "S" bound "[" formula "]" | "R" "{" quoted name "}" bound "[" until "]"
//!          | "filter" "(" word "," formula [ "," formula ] ")"
//! path     = "X" formula | ( "F" | "G" ) times formula | formula ( "U" | "W" | "R" ) times formula
//! until    = "C" "<=" number | "I" "=" number | "F" formula | "S"
//! ```
//!
//! A finding in one property ends that property, and the next one is read all the same. Values that cannot
//! be, such as a probability above 1, do not even end it.

mod constant;
mod operator;
mod path;
mod state;

use crate::csl::tree::{Formula, Place, Property};
use crate::diagnostic::{Code, Diagnostic, Span, TextSpan, did_you_mean, sort_by_place};
use crate::number::Ratio;
use crate::syntax::MAX_DEPTH;
use crate::syntax::ast::{At, Name};
use crate::syntax::cursor::{Cursor, Read, Reported};
use crate::syntax::lex::lex;
use crate::syntax::token::{Bracket, TokenKind};

/// The result of reading a text of properties.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// Each property, in the order of the text.
    pub entries: Vec<Entry>,
    /// The constants with their values, in the order of the text.
    pub constants: Vec<Constant>,
    /// Everything found, in the order of the text.
    pub diagnostics: Vec<Diagnostic<TextSpan>>,
}

/// A property of a text.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// What was read, unless something is wrong with it.
    pub property: Option<Property>,
    /// Its place in the text.
    pub span: TextSpan,
}

/// A constant of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// Its name.
    pub name: Name<TextSpan>,
    /// Its value.
    pub value: Ratio,
}

/// Reads properties: `P=? [ F<=10 "full" ]; S>=0.9 [ !"full" ]`. Never panics; the cost is linear in the
/// text.
///
/// # Examples
/// ```
/// let text = "const double t = 3/2; \"soon\": P>=0.5 [ F<=t \"full\" ]; S=? [ ]; P=? [ X true ]";
/// let parsed = skel_core::csl::parse(text);
/// assert_eq!(parsed.entries.len(), 3);
/// assert_eq!(parsed.entries[0].property.as_ref().unwrap().to_string(), "\"soon\": P>=0.5 [ F<=1.5 \"full\" ]");
/// assert_eq!(parsed.diagnostics.len(), 1); // of the second one
/// assert!(parsed.entries[2].property.is_some());
/// ```
#[must_use]
pub fn parse(text: &str) -> Parsed {
    let lexed = lex(text);
    let end = text.trim_end().len();
    let mut parser = Parser {
        tokens: Cursor::new(&lexed.tokens, TextSpan { start: end, end }, "the end of the property"),
        depth: 0,
        constants: Vec::new(),
        unread: Vec::new(),
    };
    let mut entries = Vec::new();
    while !parser.tokens.is_at_end() {
        parser.statement(&mut entries);
    }
    let mut diagnostics = lexed.diagnostics;
    // What the lexer has found is wrong with the property that it is in.
    for entry in &mut entries {
        let is_inside = |found: &Diagnostic<TextSpan>| {
            entry.span.start <= found.span.start && found.span.start <= entry.span.end
        };
        if diagnostics.iter().any(is_inside) {
            entry.property = None;
        }
    }
    diagnostics.extend(parser.tokens.diagnostics);
    sort_by_place(&mut diagnostics);
    Parsed { entries, constants: parser.constants, diagnostics }
}

struct Parser<'t> {
    tokens: Cursor<'t, TextSpan>,
    depth: usize,
    constants: Vec<Constant>,
    /// The names of constants that could not be read, so that their uses are not reported.
    unread: Vec<String>,
}

impl Parser<'_> {
    /// A constant or a property, and the `;` behind it.
    fn statement(&mut self, entries: &mut Vec<Entry>) {
        if self.tokens.take(';') {
            return;
        }
        let start = self.tokens.span();
        let before = self.tokens.diagnostics.len();
        if self.tokens.is_word(0, "const") {
            let named =
                (1..4).find_map(|ahead| match (self.tokens.kind(ahead), self.tokens.kind(ahead + 1)) {
                    (Some(TokenKind::Name(name)), Some(TokenKind::Symbol('=' | ';')) | None) => {
                        Some(name.clone())
                    }
                    _ => None,
                });
            let read = self.definition().and_then(|()| self.end("an operator or `;`"));
            if read.is_err() {
                self.unread.extend(named);
                self.recover();
            }
            return;
        }
        let name = match self.tokens.kind(0) {
            Some(TokenKind::Quoted(name)) if self.tokens.is_symbol(1, ':') => Some(name.clone()),
            _ => None,
        };
        let read = self.property().and_then(|property| self.end(AFTER_FORMULA).map(|()| property));
        if read.is_err() {
            self.recover();
        }
        let is_correct = self.tokens.diagnostics.len() == before;
        let last = match self.tokens.before() {
            Some(TokenKind::Symbol(';')) => TextSpan { end: self.tokens.previous().start, ..start },
            _ => start.join(self.tokens.previous()),
        };
        entries.push(Entry { name, property: read.ok().filter(|_| is_correct), span: start.join(last) });
    }

    /// Goes on behind the next `;`.
    fn recover(&mut self) {
        self.depth = 0;
        self.tokens.recover();
    }

    fn property(&mut self) -> Read<Property> {
        let name = match self.tokens.kind(0) {
            Some(TokenKind::Quoted(_)) if self.tokens.is_symbol(1, ':') => {
                let name = self.name("a name")?;
                self.tokens.advance(1);
                Some(name)
            }
            Some(TokenKind::Name(word)) if self.tokens.is_symbol(1, ':') => {
                let message = format!("the name `{word}` of a property has no quotes");
                let finding = Diagnostic::new(Code::Syntax, self.tokens.span(), message);
                return Err(self.tokens.report(finding.help(format!("write `\"{word}\": ...`"))));
            }
            Some(TokenKind::Name(word)) if ["label", "formula"].contains(&word.as_str()) => {
                let message = format!("`{word}` defines nothing here: the labels are those of the model");
                let finding = Diagnostic::new(Code::Syntax, self.tokens.span(), message);
                let help =
                    "write a result line into the model, `name = {P || **};`, and `\"name\"` in the property";
                return Err(self.tokens.report(finding.help(help)));
            }
            _ => None,
        };
        Ok(Property { name, formula: self.formula()? })
    }

    /// That a statement ends here.
    fn end(&mut self, expected: &str) -> Read<()> {
        if self.tokens.is_at_end() || self.tokens.take(';') {
            return Ok(());
        }
        self.refuse_path_operator()?;
        Err(self.expected(expected))
    }

    /// `const double t = 3/2`
    fn definition(&mut self) -> Read<()> {
        self.tokens.advance(1);
        let is_typed = matches!(self.tokens.kind(1), Some(TokenKind::Name(_)));
        if is_typed {
            let known = ["int", "double", "bool", "rational"].into_iter();
            match self.tokens.kind(0) {
                Some(TokenKind::Name(word)) if !known.clone().any(|known| known == word) => {
                    let message = format!("there is no type `{word}`");
                    let finding = Diagnostic::new(Code::Syntax, self.tokens.span(), message);
                    let help = match did_you_mean(word, known) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => "leave the type out, or write `int`, `double` or `rational`".into(),
                    };
                    return Err(self.tokens.report(finding.help(help)));
                }
                _ => self.tokens.advance(1),
            }
        }
        let name = self.name("the name of a constant")?;
        if !self.tokens.take('=') {
            let finding = self.tokens.expectation("`=` and the value of the constant");
            let help = format!("write `const {} = 1;`", name.text);
            self.tokens.diagnostics.extend(finding.map(|finding| finding.help(help)));
            return Err(Reported);
        }
        let (value, _) = self.constant()?;
        if let Some(first) = self.constants.iter().find(|constant| constant.name.text == name.text) {
            let message = format!("the constant `{}` is defined twice", name.text);
            let finding = Diagnostic::new(Code::DuplicateDefinition, name.at.0, message);
            let finding = finding.related(first.name.at.0, "first defined here");
            return Err(self.tokens.report(finding.help("give one of the two another name")));
        }
        self.constants.push(Constant { name, value });
        Ok(())
    }

    // What the parts of the grammar share

    /// Runs `inner` one level deeper, unless that is too deep.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} brackets or operators inside one another");
            let finding = Diagnostic::new(Code::NestingTooDeep, self.tokens.span(), message);
            return Err(self.tokens.report(finding.help("ask for the parts as properties of their own")));
        }
        self.depth += 1;
        let outcome = inner(self);
        self.depth -= 1;
        outcome
    }

    /// Whether the token so many ahead is this character, which no model has.
    fn is_foreign(&self, ahead: usize, text: &str) -> bool {
        matches!(self.tokens.kind(ahead), Some(TokenKind::Foreign(found)) if found == text)
    }

    /// Reports that something else was expected.
    fn expected(&mut self, what: &str) -> Reported {
        self.tokens.expected(what)
    }

    fn symbol(&mut self, symbol: char, what: &str) -> Read<()> {
        if self.tokens.take(symbol) { Ok(()) } else { Err(self.expected(what)) }
    }

    fn open(&mut self, bracket: Bracket, what: &str) -> Read<TextSpan> {
        let at = self.tokens.span();
        if !self.tokens.is_open(0, bracket) {
            return Err(self.expected(what));
        }
        self.tokens.advance(1);
        Ok(at)
    }

    fn close(&mut self, bracket: Bracket, opened: TextSpan, what: &str) -> Read<()> {
        if self.tokens.is_close(0, bracket) {
            self.tokens.advance(1);
            return Ok(());
        }
        self.refuse_path_operator()?;
        let label = format!("to close this `{}`", bracket.opening());
        let finding = self.tokens.expectation(what).map(|finding| finding.related(opened, label));
        self.tokens.diagnostics.extend(finding);
        Err(Reported)
    }

    fn name(&mut self, what: &str) -> Read<Name<TextSpan>> {
        match self.tokens.name() {
            Some(name) => Ok(name),
            None => Err(self.expected(what)),
        }
    }

    /// The place from `start` to the token that was read last.
    fn since(&self, start: TextSpan) -> Place {
        At(start.join(self.tokens.previous()))
    }

    /// The value of a constant of this name.
    fn value_of(&self, name: &str) -> Option<&Ratio> {
        self.constants.iter().find(|constant| constant.name.text == name).map(|constant| &constant.value)
    }

    fn boxed(&mut self, read: fn(&mut Self) -> Read<Formula>) -> Read<Box<Formula>> {
        read(self).map(Box::new)
    }
}

/// What may stand behind a formula.
const AFTER_FORMULA: &str = "an operator or `;`";
