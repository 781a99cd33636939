//! Names that Rust takes for what it generates.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};

/// Words that are no names in some edition, unless they are written raw (The Rust Reference, "Keywords").
#[rustfmt::skip]
const KEYWORDS: [&str; 53] = [
    "_", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "pub", "ref", "return", "Self", "self", "static", "struct", "super", "trait",
    "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

pub(crate) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// A name as a Rust identifier, raw where it has to be; none where it cannot be one.
pub(crate) fn identifier(name: &str) -> Option<Ident> {
    let raw = if is_keyword(name) { "r#" } else { "" };
    let mut trees = format!("{raw}{name}").parse::<TokenStream>().ok()?.into_iter();
    match (trees.next(), trees.next()) {
        (Some(TokenTree::Ident(mut ident)), None) => {
            ident.set_span(Span::call_site());
            Some(ident)
        }
        _ => None,
    }
}
