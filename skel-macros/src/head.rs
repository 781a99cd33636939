//! The head of a macro call: `[$crate]`, attributes, and, for an item, `pub model Name`.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

use skel_core::diagnostic::{Code, Diagnostic, TextSpan};
use skel_core::syntax::directive::Requests;
use skel_core::syntax::token::TokenKind;

use crate::lex::{Places, lex};
use crate::name::is_keyword;
use crate::report::Unreadable;

/// What stands before the model itself.
pub(crate) struct Head {
    /// The path of the facade crate.
    pub(crate) facade: TokenStream,
    /// Attributes for the generated type.
    pub(crate) attributes: TokenStream,
    /// Whether one of them documents the type.
    pub(crate) is_documented: bool,
    /// `#[check(...)]` and `#[allow(...)]`.
    pub(crate) requests: Requests<TextSpan>,
    /// What is wrong with these.
    pub(crate) diagnostics: Vec<Diagnostic<TextSpan>>,
    /// Where the first of these stands.
    pub(crate) requested: Option<TextSpan>,
    /// Where the tokens of these stand.
    pub(crate) places: Places,
    /// Visibility and name, if the call makes an item.
    pub(crate) item: Option<(TokenStream, Ident)>,
}

impl Head {
    /// Reads what stands before a model or a skeleton, and returns what follows; `keyword` introduces the name of an item.
    pub(crate) fn before(input: TokenStream, keyword: &str) -> Result<(Self, Vec<TokenTree>), Unreadable> {
        let mut trees = flat(input);
        let Some(TokenTree::Group(facade)) = trees.first() else {
            let message = "expected the path of the crate; help: call the macro of the same name in `skel`";
            return Err(Unreadable::new(Span::call_site(), message));
        };
        let mut head = Head {
            facade: facade.stream(),
            attributes: TokenStream::new(),
            is_documented: false,
            requests: Requests::default(),
            diagnostics: Vec::new(),
            requested: None,
            places: Places::default(),
            item: None,
        };
        let mut rest = &trees[1..];
        loop {
            rest = match rest {
                [hash, TokenTree::Group(content), after @ ..] if is_symbol(hash, '#') => {
                    head.attribute(hash, false, content);
                    after
                }
                [hash, mark, TokenTree::Group(content), after @ ..]
                    if is_symbol(hash, '#') && is_symbol(mark, '!') =>
                {
                    head.attribute(hash, true, content);
                    after
                }
                _ => break,
            };
        }
        let (visibility, behind) = rest.split_at(length_of_visibility(rest));
        if let [TokenTree::Ident(word), TokenTree::Ident(name), after @ ..] = behind
            && word == keyword
            && !is_keyword(&name.to_string())
        {
            head.item = Some((visibility.iter().cloned().collect(), name.clone()));
            rest = after;
        }
        let left = rest.len();
        trees.drain(..trees.len() - left);
        Ok((head, trees))
    }

    /// Sorts an attribute: those for the checks are read here, the rest belongs to the generated type.
    fn attribute(&mut self, hash: &TokenTree, is_inner: bool, content: &Group) {
        let inside = content.stream();
        let name = match inside.clone().into_iter().next() {
            Some(TokenTree::Ident(name)) => name.to_string(),
            _ => String::new(),
        };
        if name == "check" || (name == "allow" && names_a_code(&inside)) {
            let tokens = lex(inside, &mut self.places).tokens;
            self.requested = self.requested.or(tokens.first().map(|token| token.span));
            self.diagnostics.extend(self.requests.read(&tokens));
        } else if !is_inner {
            self.is_documented |= name == "doc";
            self.attributes.extend([hash.clone(), TokenTree::Group(content.clone())]);
        }
    }
}

/// The tokens without the invisible brackets that a `macro_rules!` fragment brings.
pub(crate) fn flat(tokens: TokenStream) -> Vec<TokenTree> {
    let mut trees = Vec::new();
    for tree in tokens {
        match tree {
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
                trees.append(&mut flat(group.stream()));
            }
            tree => trees.push(tree),
        }
    }
    trees
}

pub(crate) fn is_symbol(tree: &TokenTree, symbol: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == symbol)
}

/// Whether an `allow(...)` names a finding of ours: else it is one of the compiler's lints.
fn names_a_code(content: &TokenStream) -> bool {
    lex(content.clone(), &mut Places::default())
        .tokens
        .iter()
        .any(|token| matches!(&token.kind, TokenKind::Name(word) if Code::from_word(word).is_some()))
}

/// How many tokens say who sees an item: `pub`, `pub(crate)`, or none.
fn length_of_visibility(trees: &[TokenTree]) -> usize {
    match trees {
        [TokenTree::Ident(word), TokenTree::Group(group), ..]
            if word == "pub" && group.delimiter() == Delimiter::Parenthesis =>
        {
            2
        }
        [TokenTree::Ident(word), ..] if word == "pub" => 1,
        _ => 0,
    }
}

/// What follows the head, without the braces of an item or the angles of `pepa!(< ... >)`; `example` shows an item.
pub(crate) fn body(
    trees: &[TokenTree],
    is_item: bool,
    example: &str,
) -> Result<(TokenStream, Span), Unreadable> {
    if is_item {
        return match trees {
            [TokenTree::Group(group)] if group.delimiter() == Delimiter::Brace => {
                Ok((group.stream(), group.span_close()))
            }
            _ => {
                let span = trees.first().map_or_else(Span::call_site, TokenTree::span);
                let message = format!("expected braces after the name\n  = help: `pub {example}`");
                Err(Unreadable::new(span, message))
            }
        };
    }
    let end = trees.last().map_or_else(Span::call_site, TokenTree::span);
    let inside = match trees {
        [first, inside @ .., last] if is_symbol(first, '<') && is_symbol(last, '>') && !inside.is_empty() => {
            inside
        }
        all => all,
    };
    Ok((inside.iter().cloned().collect(), end))
}
