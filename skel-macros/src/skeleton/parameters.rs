//! The parameters of an item, `skeleton Name(n: usize, mu: f64) { ... }`: arguments of its `new`.
//!
//! Counts, rates and names in the body may be any Rust expressions, so the parameters are those of a
//! function. What they are worth is known when the program runs, and checked when the skeleton is built.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::Token;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;

use skel_core::diagnostic::{Code, Diagnostic};

use crate::head::Head;

/// The parameters of an item.
#[derive(Default)]
pub(super) struct Parameters {
    /// What stands in the brackets, as it is written.
    pub(super) tokens: TokenStream,
    names: Vec<Ident>,
    /// Whether there are names that could not be read.
    is_unread: bool,
}

/// `name: Type`. The type is any tokens; it is the compiler that reads them.
struct Parameter {
    name: Ident,
}

impl Parse for Parameter {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name: Ident = input.parse()?;
        let colon: Option<Token![:]> = input.parse()?;
        if colon.is_none() || input.is_empty() || input.peek(Token![,]) {
            return Err(syn::Error::new(name.span(), "it has no type"));
        }
        skip_type(input)?;
        Ok(Parameter { name })
    }
}

/// Goes on behind a type: at the next comma that is not between angle brackets.
fn skip_type(input: ParseStream<'_>) -> syn::Result<()> {
    let mut angles = 0_usize;
    while !input.is_empty() && (angles > 0 || !input.peek(Token![,])) {
        if input.peek(Token![=]) {
            return Err(input.error("a parameter has no default"));
        }
        match input.parse()? {
            TokenTree::Punct(punct) if punct.as_char() == '<' => angles += 1,
            TokenTree::Punct(punct) if punct.as_char() == '>' => angles = angles.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

impl Parameters {
    /// Reads what stands behind the name of an item. What is no list of parameters is reported, and then left
    /// out.
    pub(super) fn of(head: &mut Head) -> Self {
        let Some(group) = head.parameters.take() else { return Parameters::default() };
        let parser = Punctuated::<Parameter, Token![,]>::parse_terminated;
        match parser.parse2(group.stream()) {
            Ok(found) => {
                let names = found.into_iter().map(|parameter| parameter.name).collect();
                Parameters { tokens: group.stream(), names, is_unread: false }
            }
            Err(error) => {
                let place = head.places.add(error.span());
                let message = "a parameter of a skeleton is a name with its type";
                head.diagnostics.push(
                    Diagnostic::new(Code::Syntax, place, message)
                        .help("`(n: usize)` for a number of replicas, `(n: usize, mu: f64)` with a rate"),
                );
                Parameters { is_unread: true, ..Parameters::default() }
            }
        }
    }

    /// Whether a name may be that of a parameter that could not be read.
    pub(super) fn is_unread(&self) -> bool {
        self.is_unread
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether this is the name of one.
    pub(super) fn has(&self, name: &Ident) -> bool {
        self.names.contains(name)
    }
}
