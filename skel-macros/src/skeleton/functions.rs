//! How the tasks of an item are given their functions: a type with methods for each task, which are named
//! after it.
//!
//! Which task is next is a type parameter; what stands for a task there has its name, so that the compiler
//! says it where a function is missing. These types are in a block that has the name of the skeleton: the
//! compiler calls them `read`, or `Images::read` where there are several. A constant takes the name from no
//! other, since the skeleton is a type.

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;

use super::generate::private;
use super::handles::Handle;
use super::methods::{Surroundings, Task, methods, written_at};
use super::parse::{Argument, StageCall};
use super::team_methods;
use super::together::Team;
use crate::generate::identifier;
use crate::head::Head;
use crate::lex::Places;

/// Methods of the generated type that are no task's.
const TAKEN: &[&str] = &["retry", "skip_failures", "reduce"];

/// A task of the skeleton, and where it stands.
struct Place<'c> {
    /// The number of its node.
    id: u32,
    name: Option<&'c Argument>,
    /// The word of the innermost farm or deal around it.
    workers_of: Option<Span>,
    /// What its workers do together, where several serve an item.
    team: Option<Team>,
}

/// What makes an item something that runs.
pub(super) fn functions(
    head: &Head,
    visibility: &TokenStream,
    name: &Ident,
    call: &StageCall,
    handles: &[Handle],
    is_sound: bool,
) -> TokenStream {
    let private = private(head);
    let runs = quote!(#private::run);
    let mut places = Vec::new();
    tasks_of(call, &head.places, None, &mut 0, &mut places);
    let handle = |place: &Place<'_>| handles.iter().find(|handle| handle.id == place.id);
    let nameless: Vec<(usize, &Place<'_>)> =
        (1..).zip(&places).filter(|(_, place)| handle(place).is_none()).collect();
    if places.is_empty() || (!nameless.is_empty() && !is_sound) {
        return runs_as_anything(&private, name, &TokenStream::new());
    }
    if !nameless.is_empty() {
        return without_names(&private, name, &nameless);
    }
    let mut taken = TAKEN.iter().map(|&method| method.to_owned()).collect();
    let task = |place: &Place<'_>| {
        let handle = handle(place)?;
        let at = place.name.and_then(|name| name.tokens.clone().into_iter().next());
        let span = at.map_or_else(Span::call_site, |at| at.span());
        let method = free_name(&handle.constant, &mut taken);
        Some(Task { name: handle.task.clone(), method, span, workers_of: place.workers_of, team: place.team })
    };
    let tasks: Vec<Task> = places.iter().filter_map(task).collect();
    of_tasks(&runs, visibility, name, &tasks)
}

/// The tasks in the order in which items meet them, which is that of their nodes.
fn tasks_of<'c>(
    call: &'c StageCall,
    spans: &Places,
    workers_of: Option<Span>,
    next: &mut u32,
    tasks: &mut Vec<Place<'c>>,
) {
    let id = *next;
    *next += 1;
    match call {
        StageCall::Rust(_) | StageCall::Broken(_) => {}
        StageCall::Task { name, .. } => {
            tasks.push(Place { id, name: name.as_ref(), workers_of, team: None });
        }
        StageCall::Team(team) => {
            let name = match &team.worker {
                StageCall::Task { name, .. } => name.as_ref(),
                _ => None,
            };
            let workers_of = Some(spans.find(team.place));
            tasks.push(Place { id, name, workers_of, team: Some(Team::of(team)) });
        }
        StageCall::Pipe { stages, .. } => {
            stages.iter().for_each(|stage| tasks_of(stage, spans, workers_of, next, tasks));
        }
        StageCall::Replicated { worker, place, .. } => {
            tasks_of(worker, spans, Some(spans.find(*place)), next, tasks);
        }
    }
}

/// The name of a task's methods: that of its handle, with `_` behind it where a method of that name is there
/// already.
fn free_name(constant: &Ident, taken: &mut HashSet<String>) -> Ident {
    let mut base = constant.unraw().to_string();
    while forms(&base).iter().any(|form| taken.contains(form)) {
        base.push('_');
    }
    taken.extend(forms(&base));
    identifier(&base).unwrap_or_else(|| constant.clone())
}

/// The methods of a task by what they are named after.
fn forms(base: &str) -> [String; 4] {
    [base.to_owned(), format!("try_{base}"), format!("{base}_with"), format!("try_{base}_with")]
}

/// A skeleton with tasks without names is predicted but not run: the compiler says which they are, where it
/// is asked to run.
fn without_names(private: &TokenStream, name: &Ident, nameless: &[(usize, &Place<'_>)]) -> TokenStream {
    let bounds = nameless.iter().map(|(number, place)| {
        let word = format_ident!("{}", if place.name.is_some() { "HasKnownName" } else { "HasName" });
        quote!(for<'never> #private::run::Tasks<'never>: #private::run::#word<#name, #number>,)
    });
    runs_as_anything(private, name, &bounds.collect())
}

/// Stands in for what runs a skeleton that has been reported, or is where these bounds do not hold.
fn runs_as_anything(private: &TokenStream, name: &Ident, bounds: &TokenStream) -> TokenStream {
    let execute = execute(&quote!(#private::run), name);
    quote! {
        impl<R> #private::run::Runnable<R> for #name
        where
            #bounds
        {
            fn run_as(_: #private::run::Program<Self>) -> R {
                #private::not_compiled()
            }
        }

        #execute
    }
}

/// The method `run`.
fn execute(runs: &TokenStream, name: &Ident) -> TokenStream {
    quote! {
        impl #runs::Execute for #name {
            type Skeleton = Self;

            fn into_program(self) -> #runs::Program<Self> {
                #runs::of_skeleton(self)
            }
        }
    }
}

/// The type with the methods of these tasks.
fn of_tasks(runs: &TokenStream, visibility: &TokenStream, name: &Ident, tasks: &[Task]) -> TokenStream {
    let functions = format_ident!("{}Functions", name);
    let names: Vec<String> = tasks.iter().map(|task| format!("`{}`", task.method)).collect();
    let order = names.join(", ");
    let doc = format!("The functions of the tasks of [`{name}`], given in the order of the tasks: {order}.");
    let stages: Vec<Ident> = tasks.iter().map(stage).collect();
    let execute = execute(runs, name);
    let surroundings = |place: usize| Surroundings {
        runs,
        visibility,
        skeleton: name,
        functions: &functions,
        stage: &stages[place],
        next: stages.get(place + 1),
        is_first: place == 0,
    };
    let methods = tasks.iter().enumerate().map(|(place, task)| match task.team {
        None => methods(&surroundings(place), task),
        Some(team) => team_methods::methods(&surroundings(place), task, team),
    });
    let mut policies = policies(runs, visibility);
    if tasks.iter().any(|task| matches!(task.team, Some(Team::Map | Team::MapWithState))) {
        policies.extend(reduction(runs, visibility, &functions));
    }
    let first = &stages[0];
    quote! {
        #[doc = #doc]
        ///
        /// `N` is the next of them, `C` are the functions so far, and `X` is what they make.
        #[must_use = "a program runs once all of its tasks have functions"]
        #[allow(dead_code)]
        #visibility struct #functions<C, N, X>(#runs::Functions<#name, C, N, X>);

        #[allow(
            dead_code,
            missing_docs,
            non_camel_case_types,
            non_local_definitions,
            non_snake_case,
            non_upper_case_globals,
            private_bounds,
            private_interfaces,
            unreachable_pub,
            unused_qualifications,
            clippy::all
        )]
        const #name: () = {
            #(pub struct #stages;)*

            impl<C, N, X> #functions<C, N, X> {
                #(#methods)*

                #policies
            }

            impl<C, N, X> #runs::Unfinished for #functions<C, N, X> {
                type Next = N;
            }

            impl #runs::Runnable<#functions<#runs::Start, #first, #runs::AnyItem>> for #name {
                fn run_as(program: #runs::Program<Self>) -> #functions<#runs::Start, #first, #runs::AnyItem> {
                    #functions(#runs::Functions::none(program))
                }
            }

            #execute
        };
    }
}

/// The name of what stands for a task as the next one: that of its method, unless it is that of a type
/// parameter.
fn stage(task: &Task) -> Ident {
    let name = task.method.unraw().to_string();
    let is_parameter = name.len() == 1 && name.starts_with(|c: char| c.is_ascii_uppercase());
    let name = if is_parameter { format!("{name}_") } else { name };
    let mut stage = identifier(&name).unwrap_or_else(|| task.method.clone());
    stage.set_span(written_at(task.span));
    stage
}

/// What is said of the task before.
fn policies(runs: &TokenStream, visibility: &TokenStream) -> TokenStream {
    quote! {
        /// Tries an item that the task before cannot serve so many times again.
        ///
        /// If that does not help, what is said of the task besides holds: the run ends or, with
        /// `skip_failures`, the item is left out.
        #visibility fn retry<A: #runs::Repeatable>(self, times: ::core::primitive::u32) -> Self
        where
            C: #runs::LastTakes<A>,
        {
            Self(self.0.retry(times))
        }

        /// Leaves out, and counts, items that the task before cannot serve. Otherwise the first of them ends
        /// the run.
        #visibility fn skip_failures<A>(self) -> Self
        where
            C: #runs::LastTakes<A>,
        {
            Self(self.0.skip_failures())
        }
    }
}

/// What makes one result of those of the workers of a map.
fn reduction(runs: &TokenStream, visibility: &TokenStream, functions: &Ident) -> TokenStream {
    quote! {
        /// Makes one result of those of all workers of the map before, in their order, by an associative
        /// function of two.
        #visibility fn reduce<B, G, D>(self, function: G) -> #functions<D, N, #runs::Made<B>>
        where
            C: #runs::LastIsMap<B, G, D>,
            G: ::core::ops::Fn(B, B) -> B + ::core::marker::Sync,
        {
            #functions(self.0.reduce(function))
        }
    }
}
