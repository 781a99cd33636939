//! The four methods of a task: they take a function, or one that may fail, each with or without a state.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::ext::IdentExt;

use super::together::Team;
use crate::generate::identifier;

/// A task and the methods by which it is given its function.
pub(super) struct Task {
    pub(super) name: String,
    /// What the methods are named after.
    pub(super) method: Ident,
    /// Where the name is written.
    pub(super) span: Span,
    /// Where the farm or the deal is written whose workers share the function.
    pub(super) workers_of: Option<Span>,
    /// What its workers do together, where several serve an item.
    pub(super) team: Option<Team>,
}

/// What a task's methods refer to.
pub(super) struct Surroundings<'s> {
    /// The path of what they are made with.
    pub(super) runs: &'s TokenStream,
    pub(super) visibility: &'s TokenStream,
    /// The skeleton.
    pub(super) skeleton: &'s Ident,
    /// The type that has the methods.
    pub(super) functions: &'s Ident,
    /// What stands for the task, and for the one behind it.
    pub(super) stage: &'s Ident,
    pub(super) next: Option<&'s Ident>,
    /// Whether it is the first.
    pub(super) is_first: bool,
}

/// What a method takes.
#[derive(Clone, Copy)]
pub(super) struct Form {
    pub(super) fails: bool,
    pub(super) has_state: bool,
}

/// The methods of a task.
pub(super) fn methods(around: &Surroundings<'_>, task: &Task) -> TokenStream {
    let forms = [(false, false), (true, false), (false, true), (true, true)];
    forms.into_iter().map(|(fails, has_state)| method(around, task, Form { fails, has_state })).collect()
}

/// A place in the user's text, for tokens that are generated.
pub(super) fn written_at(span: Span) -> Span {
    Span::call_site().located_at(span)
}

/// One of them. The compiler points at the task's name where it says what a function has to be and, where
/// workers share the function, at the farm or the deal.
fn method(around: &Surroundings<'_>, task: &Task, form: Form) -> TokenStream {
    let Surroundings { runs, visibility, stage, is_first, .. } = around;
    let span = written_at(task.span);
    let docs = docs(around, task, form);
    let name = name(task, form);
    let state = form.has_state.then(|| quote_spanned!(span=> S, M,));
    let error = form.fails.then(|| quote_spanned!(span=> E,));
    let make = form.has_state.then(|| quote_spanned!(span=> make: M,));
    // It is known of every item but the first, since the task before makes it.
    let item = is_first.then(|| quote_spanned!(span=> A: #runs::Item,));
    let function = written_at(task.workers_of.unwrap_or(task.span));
    let function = quote_spanned!(function=> F);
    let bounds = bounds(runs, task, form);
    let (result, body) = result(around, task, form);
    quote_spanned! {span=>
        #docs
        #visibility fn #name<A, B, #error #state F>(self, #make function: #function) -> #result
        where
            N: #runs::Next<#stage, X, A>,
            #item
            B: #runs::Item,
            #bounds
        {
            #body
        }
    }
}

/// What a function has to be.
fn bounds(runs: &TokenStream, task: &Task, form: Form) -> TokenStream {
    let span = written_at(task.span);
    let answer = match form.fails {
        true => quote_spanned!(span=> ::core::result::Result<B, E>),
        false => quote_spanned!(span=> B),
    };
    let fails = form.fails.then(|| quote_spanned!(span=> E: #runs::Failing,));
    let state = form.has_state.then(|| {
        // The state of a worker stays on the thread that makes it.
        let moves = task.workers_of.is_none().then(|| quote_spanned!(span=> S: #runs::State,));
        quote_spanned!(span=> #moves M: ::core::ops::Fn() -> S + ::core::marker::Sync,)
    });
    let function = match (task.workers_of, form.has_state) {
        (_, true) => quote_spanned!(span=> ::core::ops::Fn(&mut S, A) -> #answer + ::core::marker::Sync),
        (None, false) => quote_spanned!(span=> ::core::ops::FnMut(A) -> #answer + ::core::marker::Send),
        (Some(workers), false) => {
            let span = written_at(workers);
            quote_spanned!(span=> ::core::ops::Fn(A) -> #answer + ::core::marker::Sync)
        }
    };
    quote_spanned!(span=> #fails #state F: #function,)
}

/// The type of what a method returns, and the method's body.
fn result(around: &Surroundings<'_>, task: &Task, form: Form) -> (TokenStream, TokenStream) {
    let runs = around.runs;
    let span = written_at(task.span);
    let answer = match form.fails {
        true => quote_spanned!(span=> #runs::Fallible<B, E>),
        false => quote_spanned!(span=> #runs::Plain<B>),
    };
    let leaf = Ident::new(leaf(task, form), span);
    let (state, make) = match form.has_state {
        true => (quote_spanned!(span=> S, M,), quote_spanned!(span=> make,)),
        false => (TokenStream::new(), TokenStream::new()),
    };
    let value = quote_spanned!(span=> #runs::#leaf::new(#make function));
    let leaf = quote_spanned!(span=> #runs::#leaf<A, #answer, #state F>);
    result_of(around, task, &leaf, &value, &quote_spanned!(span=> B))
}

/// The same for a leaf of this type and value, which makes this.
pub(super) fn result_of(
    around: &Surroundings<'_>,
    task: &Task,
    leaf: &TokenStream,
    value: &TokenStream,
    made: &TokenStream,
) -> (TokenStream, TokenStream) {
    let Surroundings { runs, skeleton, functions, next, .. } = around;
    let span = written_at(task.span);
    let chain = quote_spanned!(span=> #runs::Then<C, #leaf>);
    match next {
        Some(next) => (
            quote_spanned!(span=> #functions<#chain, #next, #runs::Made<#made>>),
            quote_spanned!(span=> #functions(self.0.then(#value))),
        ),
        None => {
            (quote_spanned!(span=> #runs::Run<#skeleton, #chain>), quote_spanned!(span=> self.0.last(#value)))
        }
    }
}

/// The kind of leaf that a task becomes.
fn leaf(task: &Task, form: Form) -> &'static str {
    match (task.workers_of.is_some(), form.has_state) {
        (false, false) => "Alone",
        (false, true) => "AloneWith",
        (true, false) => "Shared",
        (true, true) => "SharedWith",
    }
}

pub(super) fn name(task: &Task, form: Form) -> Ident {
    let base = task.method.unraw();
    let text = match (form.fails, form.has_state) {
        (false, false) => None,
        (true, false) => Some(format!("try_{base}")),
        (false, true) => Some(format!("{base}_with")),
        (true, true) => Some(format!("try_{base}_with")),
    };
    let mut name = text.and_then(|text| identifier(&text)).unwrap_or_else(|| task.method.clone());
    name.set_span(written_at(task.span));
    name
}

fn docs(around: &Surroundings<'_>, task: &Task, form: Form) -> TokenStream {
    let (name, method) = (&task.name, &task.method);
    let shares = task.workers_of.is_some();
    let owner = if shares { "each worker" } else { "the task" };
    let lines = match (form.fails, form.has_state) {
        (false, false) => vec![
            match around.is_first {
                true => format!("Gives the task `{name}` its function, which takes the items that the program runs over."),
                false => format!("Gives the task `{name}` its function, which takes what the task before makes."),
            },
            String::new(),
            match shares {
                true => "All workers call the one function, so it may not change what it captures: it is `Fn`, and `Sync`.",
                false => "It runs on one thread, one item after another, and may change what it captures.",
            }
            .to_owned(),
        ],
        (true, false) => vec![
            format!("As [`{method}`](Self::{method}), with a function that may fail: it returns a `Result`, and the next task takes what is in `Ok`."),
            String::new(),
            "The first item that fails ends the run, unless `retry` or `skip_failures` follows.".to_owned(),
        ],
        (false, true) => vec![
            format!("As [`{method}`](Self::{method}), with a state, which {owner} keeps from item to item."),
            String::new(),
            "`make` makes it on the thread where it is used, and again after a panic.".to_owned(),
        ],
        (true, true) => vec![format!(
            "As [`{method}`](Self::{method}), with a function that may fail and a state, which {owner} keeps from item to item."
        )],
    };
    docs_of(&lines)
}

/// Lines as the documentation of what follows.
pub(super) fn docs_of(lines: &[String]) -> TokenStream {
    lines.iter().map(|line| quote::quote!(#[doc = #line])).collect()
}
