//! The tokens that the lexers of files and of macros produce.
//!
//! Every operator is a sequence of single characters (`||` is two tokens `|`): the spacing of punctuation
//! does not survive every way into a Rust macro, so the grammar does not depend on it.

/// A token and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Token<S> {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is.
    pub span: S,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub enum TokenKind {
    /// A name.
    Name(String),
    /// A name that stood in quotes, without them.
    Quoted(String),
    /// A number, as written.
    Number(String),
    /// One character of punctuation.
    Symbol(char),
    /// An opening bracket. A brace in a macro call carries the number of its group, which may be a Rust
    /// expression; only the parser knows.
    Open(Bracket, Option<RustGroup>),
    /// A closing bracket.
    Close(Bracket),
    /// Something that no model has: a Rust token such as a string, or a stray character. The lexer passes it
    /// on, since inside a Rust expression it is no error.
    Foreign(String),
    /// Something that the lexer has reported. It fits nowhere, and the parser says nothing more about it.
    Reported,
}

/// The number of a `{ ... }` group of a macro call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RustGroup(pub u32);

/// The kinds of brackets. `<` and `>` are punctuation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bracket {
    /// `(` and `)`
    Round,
    /// `[` and `]`
    Square,
    /// `{` and `}`
    Curly,
}

impl Bracket {
    /// The opening character.
    #[must_use]
    pub fn opening(self) -> char {
        match self {
            Bracket::Round => '(',
            Bracket::Square => '[',
            Bracket::Curly => '{',
        }
    }

    /// The closing character.
    #[must_use]
    pub fn closing(self) -> char {
        match self {
            Bracket::Round => ')',
            Bracket::Square => ']',
            Bracket::Curly => '}',
        }
    }
}

impl TokenKind {
    /// The token as a message shows it.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            TokenKind::Name(name) => format!("`{name}`"),
            TokenKind::Number(number) => format!("the number `{number}`"),
            TokenKind::Symbol(symbol) => format!("`{symbol}`"),
            TokenKind::Open(bracket, _) => format!("`{}`", bracket.opening()),
            TokenKind::Close(bracket) => format!("`{}`", bracket.closing()),
            TokenKind::Quoted(name) => format!("`\"{name}\"`"),
            TokenKind::Foreign(text) => format!("`{text}`"),
            TokenKind::Reported => "something unreadable".into(),
        }
    }
}
