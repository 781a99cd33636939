//! Models in Rust, `pepa! { ... }` and `include_pepa!("file.pepa")`, and skeletons, `pipe!(...)`.
//!
//! The macros translate alone: Rust tokens become the tokens of `skel-core` (`lex`), whose parser and checks
//! do the work; what they find becomes compile errors at the right token (`report`); the checked model
//! becomes constant data (`image`) and typed handles (`generate`). Skeletons have a folder of their own. Use
//! the macros of the facade `skel`, which pass their own `$crate` as the first token, so that a renamed
//! dependency works.

mod capture;
#[cfg(feature = "csl")]
mod csl;
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

use skeleton::Facade;

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

/// See `skel::csl!`.
#[cfg(feature = "csl")]
#[proc_macro]
pub fn csl(input: TokenStream) -> TokenStream {
    csl::expand(input.into()).into()
}

/// The macros of skeletons: each as it is where skeletons are predicted alone, and where they are run, too.
macro_rules! skeletons {
    ($($predicts:ident $runs:ident $word:literal $doc:literal)*) => {$(
        #[doc = $doc]
        #[proc_macro]
        pub fn $predicts(input: TokenStream) -> TokenStream {
            skeleton::expand($word, Facade::Predicts, input.into()).into()
        }

        #[doc = $doc]
        #[proc_macro]
        pub fn $runs(input: TokenStream) -> TokenStream {
            skeleton::expand($word, Facade::Runs, input.into()).into()
        }
    )*};
}
skeletons! {
    pipe pipe_that_runs "pipe" "See `skel::pipe!`."
    farm farm_that_runs "farm" "See `skel::farm!`."
    deal deal_that_runs "deal" "See `skel::deal!`."
    task task_that_runs "task" "See `skel::task!`."
    map map_that_runs "map" "See `skel::map!`."
    fault_tolerant fault_tolerant_that_runs "fault_tolerant" "See `skel::fault_tolerant!`."
    map_with_state map_with_state_that_runs "map_with_state" "See `skel::map_with_state!`."
}
