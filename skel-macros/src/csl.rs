//! `csl!`: a property in CSL, read at compile time, whose names may be looked up in a model.
//!
//! The macro doesn't see the model, only its type. So it writes assertions that the compiler evaluates: that
//! a name is among the names of the type.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{ParseStream, Parser};
use syn::{LitStr, Token, bracketed};

use skel_core::csl::{self, NameKind, Property};
use skel_core::diagnostic::{Diagnostic, TextSpan, line_and_column};

/// What a call says.
struct Call {
    facade: TokenStream,
    model: Option<TokenStream>,
    property: LitStr,
}

/// Expands a call; a pure function of its tokens.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let Call { facade, model, property } = match read.parse2(input) {
        Ok(call) => call,
        Err(error) => return error.to_compile_error(),
    };
    let private = quote!(#facade::__private);
    let text = property.value();
    let parsed = csl::parse(&text);
    let mut errors: TokenStream =
        parsed.diagnostics.iter().map(|found| report(found, &text, &property)).collect();
    if parsed.diagnostics.is_empty() && parsed.entries.len() != 1 {
        let message = format!("expected one property, found {}", parsed.entries.len());
        errors.extend(quote_spanned!(property.span()=> ::core::compile_error!(#message);));
    }
    let read = parsed.entries.into_iter().next().and_then(|entry| entry.property);
    let Some(read) = read.filter(|_| errors.is_empty()) else {
        return quote!({ #errors #private::not_compiled() });
    };
    match model {
        None => quote!(#private::property::of_literal(#property)),
        Some(model) => {
            let looked_up = look_up(&read, &model, &private, property.span());
            quote!({
                #looked_up
                #private::property::PropertyOf::<#model>::from_generated_code(#property)
            })
        }
    }
}

/// `[$crate] Model, "property"`
fn read(input: ParseStream<'_>) -> syn::Result<Call> {
    let facade;
    bracketed!(facade in input);
    let facade = facade.parse()?;
    let model = match input.peek(LitStr) {
        true => None,
        false => {
            if input.is_empty() {
                return Err(input.error("expected a property in quotes: `csl!(\"P=? [ F<=1 Up = 0 ]\")`"));
            }
            let mut model = TokenStream::new();
            while !input.is_empty() && !input.peek(Token![,]) && !input.peek(LitStr) {
                model.extend([input.parse::<TokenTree>()?]);
            }
            input.parse::<Token![,]>()?;
            Some(model)
        }
    };
    let property = input.parse()?;
    input.parse::<Option<Token![,]>>()?;
    Ok(Call { facade, model, property })
}

/// An error of the text, at its place in the literal where the compiler can show that, and with an excerpt.
fn report(found: &Diagnostic<TextSpan>, text: &str, property: &LitStr) -> TokenStream {
    let (line, column) = line_and_column(text, found.span.start);
    let excerpt = text.lines().nth(line - 1).unwrap_or_default();
    let width = text.get(found.span.start..found.span.end).map_or(1, |place| place.chars().count().max(1));
    let marks = format!("{}{}", " ".repeat(column - 1), "^".repeat(width));
    let help = found.help.as_ref().map(|help| format!("\n  = help: {help}")).unwrap_or_default();
    let message = format!("{}\n   | {excerpt}\n   | {marks}{help}", found.message);
    quote_spanned!(place(found.span, text, property)=> ::core::compile_error!(#message);)
}

/// The place in the literal, if the compiler tells places in literals and the text stands there as it is;
/// else the literal.
fn place(span: TextSpan, text: &str, property: &LitStr) -> Span {
    let literal = property.token();
    let is_plain = property
        .to_token_stream()
        .to_string()
        .get(1..)
        .is_some_and(|rest| rest.strip_suffix('"') == Some(text));
    let inside =
        if is_plain { literal.subspan(span.start + 1..span.end.max(span.start + 1) + 1) } else { None };
    inside.unwrap_or(property.span())
}

/// Assertions that the names of a property are names of the model, each of one thing.
fn look_up(property: &Property, model: &TokenStream, private: &TokenStream, span: Span) -> TokenStream {
    let words = model.clone().into_iter().filter_map(|token| match token {
        TokenTree::Ident(word) => Some(word.to_string()),
        _ => None,
    });
    let shown = words.last().unwrap_or_default();
    let assertions = csl::names(property).into_iter().map(|(kind, name)| {
        let text = &name.text;
        let kinds = match kind {
            NameKind::LocalState => "local state",
            NameKind::Label => "result line or local state",
            NameKind::Reward => "action, local state or result line",
        };
        let unknown = format!("the model `{shown}` has no {kinds} `{text}`");
        let ambiguous = format!(
            "`{text}` stands for several things in the model `{shown}`: give one of them another name"
        );
        let kind = kind.number();
        quote_spanned! {span=>
            const _: () = {
                ::core::assert!(
                    #private::property::is_known(<#model as #private::Modelled>::NAMES, #kind, #text),
                    #unknown
                );
                ::core::assert!(
                    !#private::property::is_ambiguous(<#model as #private::Modelled>::NAMES, #kind, #text),
                    #ambiguous
                );
            };
        }
    });
    assertions.collect()
}
