//! From diagnostics to what the compiler prints.
//!
//! An error is a `compile_error!` at its token. A warning, on a stable compiler, is the use of a deprecated
//! constant at its token: the compiler prints the note once, and `#[allow(code)]` on the model silences it.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};

use skel_core::diagnostic::Diagnostic;

use crate::lex::Place;

/// All diagnostics as tokens that may stand among items and among statements.
pub(crate) fn report(diagnostics: &[Diagnostic<Place>]) -> TokenStream {
    diagnostics.iter().map(one).collect()
}

fn one(diagnostic: &Diagnostic<Place>) -> TokenStream {
    let span = diagnostic.span.0;
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
