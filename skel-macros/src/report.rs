//! From diagnostics to what the compiler prints.
//!
//! An error is a `compile_error!` at its token. A stable compiler lets no macro print a warning in its own
//! words. So a warning is the use, at its token, of a deprecated macro that has the name of the finding's
//! code: the compiler then prints the message behind that name. `#[allow(code)]` on the model silences it.
//! ARCHITECTURE.md (Decisions) has the other ways.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

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
    // Definition and use have one span, since names of macros are only found in the same context.
    let name = Ident::new(diagnostic.code.word(), span);
    quote! {
        const _: () = {
            #[deprecated(note = #text)]
            macro_rules! #name {
                () => { () };
            }
            #name!()
        };
    }
}
