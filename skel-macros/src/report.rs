//! From diagnostics to what the compiler prints.
//!
//! An error is a `compile_error!` at its token. A warning, on a stable compiler, is the use of a deprecated
//! constant at its token: the compiler prints the note once, and `#[allow(code)]` on the model silences it.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use skel_core::diagnostic::{Diagnostic, TextSpan};

use crate::lex::Places;

/// All diagnostics as tokens that may stand among items and among statements.
pub(crate) fn report(diagnostics: &[Diagnostic<TextSpan>], places: &Places) -> TokenStream {
    diagnostics.iter().map(|diagnostic| one(diagnostic, places.find(diagnostic.span))).collect()
}

fn one(diagnostic: &Diagnostic<TextSpan>, span: Span) -> TokenStream {
    let text = match &diagnostic.help {
        Some(help) => format!("{}\n  = help: {help}", diagnostic.message),
        None => diagnostic.message.clone(),
    };
    if diagnostic.is_error() {
        return quote_spanned!(span=> ::core::compile_error! { #text });
    }
    let name = format_ident!("{}", diagnostic.code.word());
    let mut used = name.clone();
    used.set_span(span);
    quote! {
        const _: () = {
            #[deprecated(note = #text)]
            #[allow(non_upper_case_globals)]
            const #name: () = ();
            #used
        };
    }
}
