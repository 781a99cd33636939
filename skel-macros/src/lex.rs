//! From Rust tokens to the tokens of `skel-core`.

use std::collections::HashMap;

use proc_macro2::{Delimiter, Group, Ident, Span as RustSpan, TokenStream, TokenTree};

use skel_core::diagnostic::TextSpan;
use skel_core::syntax::token::{Bracket, RustGroup, Token, TokenKind};

/// The places of a call's tokens. A [`TextSpan`] counts these instead of bytes: parser and checks are then
/// compiled once, in `skel-core`, and not again for spans of Rust.
#[derive(Default)]
pub(crate) struct Places(Vec<RustSpan>);

impl Places {
    /// The span of one more token.
    pub(crate) fn add(&mut self, span: RustSpan) -> TextSpan {
        self.0.push(span);
        TextSpan { start: self.0.len() - 1, end: self.0.len() }
    }

    /// From the first to the last token, or the first alone where the compiler cannot join them.
    pub(crate) fn find(&self, span: TextSpan) -> RustSpan {
        let (first, last) = (self.0[span.start], self.0[span.end - 1]);
        first.join(last).unwrap_or(first)
    }
}

/// The tokens of a macro call, and its `{ ... }` groups, any of which may be a Rust expression.
#[derive(Default)]
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<Token<TextSpan>>,
    groups: Vec<TokenStream>,
    /// The doc comments before definitions, `doc = "..."` each, by the name that is defined.
    pub(crate) docs: HashMap<String, Vec<TokenStream>>,
}

impl Lexed {
    /// The Rust code of a group.
    pub(crate) fn group(&self, group: RustGroup) -> TokenStream {
        self.groups[group.0 as usize].clone()
    }
}

pub(crate) fn lex(input: TokenStream, places: &mut Places) -> Lexed {
    let mut lexer = Lexer { lexed: Lexed::default(), places };
    lexer.stream(input);
    lexer.lexed
}

struct Lexer<'p> {
    lexed: Lexed,
    places: &'p mut Places,
}

impl Lexer<'_> {
    fn stream(&mut self, input: TokenStream) {
        let trees: Vec<TokenTree> = input.into_iter().collect();
        let mut rest = trees.as_slice();
        let mut docs = Vec::new();
        while let Some((tree, after)) = rest.split_first() {
            rest = after;
            if let (TokenTree::Ident(name), true) = (tree, starts_definition(after)) {
                self.lexed.docs.entry(plain(name)).or_default().append(&mut docs);
            }
            match tree {
                TokenTree::Punct(punct) if punct.as_char() == '#' => match after_doc(after) {
                    Some((doc, after)) => {
                        docs.push(doc.stream());
                        rest = after;
                        continue;
                    }
                    None => self.push(TokenKind::Foreign("#".into()), punct.span()),
                },
                TokenTree::Punct(punct) => {
                    let character = punct.as_char();
                    let kind = match character {
                        '=' | ':' | ';' | ',' | '.' | '+' | '-' | '*' | '/' | '<' | '>' | '|' => {
                            TokenKind::Symbol(character)
                        }
                        _ => TokenKind::Foreign(character.to_string()),
                    };
                    self.push(kind, punct.span());
                }
                TokenTree::Ident(ident) => {
                    self.push(TokenKind::Name(plain(ident)), ident.span());
                }
                TokenTree::Literal(literal) => {
                    let text = literal.to_string();
                    let kind = if text.starts_with(|c: char| c.is_ascii_digit()) {
                        TokenKind::Number(text)
                    } else {
                        TokenKind::Foreign(text)
                    };
                    self.push(kind, literal.span());
                }
                TokenTree::Group(group) => self.group_tokens(group),
            }
            docs.clear();
        }
    }

    fn group_tokens(&mut self, group: &Group) {
        let bracket = match group.delimiter() {
            Delimiter::Parenthesis => Bracket::Round,
            Delimiter::Bracket => Bracket::Square,
            Delimiter::Brace => Bracket::Curly,
            // What a `macro_rules!` fragment was wrapped in.
            Delimiter::None => return self.stream(group.stream()),
        };
        let number = (bracket == Bracket::Curly).then(|| {
            self.lexed.groups.push(group.stream());
            RustGroup(self.lexed.groups.len() as u32 - 1)
        });
        self.push(TokenKind::Open(bracket, number), group.span_open());
        self.stream(group.stream());
        self.push(TokenKind::Close(bracket), group.span_close());
    }

    fn push(&mut self, kind: TokenKind, span: RustSpan) {
        let span = self.places.add(span);
        self.lexed.tokens.push(Token { kind, span });
    }
}

/// A name without the mark of raw identifiers.
fn plain(name: &Ident) -> String {
    let text = name.to_string();
    text.strip_prefix("r#").unwrap_or(&text).to_owned()
}

/// Whether `=` or `:=` follows a name.
fn starts_definition(after_name: &[TokenTree]) -> bool {
    let is = |at: usize, symbol| matches!(after_name.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == symbol);
    is(0, '=') || is(0, ':') && is(1, '=')
}

/// A doc comment, which after its `#` is `[doc = ""]` or `![doc = ""]`, and what follows it.
fn after_doc(trees: &[TokenTree]) -> Option<(&Group, &[TokenTree])> {
    let trees = match trees {
        [TokenTree::Punct(punct), rest @ ..] if punct.as_char() == '!' => rest,
        all => all,
    };
    match trees {
        [TokenTree::Group(group), rest @ ..] if is_doc(group) => Some((group, rest)),
        _ => None,
    }
}

fn is_doc(group: &Group) -> bool {
    let first = group.stream().into_iter().next();
    group.delimiter() == Delimiter::Bracket
        && matches!(first, Some(TokenTree::Ident(ident)) if ident == "doc")
}
