//! How one says a model in Rust: `pepa! { ... }` and `include_pepa!("file.pepa")`.
//!
//! Doors only. Rust tokens become the tokens of `skel-core` (`lex`), whose parser and checks do the work;
//! what they find becomes compile errors at the right token (`report`); the checked model becomes constant
//! data and typed handles (`generate`). Use the macros of the facade `skel`, which pass their own `$crate`
//! as the first token, so that a renamed dependency works.

#[cfg(test)]
mod doors_agree;
mod generate;
mod head;
mod include;
mod lex;
mod pepa;
mod report;

use proc_macro::TokenStream;

/// See `skel::pepa!`.
#[proc_macro]
pub fn pepa(input: TokenStream) -> TokenStream {
    pepa::expand(input.into()).into()
}

/// See `skel::include_pepa!`.
#[proc_macro]
pub fn include_pepa(input: TokenStream) -> TokenStream {
    include::expand(input.into()).into()
}
