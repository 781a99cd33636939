//! Models in Rust, `pepa! { ... }` and `include_pepa!("file.pepa")`, and skeletons, `pipe!(...)`.
//!
//! The macros translate alone: Rust tokens become the tokens of `skel-core` (`lex`), whose parser and checks do the work;
//! what they find becomes compile errors at the right token (`report`); the checked model becomes constant
//! data (`image`) and typed handles (`generate`). Skeletons have a folder of their own. Use the macros of the
//! facade `skel`, which pass their own `$crate` as the first token, so that a renamed dependency works.

mod capture;
#[cfg(test)]
mod expansions;
mod generate;
mod head;
mod image;
mod include;
mod lex;
#[cfg(test)]
mod lexers_agree;
mod pepa;
mod report;
mod skeleton;

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

/// See `skel::pipe!`.
#[proc_macro]
pub fn pipe(input: TokenStream) -> TokenStream {
    skeleton::expand("pipe", input.into()).into()
}

/// See `skel::farm!`.
#[proc_macro]
pub fn farm(input: TokenStream) -> TokenStream {
    skeleton::expand("farm", input.into()).into()
}

/// See `skel::map_with_state!`.
#[proc_macro]
pub fn map_with_state(input: TokenStream) -> TokenStream {
    skeleton::expand("map_with_state", input.into()).into()
}

/// See `skel::fault_tolerant!`.
#[proc_macro]
pub fn fault_tolerant(input: TokenStream) -> TokenStream {
    skeleton::expand("fault_tolerant", input.into()).into()
}

/// See `skel::map!`.
#[proc_macro]
pub fn map(input: TokenStream) -> TokenStream {
    skeleton::expand("map", input.into()).into()
}

/// See `skel::deal!`.
#[proc_macro]
pub fn deal(input: TokenStream) -> TokenStream {
    skeleton::expand("deal", input.into()).into()
}

/// See `skel::task!`.
#[proc_macro]
pub fn task(input: TokenStream) -> TokenStream {
    skeleton::expand("task", input.into()).into()
}
