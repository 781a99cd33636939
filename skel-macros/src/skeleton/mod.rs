//! `pipe!`, `farm!`, `deal!`, `task!`, `map!`, `fault_tolerant!` and `map_with_state!`: the structure of a
//! parallel program, as an expression or as an item.
//!
//! Literals are checked here, at compile time. The expansion calls the constructors, so that the structure is
//! in the value's type; values that only the running program knows are checked then, by the same check with
//! the same messages.

mod functions;
mod generate;
mod handles;
mod inline;
mod methods;
mod parameters;
mod parse;
mod team;
mod team_methods;
mod time;
mod together;

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::parse::{ParseStream, Parser};

use skel_core::diagnostic::{Code, Diagnostic};
use skel_core::skeleton::{TaskNames, check};

use crate::head::{Head, body};
use crate::report::report;
use handles::handles;
use parameters::Parameters;
use parse::Reader;

/// The most stages of a pipe in Rust: its type is a tuple.
const MOST_STAGES: usize = 16;

/// Whether the facade runs skeletons: it does so by a feature, and says so by the macro that it calls.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Facade {
    Predicts,
    Runs,
}

/// Expands a call of the macro of that name; a pure function of its tokens.
pub(crate) fn expand(word: &str, facade: Facade, input: TokenStream) -> TokenStream {
    let parser =
        |input: ParseStream<'_>| Ok((Head::before(input, "skeleton")?, input.parse::<TokenStream>()?));
    let (mut head, rest) = match parser.parse2(input) {
        Ok(parts) => parts,
        Err(error) => return error.to_compile_error(),
    };
    let body = match body(rest, head.item.is_some(), "skeleton Name { task(1.0), task(2.0) }") {
        Ok((body, _)) => body,
        Err(error) => return error.to_compile_error(),
    };
    let parameters = Parameters::of(&mut head);
    let mut reader = Reader {
        places: &mut head.places,
        diagnostics: std::mem::take(&mut head.diagnostics),
        parameters: &parameters,
    };
    let call = reader.call(word, body, Span::call_site());
    if let Some((_, name)) = &head.item {
        reader.refuse_rust(&call, name);
    }
    let mut diagnostics = reader.diagnostics;
    if let Some(at) = head.requested {
        let message = "a skeleton takes no `check(...)` and no `allow(...)`";
        diagnostics.push(
            Diagnostic::new(Code::BadDirective, at, message)
                .help("leave it away: every skeleton is checked for deadlocks before it is answered for"),
        );
    }
    diagnostics.extend(check(&call.written(), TaskNames::Distinct).1);
    let runs = facade == Facade::Runs;
    if head.item.is_none() {
        diagnostics.extend(inline::check(&call, runs));
    }
    let handles = handles(&call);
    if head.item.is_some() {
        diagnostics.extend(handles.clashes);
    }
    let reports = report(&diagnostics, &head.places);
    let is_sound = diagnostics.is_empty();
    match &head.item {
        Some((visibility, name)) => {
            let item = generate::item(&head, visibility, name, &parameters, &call, &handles.found, is_sound);
            let functions =
                runs.then(|| functions::functions(&head, visibility, name, &call, &handles.found, is_sound));
            quote!(#reports #item #functions)
        }
        None => {
            let value = match runs && inline::has_functions(&call) {
                true => inline::expression(&head, &call),
                false => generate::expression(&head, &call, is_sound),
            };
            quote!({ #reports #value })
        }
    }
}
