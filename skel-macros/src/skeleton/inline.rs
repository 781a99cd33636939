//! Functions as the last arguments of tasks, `task("read", 20.0, |path| load(path))`: the inline form of a skeleton that runs.
//!
//! The tasks are made one after the other, before the skeleton is. Each is made beside what the one before makes, so that the compiler takes
//! the type of a closure's argument from there, and points at the closure where the two do not meet.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

use skel_core::diagnostic::{Code, Diagnostic, TextSpan};
use skel_core::skeleton::TeamWord;

use super::generate::{private, value};
use super::methods::written_at;
use super::parse::{Argument, StageCall};
use super::team::by_name;
use crate::head::Head;

/// The task calls of a skeleton: those with a function, and the places of those without.
#[derive(Default)]
struct Found {
    with: Vec<TextSpan>,
    without: Vec<TextSpan>,
    /// Stages whose workers serve an item together: they get their functions by name.
    teams: Vec<(TeamWord, TextSpan)>,
}

/// What is wrong with functions: there are some where nothing is run, or not as many as tasks.
pub(super) fn check(call: &StageCall, runs: bool) -> Vec<Diagnostic<TextSpan>> {
    let mut found = Found::default();
    found.search(call);
    match found.with.first() {
        None => Vec::new(),
        Some(&first) if !runs => {
            let message = "a task has a function, and the feature that runs skeletons is not on";
            let help =
                "turn on the feature `run` of the crate `skel`: `features = [\"run\"]` in `Cargo.toml`";
            vec![Diagnostic::new(Code::Syntax, first, message).help(help)]
        }
        Some(&first) => {
            let missing = |&place: &TextSpan| {
                let help = "give it one as its last argument, `task(\"name\", 1.0, |item| ...)`; or leave all functions out, for a \
                            prediction alone";
                Diagnostic::new(Code::Syntax, place, "this task has no function, but another one has")
                    .help(help)
                    .related(first, "that function is here")
            };
            let by_name = |&(word, place): &(TeamWord, TextSpan)| {
                by_name(word, place).related(first, "that function is here")
            };
            found.without.iter().map(missing).chain(found.teams.iter().map(by_name)).collect()
        }
    }
}

impl Found {
    fn search(&mut self, call: &StageCall) {
        match call {
            StageCall::Rust(_) | StageCall::Broken(_) => {}
            StageCall::Task { function: Some(function), .. } => self.with.push(function.place),
            StageCall::Task { function: None, place, .. } => self.without.push(*place),
            StageCall::Pipe { stages, .. } => stages.iter().for_each(|stage| self.search(stage)),
            StageCall::Replicated { worker, .. } => self.search(worker),
            StageCall::Team(team) => self.teams.push((team.word, team.place)),
        }
    }
}

/// Whether there is a function.
pub(super) fn has_functions(call: &StageCall) -> bool {
    let mut found = Found::default();
    found.search(call);
    !found.with.is_empty()
}

/// The value of a call whose tasks have functions: statements that make the tasks, and the skeleton with variables in their places.
pub(super) fn expression(head: &Head, call: &StageCall) -> TokenStream {
    let private = private(head);
    let mut tasks =
        Tasks { runs: quote!(#private::run), skeleton: quote!(#private::skeleton), made: Vec::new() };
    let call = tasks.apart(call, false);
    let Tasks { runs, skeleton, made } = &tasks;
    let (before, value) = (before(), value(&call, skeleton));
    quote!(let #before = #runs::Witness::start(); #(#made)* #value)
}

/// The variable for what the task before makes. Names of the user are others, by hygiene.
fn before() -> Ident {
    Ident::new("_before", Span::mixed_site())
}

struct Tasks {
    runs: TokenStream,
    skeleton: TokenStream,
    made: Vec<TokenStream>,
}

impl Tasks {
    /// The call without functions. `is_shared` says whether workers would share them.
    fn apart(&mut self, call: &StageCall, is_shared: bool) -> StageCall {
        match call {
            StageCall::Task { function: Some(function), place, .. } => {
                self.make(call, function, *place, is_shared)
            }
            StageCall::Task { .. } | StageCall::Team(_) | StageCall::Broken(_) => call.clone(),
            StageCall::Rust(_) => {
                self.forget();
                call.clone()
            }
            StageCall::Pipe { stages, place } => {
                let stages = stages.iter().map(|stage| self.apart(stage, is_shared)).collect();
                StageCall::Pipe { stages, place: *place }
            }
            StageCall::Replicated { replication, replicas, worker, place } => StageCall::Replicated {
                replication: *replication,
                replicas: replicas.clone(),
                worker: Box::new(self.apart(worker, true)),
                place: *place,
            },
        }
    }

    /// A statement that makes a task, and the variable that it is in.
    fn make(&mut self, task: &StageCall, function: &Argument, place: TextSpan, is_shared: bool) -> StageCall {
        let variable = Ident::new(&format!("task{}", self.made.len()), Span::mixed_site());
        let (runs, before) = (&self.runs, before());
        let first = function.tokens.clone().into_iter().next();
        let span = written_at(first.map_or_else(Span::call_site, |first| first.span()));
        let word = Ident::new(if is_shared { "shared" } else { "alone" }, span);
        let (task, function) = (value(task, &self.skeleton), &function.tokens);
        self.made.push(quote_spanned! {span=>
            let (#before, #variable) = #runs::#word(#before, #task, #function);
        });
        StageCall::Rust(Argument { tokens: quote!(#variable), place })
    }

    /// What a Rust expression makes is not known here. Whether it meets what the next task takes is asked where the skeleton is run.
    fn forget(&mut self) {
        let (runs, before) = (&self.runs, before());
        self.made.push(quote!(let #before = #runs::Witness::unknown(#before);));
    }
}
