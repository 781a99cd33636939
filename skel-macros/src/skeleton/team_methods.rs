//! The methods of a stage whose workers serve one item together: they take a function of a part of an item, a
//! function for each worker, or a function of a part of the state and an item.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote_spanned};

use super::methods::{Form, Surroundings, Task, docs_of, name, result_of, written_at};
use super::together::Team;

/// The methods of such a stage.
pub(super) fn methods(around: &Surroundings<'_>, task: &Task, team: Team) -> TokenStream {
    let forms = forms(team).iter().map(|&(fails, has_state)| Form { fails, has_state });
    forms.map(|form| method(around, task, team, form)).collect()
}

/// Which methods there are: whether the function may fail, and whether there is a state.
fn forms(team: Team) -> &'static [(bool, bool)] {
    match team {
        Team::Map | Team::MapWithState => &[(false, false), (true, false), (false, true), (true, true)],
        Team::FaultTolerant(_) => &[(false, false), (true, false)],
    }
}

/// What tells one method from another.
struct Parts {
    /// Its type parameters.
    types: TokenStream,
    /// Its arguments.
    arguments: TokenStream,
    /// What it takes.
    item: TokenStream,
    /// What else is asked for.
    bounds: TokenStream,
    /// The type of the leaf, and how it is made.
    leaf: TokenStream,
    value: TokenStream,
    /// What the stage makes.
    made: TokenStream,
}

fn method(around: &Surroundings<'_>, task: &Task, team: Team, form: Form) -> TokenStream {
    let Surroundings { runs, visibility, stage, .. } = around;
    let span = written_at(task.span);
    let parts = match team {
        Team::Map => map(around, task, form),
        Team::FaultTolerant(workers) => vote(around, task, form, workers),
        Team::MapWithState => map_with_state(around, task, form),
    };
    let Parts { types, arguments, item, bounds, leaf, value, made } = parts;
    let docs = docs_of(&docs(task, team, form));
    let name = name(task, form);
    let error = form.fails.then(|| quote_spanned!(span=> E,));
    let fails = form.fails.then(|| quote_spanned!(span=> E: #runs::Failing,));
    let (result, body) = result_of(around, task, &leaf, &value, &made);
    quote_spanned! {span=>
        #docs
        #visibility fn #name<B, #error #types>(self, #arguments) -> #result
        where
            N: #runs::Next<#stage, X, #item>,
            B: #runs::Item,
            #fails
            #bounds
        {
            #body
        }
    }
}

/// What a function returns, and the type that stands for that.
fn answer(around: &Surroundings<'_>, task: &Task, form: Form) -> (TokenStream, TokenStream) {
    let (runs, span) = (around.runs, written_at(task.span));
    match form.fails {
        true => (
            quote_spanned!(span=> ::core::result::Result<B, E>),
            quote_spanned!(span=> #runs::Fallible<B, E>),
        ),
        false => (quote_spanned!(span=> B), quote_spanned!(span=> #runs::Plain<B>)),
    }
}

fn map(around: &Surroundings<'_>, task: &Task, form: Form) -> Parts {
    let (runs, span) = (around.runs, written_at(task.span));
    let (returned, answer) = answer(around, task, form);
    let part = quote_spanned!(span=> <A as #runs::Scatter>::Part);
    let common = Parts {
        types: quote_spanned!(span=> A, F),
        arguments: quote_spanned!(span=> function: F),
        item: quote_spanned!(span=> A),
        bounds: quote_spanned! {span=>
            A: #runs::Item + #runs::Scatter,
            F: ::core::ops::Fn(#part) -> #returned + ::core::marker::Sync,
        },
        leaf: quote_spanned!(span=> #runs::Map<A, #answer, F>),
        value: quote_spanned!(span=> #runs::Map::new(function)),
        made: quote_spanned!(span=> ::std::vec::Vec<B>),
    };
    if !form.has_state {
        return common;
    }
    Parts {
        types: quote_spanned!(span=> A, S, M, F),
        arguments: quote_spanned!(span=> make: M, function: F),
        bounds: quote_spanned! {span=>
            A: #runs::Item + #runs::Scatter,
            M: ::core::ops::Fn() -> S + ::core::marker::Sync,
            F: ::core::ops::Fn(&mut S, #part) -> #returned + ::core::marker::Sync,
        },
        leaf: quote_spanned!(span=> #runs::MapWith<A, #answer, S, M, F>),
        value: quote_spanned!(span=> #runs::MapWith::new(make, function)),
        ..common
    }
}

fn vote(around: &Surroundings<'_>, task: &Task, form: Form, workers: Option<usize>) -> Parts {
    let (runs, span) = (around.runs, written_at(task.span));
    let (returned, answer) = answer(around, task, form);
    let common = Parts {
        types: quote_spanned!(span=> A, V),
        arguments: quote_spanned!(span=> functions: V),
        item: quote_spanned!(span=> A),
        bounds: quote_spanned! {span=>
            A: #runs::Item + #runs::Shown,
            B: #runs::Compared,
            V: #runs::Voters<A, #answer>,
        },
        leaf: quote_spanned!(span=> #runs::Vote<A, #answer, V>),
        value: quote_spanned!(span=> #runs::Vote::new(functions)),
        made: quote_spanned!(span=> B),
    };
    let Some(workers) = workers else { return common };
    let types: Vec<Ident> = (0..workers).map(|number| format_ident!("F{number}", span = span)).collect();
    let names: Vec<Ident> =
        (0..workers).map(|number| format_ident!("function_{number}", span = span)).collect();
    Parts {
        types: quote_spanned!(span=> A, #(#types),*),
        arguments: quote_spanned!(span=> #(#names: #types),*),
        bounds: quote_spanned! {span=>
            A: #runs::Item + #runs::Shown,
            B: #runs::Compared,
            #(#types: ::core::ops::Fn(&A) -> #returned + ::core::marker::Sync,)*
        },
        leaf: quote_spanned!(span=> #runs::Vote<A, #answer, (#(#types,)*)>),
        value: quote_spanned!(span=> #runs::Vote::new((#(#names,)*))),
        ..common
    }
}

fn map_with_state(around: &Surroundings<'_>, task: &Task, form: Form) -> Parts {
    let (runs, span) = (around.runs, written_at(task.span));
    let (returned, answer) = answer(around, task, form);
    let part = quote_spanned!(span=> <S as #runs::Scatter>::Part);
    let inputs = quote_spanned! {span=>
        S: #runs::Item + #runs::Scatter,
        T: #runs::Item + #runs::Shown,
    };
    let common = Parts {
        types: quote_spanned!(span=> S, T, F),
        arguments: quote_spanned!(span=> function: F),
        item: quote_spanned!(span=> #runs::StateOr<S, T>),
        bounds: quote_spanned! {span=>
            #inputs
            F: ::core::ops::Fn(&#part, &T) -> #returned + ::core::marker::Sync,
        },
        leaf: quote_spanned!(span=> #runs::MapWithState<S, T, #answer, #runs::AsItIs, F>),
        value: quote_spanned!(span=> #runs::MapWithState::new(function)),
        made: quote_spanned!(span=> ::std::vec::Vec<B>),
    };
    if !form.has_state {
        return common;
    }
    Parts {
        types: quote_spanned!(span=> S, T, W, M, F),
        arguments: quote_spanned!(span=> make: M, function: F),
        bounds: quote_spanned! {span=>
            #inputs
            M: ::core::ops::Fn(#part) -> W + ::core::marker::Sync,
            F: ::core::ops::Fn(&W, &T) -> #returned + ::core::marker::Sync,
        },
        leaf: quote_spanned!(span=> #runs::MapWithState<S, T, #answer, #runs::Built<M>, F>),
        value: quote_spanned!(span=> #runs::MapWithState::with(make, function)),
        ..common
    }
}

fn docs(task: &Task, team: Team, form: Form) -> Vec<String> {
    let (name, method) = (&task.name, &task.method);
    let as_method = format!("As [`{method}`](Self::{method})");
    match (team, form.fails, form.has_state) {
        (Team::Map, false, false) => vec![
            format!("Gives the map `{name}` its function, which takes a worker's part of an item."),
            String::new(),
            "The next task takes the results of all workers, in their order. All workers call the one function, so it may not change what \
             it captures."
                .to_owned(),
        ],
        (Team::FaultTolerant(_), false, _) => vec![
            format!("Gives each worker of the fault-tolerant stage `{name}` its function."),
            String::new(),
            "The next task takes what the majority of them return. A worker that panics agrees with nobody.".to_owned(),
        ],
        (Team::MapWithState, false, false) => vec![
            format!("Gives the map with state `{name}` its function, which takes a worker's part of the state, and an item."),
            String::new(),
            "It takes `StateOr::State(..)` and `StateOr::Item(..)`. The next task takes the results of all workers for an item, in their order."
                .to_owned(),
        ],
        (Team::MapWithState, fails, true) => vec![format!(
            "{as_method}, {}where each worker keeps what `make` makes of its part of the state.",
            if fails { "with a function that may fail, and " } else { "" }
        )],
        (_, true, false) => vec![format!("{as_method}, with a function that may fail.")],
        (_, fails, true) => vec![format!(
            "{as_method}, with {}a state, which each worker keeps from item to item.",
            if fails { "a function that may fail and " } else { "" }
        )],
    }
}
