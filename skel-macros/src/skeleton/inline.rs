//! Functions as the last arguments of tasks, `task("read", 20.0, |path| load(path))`: the inline form of a
//! skeleton that runs.
//!
//! The tasks are made one after the other, before the skeleton is. Each is made beside what the one before
//! makes, so that the compiler takes the type of a closure's argument from there, and points at the closure
//! where the two do not meet.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

use skel_core::diagnostic::{Code, Diagnostic, TextSpan};
use skel_core::skeleton::TeamWord;

use super::generate::{private, value};
use super::methods::written_at;
use super::parse::{Argument, StageCall, TeamCall};
use super::team::with_function;
use crate::head::Head;

/// The task calls of a skeleton: those with a function, and the places of those without.
#[derive(Default)]
struct Found {
    with: Vec<TextSpan>,
    /// With the word of the stage whose workers serve an item together, if the task is theirs.
    without: Vec<(Option<TeamWord>, TextSpan)>,
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
            let missing = |&(word, place): &(Option<TeamWord>, TextSpan)| {
                let noun = word.map_or("task", TeamWord::noun);
                let form = word.map_or("task(\"name\", 1.0, |item| ...)", with_function);
                let help = format!(
                    "give it one as its last argument, `{form}`; or leave all functions out, for a prediction alone"
                );
                let message = format!("this {noun} has no function, but another task has one");
                Diagnostic::new(Code::Syntax, place, message)
                    .help(help)
                    .related(first, "that function is here")
            };
            found.without.iter().map(missing).collect()
        }
    }
}

impl Found {
    fn search(&mut self, call: &StageCall) {
        match call {
            StageCall::Rust(_) | StageCall::Broken(_) => {}
            StageCall::Task { function: Some(function), .. } => self.with.push(function.place),
            StageCall::Task { function: None, place, .. } => self.without.push((None, *place)),
            StageCall::Pipe { stages, .. } => stages.iter().for_each(|stage| self.search(stage)),
            StageCall::Replicated { worker, .. } => self.search(worker),
            StageCall::Team(team) => match &team.worker {
                StageCall::Task { function: None, .. } => self.without.push((Some(team.word), team.place)),
                worker => self.search(worker),
            },
        }
    }
}

/// Whether there is a function.
pub(super) fn has_functions(call: &StageCall) -> bool {
    let mut found = Found::default();
    found.search(call);
    !found.with.is_empty()
}

/// The value of a call whose tasks have functions: statements that make the tasks, and the skeleton with
/// variables in their places.
pub(super) fn expression(head: &Head, call: &StageCall) -> TokenStream {
    let private = private(head);
    let mut tasks =
        Tasks { runs: quote!(#private::run), skeleton: quote!(#private::skeleton), made: Vec::new() };
    let call = tasks.apart(call, Around::Nothing);
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

/// What is around a task.
#[derive(Clone, Copy)]
enum Around<'c> {
    /// It is on one thread.
    Nothing,
    /// A farm or a deal, whose workers share its function.
    Workers,
    /// A stage whose workers serve an item together.
    Team(&'c TeamCall),
}

impl Around<'_> {
    /// What makes a task with a function, by its name.
    fn maker(self) -> &'static str {
        match self {
            Around::Nothing => "alone",
            Around::Workers => "shared",
            Around::Team(team) => match team.word {
                TeamWord::Map => "in_parts",
                TeamWord::MapWithState => "with_state",
                TeamWord::FaultTolerant => "by_majority",
            },
        }
    }
}

impl Tasks {
    /// The call without functions.
    fn apart(&mut self, call: &StageCall, around: Around<'_>) -> StageCall {
        match call {
            StageCall::Task { function: Some(function), place, .. } => {
                self.make(call, function, *place, around)
            }
            StageCall::Task { .. } | StageCall::Broken(_) => call.clone(),
            StageCall::Team(team) => {
                let worker = self.apart(&team.worker, Around::Team(team));
                StageCall::Team(Box::new(TeamCall { worker, ..TeamCall::clone(team) }))
            }
            StageCall::Rust(_) => {
                self.forget();
                call.clone()
            }
            StageCall::Pipe { stages, place } => {
                let stages = stages.iter().map(|stage| self.apart(stage, around)).collect();
                StageCall::Pipe { stages, place: *place }
            }
            StageCall::Replicated { replication, replicas, worker, place } => StageCall::Replicated {
                replication: *replication,
                replicas: replicas.clone(),
                worker: Box::new(self.apart(worker, Around::Workers)),
                place: *place,
            },
        }
    }

    /// A statement that makes a task, and the variable that it is in.
    fn make(
        &mut self,
        task: &StageCall,
        function: &Argument,
        place: TextSpan,
        around: Around<'_>,
    ) -> StageCall {
        let variable = Ident::new(&format!("task{}", self.made.len()), Span::mixed_site());
        let (runs, before) = (&self.runs, before());
        let first = function.tokens.clone().into_iter().next();
        let span = written_at(first.map_or_else(Span::call_site, |first| first.span()));
        let maker = Ident::new(around.maker(), span);
        let (task, function) = (value(task, &self.skeleton), &function.tokens);
        self.made.push(match around {
            Around::Team(TeamCall { word: TeamWord::FaultTolerant, functions, .. }) => {
                let voting = Ident::new("voting", Span::mixed_site());
                let functions = functions.as_ref().map(|functions| {
                    let by = functions.iter().map(|function| {
                        let function = &function.tokens;
                        quote_spanned!(span=> #voting.by(#function))
                    });
                    quote!((#(#by),*))
                });
                let functions = functions.as_ref().unwrap_or(function);
                quote_spanned! {span=>
                    let #voting = #runs::Voting::on(&#before);
                    let (#before, #variable) = #runs::#maker(&#voting, #before, #task, #functions);
                }
            }
            _ => quote_spanned!(span=> let (#before, #variable) = #runs::#maker(#before, #task, #function);),
        });
        StageCall::Rust(Argument { tokens: quote!(#variable), place })
    }

    /// What a Rust expression makes is not known here. Whether it meets what the next task takes is asked
    /// where the skeleton is run.
    fn forget(&mut self) {
        let (runs, before) = (&self.runs, before());
        self.made.push(quote!(let #before = #runs::Witness::unknown(#before);));
    }
}
