//! The head of a macro call: `[$crate]`, attributes, and, for an item, `pub model Name`.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Token, bracketed, parenthesized, token};

use skel_core::diagnostic::{Code, Diagnostic, TextSpan};
use skel_core::syntax::directive::Requests;
use skel_core::syntax::token::TokenKind;

use crate::lex::{Places, lex};

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
    /// What stands in round brackets behind the name of an item: `(n: usize)`.
    pub(crate) parameters: Option<Group>,
}

impl Head {
    /// Reads what stands before a model or a skeleton; `keyword` introduces the name of an item.
    pub(crate) fn before(input: ParseStream<'_>, keyword: &str) -> syn::Result<Self> {
        let facade;
        bracketed!(facade in input);
        let mut head = Head {
            facade: facade.parse()?,
            attributes: TokenStream::new(),
            is_documented: false,
            requests: Requests::default(),
            diagnostics: Vec::new(),
            requested: None,
            places: Places::default(),
            item: None,
            parameters: None,
        };
        while input.peek(Token![#]) {
            let hash: Token![#] = input.parse()?;
            let inner: Option<Token![!]> = input.parse()?;
            let content;
            let bracket = bracketed!(content in input);
            head.attribute(&hash, inner.is_some(), &bracket, content.parse()?);
        }
        let ahead = input.fork();
        let visibility = visibility(&ahead)?;
        let is_keyword = ahead.peek(Ident::peek_any) && ahead.call(Ident::parse_any)? == keyword;
        if is_keyword && ahead.peek(syn::Ident) {
            self::visibility(input)?;
            input.call(Ident::parse_any)?;
            head.item = Some((visibility, input.parse()?));
            if input.peek(token::Paren) {
                head.parameters = Some(input.parse()?);
            }
        }
        Ok(head)
    }

    /// Whether there were parameters, which are reported: a model has its sizes and rates inside, and they
    /// are the fields of its type.
    pub(crate) fn refuse_parameters(&mut self) -> bool {
        let Some(group) = self.parameters.take() else { return false };
        let place = self.places.add(group.span_open());
        self.diagnostics.push(
            Diagnostic::new(Code::Syntax, place, "a model takes no parameters in brackets").help(
                "define its sizes and rates in the model, as in `n = 10;`: they are the fields of the type",
            ),
        );
        true
    }

    /// Sorts an attribute: those for the checks are read here, the rest belongs to the generated type.
    fn attribute(
        &mut self,
        hash: &Token![#],
        is_inner: bool,
        bracket: &token::Bracket,
        content: TokenStream,
    ) {
        let name = match content.clone().into_iter().next() {
            Some(TokenTree::Ident(name)) => name.to_string(),
            _ => String::new(),
        };
        if name == "check" || (name == "allow" && names_a_code(&content)) {
            let tokens = lex(content, &mut self.places).tokens;
            self.requested = self.requested.or(tokens.first().map(|token| token.span));
            self.diagnostics.extend(self.requests.read(&tokens));
        } else if !is_inner {
            self.is_documented |= name == "doc";
            hash.to_tokens(&mut self.attributes);
            bracket.surround(&mut self.attributes, |inside| inside.extend(content));
        }
    }
}

/// Whether an `allow(...)` names a finding of ours: else it is one of the compiler's lints.
fn names_a_code(content: &TokenStream) -> bool {
    lex(content.clone(), &mut Places::default())
        .tokens
        .iter()
        .any(|token| matches!(&token.kind, TokenKind::Name(word) if Code::from_word(word).is_some()))
}

fn visibility(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    if !input.peek(Token![pub]) {
        return Ok(TokenStream::new());
    }
    let public: Token![pub] = input.parse()?;
    if !input.peek(token::Paren) {
        return Ok(quote!(#public));
    }
    let inside;
    parenthesized!(inside in input);
    let inside: TokenStream = inside.parse()?;
    Ok(quote!(#public(#inside)))
}

/// What follows the head, without the braces of an item or the angles of `pepa!(< ... >)`; `example` shows an
/// item.
pub(crate) fn body(
    rest: TokenStream,
    is_item: bool,
    example: &str,
) -> Result<(TokenStream, Span), syn::Error> {
    let trees: Vec<TokenTree> = rest.into_iter().collect();
    if is_item {
        return match trees.as_slice() {
            [TokenTree::Group(group)] if group.delimiter() == Delimiter::Brace => {
                Ok((group.stream(), group.span_close()))
            }
            _ => {
                let span = trees.first().map_or_else(Span::call_site, TokenTree::span);
                Err(syn::Error::new(
                    span,
                    format!("expected braces after the name\n  = help: `pub {example}`"),
                ))
            }
        };
    }
    let end = trees.last().map_or_else(Span::call_site, TokenTree::span);
    let is_symbol = |tree: Option<&TokenTree>, symbol: char| matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == symbol);
    if trees.len() > 2 && is_symbol(trees.first(), '<') && is_symbol(trees.last(), '>') {
        let inside = trees[1..trees.len() - 1].iter().cloned().collect();
        return Ok((inside, end));
    }
    Ok((trees.into_iter().collect(), end))
}
