//! The lexer of files: from a `.pepa` text to tokens.
//!
//! What only files may have is turned into the common tokens here: `//`, `/* */` and `%` comments, names with
//! primes (`P1''`), quoted names (`"get data"`), the marks `#` and `%` before old definitions, and the
//! Unicode operators ⊤ (`infty`), ∥ (`||`) and ⋈ (which is `<*>`, and adds nothing before a set). A comment
//! `// skel: allow(...), check(...)` is a directive; its tokens are kept apart.
//!
//! Linear in the text; no error stops it.

use super::plain::{Plain, behind_blanks};
use super::token::{Bracket, Token, TokenKind};
use crate::diagnostic::{Code, Diagnostic, TextSpan};

/// The tokens of a text.
#[derive(Clone, Debug)]
pub struct Lexed {
    /// The tokens of the model.
    pub tokens: Vec<Token<TextSpan>>,
    /// The tokens of its `// skel:` comments.
    pub directives: Vec<Token<TextSpan>>,
    /// What is wrong with the parts of the text that no token could be made of.
    pub diagnostics: Vec<Diagnostic<TextSpan>>,
}

/// Takes a text apart.
///
/// # Examples
/// ```
/// use skel_core::syntax::lex::lex;
/// let lexed = lex("P1' = (a, ⊤).P1';\n% a note");
/// assert_eq!(lexed.tokens.len(), 10);
/// ```
#[must_use]
pub fn lex(text: &str) -> Lexed {
    let mut lexer = Lexer::new(text);
    lexer.run();
    lexer.output
}

/// How much the lexer reports before the rest is left to the parser.
const MOST_DIAGNOSTICS: usize = 20;

/// How many tokens a piece has at least, unless the text ends.
const PIECE: usize = 512;

/// Takes a text apart piece by piece, so that no more than a piece of its tokens is in memory at once.
pub(crate) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    end: usize,
    output: Lexed,
    in_directive: bool,
    /// How many brackets of this piece are open.
    open: usize,
    /// Whether the next brace closes the set of a `⋈`.
    in_bow_tie: bool,
    /// The end of the last token or comment.
    last_end: Option<usize>,
}

fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '\''
}

impl<'t> Lexer<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Lexer::starting_at(text, at)
    }

    /// A lexer that begins at an offset, where a definition begins.
    pub(crate) fn starting_at(text: &'t str, at: usize) -> Self {
        Lexer {
            text,
            at,
            end: text.len(),
            output: Lexed { tokens: Vec::new(), directives: Vec::new(), diagnostics: Vec::new() },
            in_directive: false,
            open: 0,
            in_bow_tie: false,
            last_end: None,
        }
    }

    /// The next few thousand tokens. They end behind a `;` outside of all brackets, or with the text. The `;`
    /// before them comes first again, so that what is missing behind it has a place.
    ///
    /// A parser of definitions never looks beyond such a `;`, so it finds in the pieces what it finds in all
    /// tokens.
    pub(crate) fn piece(&mut self, at_least: usize) -> &[Token<TextSpan>] {
        let read = self.output.tokens.len().saturating_sub(1);
        self.output.tokens.drain(..read);
        self.open = 0;
        while let Some(c) = self.peek() {
            self.step(c);
            let tokens = &self.output.tokens;
            if self.open == 0 && tokens.len() > at_least && self.starts_statement() {
                break;
            }
        }
        &self.output.tokens
    }

    /// Reads the definitions here that need no tokens, as long as `keep` takes them: at the start of a text,
    /// or behind a piece of it that ends with a `;`.
    pub(crate) fn plain_definitions(&mut self, mut keep: impl FnMut(&Plain) -> bool) {
        let mut plain = Plain::default();
        while self.starts_statement() {
            let start = behind_blanks(self.text, self.at);
            let Some(end) = plain.read(self.text, start) else { return };
            if !keep(&plain) {
                return;
            }
            self.at = end;
            self.last_end = Some(end);
            let span = TextSpan { start: end - 1, end };
            self.output.tokens.clear();
            self.output.tokens.push(Token { kind: TokenKind::Symbol(';'), span });
        }
    }

    /// The tokens of the next piece of the usual length.
    pub(crate) fn usual_piece(&mut self) -> &[Token<TextSpan>] {
        self.piece(PIECE)
    }

    /// Whether all of the text was read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.at >= self.end
    }

    /// The directives, and what is wrong with the text.
    pub(crate) fn into_findings(self) -> (Vec<Token<TextSpan>>, Vec<Diagnostic<TextSpan>>) {
        (self.output.directives, self.output.diagnostics)
    }

    fn run(&mut self) {
        while let Some(c) = self.peek() {
            self.step(c);
        }
    }

    /// Reads what begins with this character, the next one.
    fn step(&mut self, c: char) {
        let start = self.at;
        match c {
            c if c.is_whitespace() => self.bump(c),
            '/' if self.rest().starts_with("//") => self.line_comment(),
            '/' if self.rest().starts_with("/*") => self.block_comment(),
            '%' if self.starts_line() => self.percent(),
            '%' if self.starts_statement() => self.comment_behind(),
            '#' if self.starts_marked_definition() => self.bump(c),
            '#' if self.starts_line() && self.starts_statement() && !self.marks_a_definition() => {
                self.hash_comment();
            }
            '#' if self.starts_statement() => self.bump(c),
            '"' => self.quoted_name(),
            c if starts_name(c) => {
                self.take_while(continues_name);
                let name = self.text[start..self.at].to_owned();
                self.push(TokenKind::Name(name), start);
            }
            c if c.is_ascii_digit() || (c == '.' && self.digit_follows()) => self.number(),
            c => self.symbol(c),
        }
        if !c.is_whitespace() {
            self.last_end = Some(self.at);
        }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..self.end]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self, c: char) {
        self.at += c.len_utf8();
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !accept(c)).unwrap_or(rest.len());
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        match kind {
            _ if self.in_directive => {}
            TokenKind::Open(..) => self.open += 1,
            TokenKind::Close(_) => self.open = self.open.saturating_sub(1),
            _ => {}
        }
        let token = Token { kind, span: TextSpan { start, end: self.at } };
        if self.in_directive { self.output.directives.push(token) } else { self.output.tokens.push(token) }
    }

    fn report(&mut self, diagnostic: Diagnostic<TextSpan>) {
        if self.output.diagnostics.len() < MOST_DIAGNOSTICS {
            self.output.diagnostics.push(diagnostic);
        }
    }

    /// Whether only blanks stand between the start of the line and here.
    fn starts_line(&self) -> bool {
        self.last_end.is_none_or(|end| self.text[end..self.at].contains('\n'))
    }

    /// Whether a definition may begin here: at the start, or after a `;`.
    fn starts_statement(&self) -> bool {
        self.output.tokens.last().is_none_or(|token| token.kind == TokenKind::Symbol(';'))
    }

    /// Whether a `#` here marks an old definition, `#P = ...`, on a line of its own. The `;` before it may be
    /// missing.
    fn starts_marked_definition(&self) -> bool {
        let line = self.rest()[1..].lines().next().unwrap_or_default().trim_start();
        let after_name = line.trim_start_matches(continues_name);
        self.starts_line() && after_name.len() < line.len() && after_name.trim_start().starts_with('=')
    }

    /// Whether a name and a `=` follow, on this line or the next ones.
    fn marks_a_definition(&self) -> bool {
        let behind = self.rest()[1..].trim_start();
        let after_name = behind.trim_start_matches(continues_name);
        after_name.len() < behind.len() && after_name.trim_start().starts_with('=')
    }

    fn digit_follows(&self) -> bool {
        let after_symbol = self.at == 0 || !self.text[..self.at].ends_with([')', ']', '}']);
        after_symbol && self.rest()[1..].starts_with(|c: char| c.is_ascii_digit())
    }

    fn line_comment(&mut self) {
        const MARK: &str = "skel:";
        let line_end = self.rest().find('\n').map_or(self.end, |length| self.at + length);
        let body_start = self.at + 2;
        let body = &self.text[body_start..line_end];
        let indent = body.len() - body.trim_start().len();
        if !self.in_directive && body.trim_start().starts_with(MARK) {
            let whole_end = std::mem::replace(&mut self.end, line_end);
            self.at = body_start + indent + MARK.len();
            self.in_directive = true;
            self.run();
            self.in_directive = false;
            self.end = whole_end;
        }
        self.at = line_end;
    }

    fn block_comment(&mut self) {
        let start = self.at;
        match self.rest()[2..].find("*/") {
            Some(length) => self.at += length + 4,
            None => {
                self.at = self.end;
                let span = TextSpan { start, end: start + 2 };
                self.report(
                    Diagnostic::new(Code::Unclosed, span, "this comment is never closed")
                        .label("opened here")
                        .help("write `*/` where it ends"),
                );
                self.push(TokenKind::Reported, start);
            }
        }
    }

    /// At the start of a line, `%` opens a comment, unless the line is an old rate definition,
    /// `%name = ...;`.
    fn percent(&mut self) {
        let line_length = self.rest().find('\n').unwrap_or(self.rest().len());
        let line = &self.rest()[1..line_length];
        let name_end = line.trim_start().find(|c| !continues_name(c)).unwrap_or(0);
        let after_name = line.trim_start()[name_end..].trim_start();
        let behind = after_name.split_once(';').map(|(_, behind)| behind.trim_start());
        let ends = behind
            .is_some_and(|behind| behind.is_empty() || behind.starts_with("//") || behind.starts_with('%'));
        if name_end > 0 && after_name.starts_with('=') && ends {
            self.at += 1;
        } else {
            self.at += line_length;
        }
    }

    /// A `%` comment behind a definition, where none may stand, is reported and passed over.
    fn comment_behind(&mut self) {
        let span = TextSpan { start: self.at, end: self.at + 1 };
        let diagnostic = Diagnostic::new(Code::UnexpectedCharacter, span, "`%` has no meaning here");
        self.report(diagnostic.help(PERCENT));
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    /// A line that begins with `#` and is no marked definition was meant as a comment: it is reported and
    /// passed over.
    fn hash_comment(&mut self) {
        let span = TextSpan { start: self.at, end: self.at + 1 };
        let diagnostic = Diagnostic::new(Code::UnexpectedCharacter, span, "`#` begins no comment");
        self.report(diagnostic.help(
            "a comment begins with `//`; in old files `#` stands before a definition on the same line: `#P = (a, 1).P;`",
        ));
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    fn quoted_name(&mut self) {
        let start = self.at;
        let rest = &self.rest()[1..];
        // To the nearer of the two, so that the time is linear in a long line of quoted names.
        let end = rest.find(['"', '\n']).unwrap_or(rest.len());
        match rest[end..].starts_with('"').then_some(end) {
            Some(0) => {
                self.at += 2;
                let span = TextSpan { start, end: self.at };
                self.report(
                    Diagnostic::new(Code::UnexpectedCharacter, span, "a quoted name is empty")
                        .help("write a name between the quotes"),
                );
                self.push(TokenKind::Reported, start);
            }
            Some(length) => {
                let name = rest[..length].to_owned();
                self.at += length + 2;
                self.push(TokenKind::Quoted(name), start);
            }
            None => {
                self.at += 1 + end;
                let span = TextSpan { start, end: start + 1 };
                self.report(
                    Diagnostic::new(Code::Unclosed, span, "this quoted name is never closed")
                        .label("opened here")
                        .help("write `\"` after the name, on the same line"),
                );
                self.push(TokenKind::Reported, start);
            }
        }
    }

    /// Digits, an optional fraction, an optional exponent. `2.P` is the number 2 and a dot; `2r` and `1.2.3`
    /// are taken whole, for the parser to refuse.
    fn number(&mut self) {
        let start = self.at;
        let digit = |c: char| c.is_ascii_digit() || c == '_';
        self.take_while(digit);
        let after = &self.rest();
        if after.starts_with('.') && !after[1..].starts_with(starts_name) {
            self.at += 1;
            self.take_while(digit);
        }
        let after = &self.rest();
        if after.starts_with(['e', 'E']) {
            let sign = usize::from(after[1..].starts_with(['+', '-']));
            if after[1 + sign..].starts_with(|c: char| c.is_ascii_digit()) {
                self.at += 1 + sign;
                self.take_while(|c| c.is_ascii_digit());
            }
        }
        let mut rest = self.rest().chars().peekable();
        let mut length = 0;
        while let Some(c) = rest.next() {
            let is_fraction = c == '.' && rest.peek().is_some_and(char::is_ascii_digit);
            if !continues_name(c) && !is_fraction {
                break;
            }
            length += c.len_utf8();
        }
        self.at += length;
        self.push(TokenKind::Number(self.text[start..self.at].to_owned()), start);
    }

    fn symbol(&mut self, c: char) {
        let start = self.at;
        self.bump(c);
        let kind = match c {
            '(' => TokenKind::Open(Bracket::Round, None),
            '[' => TokenKind::Open(Bracket::Square, None),
            '{' => TokenKind::Open(Bracket::Curly, None),
            ')' => TokenKind::Close(Bracket::Round),
            ']' => TokenKind::Close(Bracket::Square),
            '}' if std::mem::take(&mut self.in_bow_tie) => TokenKind::Symbol('>'),
            '}' => TokenKind::Close(Bracket::Curly),
            '=' | ':' | ';' | ',' | '.' | '+' | '-' | '*' | '/' | '<' | '>' | '|' => TokenKind::Symbol(c),
            '\u{22a4}' => TokenKind::Name("infty".into()),
            '\u{2225}' | '\u{2016}' => {
                self.push(TokenKind::Symbol('|'), start);
                TokenKind::Symbol('|')
            }
            '\u{22c8}' => return self.bow_tie(start),
            c if c.is_control() => TokenKind::Foreign(format!("U+{:04X}", u32::from(c))),
            c => TokenKind::Foreign(c.into()),
        };
        self.push(kind, start);
    }

    /// `P ⋈ Q` is `P <*> Q`; before a set in braces or angles (also `⋈_{a}`) it is that set.
    fn bow_tie(&mut self, start: usize) {
        self.take_while(|c| c == '_' || (c.is_whitespace() && c != '\n'));
        if self.rest().starts_with('<') {
            return;
        }
        if !self.rest().starts_with('{') {
            self.at = start + '\u{22c8}'.len_utf8();
            for symbol in ['<', '*', '>'] {
                self.push(TokenKind::Symbol(symbol), start);
            }
            return;
        }
        self.at += 1;
        self.push(TokenKind::Symbol('<'), start);
        self.in_bow_tie = true;
    }
}

const PERCENT: &str = "`%` opens a comment only at the start of a line; use `//` here";

/// What to write instead of a character that no model has, where that is known.
pub(super) fn instead_of(foreign: &str) -> Option<&'static str> {
    Some(match foreign {
        "#" => "`#` may stand before a definition, at its start, and nowhere else",
        "%" => PERCENT,
        "&" => "cooperation on no action is written `||`",
        "\\" => "hiding is written `P/{a}`",
        "\u{2212}" => "write the minus sign `-`",
        "\u{2297}" | "\u{00d7}" | "\u{00b7}" => "write `*` for a product",
        _ => return None,
    })
}
