//! `skel check`: everything that is wrong with a model, and on demand what exploring it shows.

use std::io;

use serde_json::{Map, Value, json};
use skel::diagnostic::{Code, TextSpan};
use skel::model::Model;
use skel::syntax::ast::{At, Process};
use skel::syntax::directive::Requests;
use skel::syntax::lex::lex;
use skel::syntax::parse::parse;

use crate::arguments::{CheckArguments, Requirement};
use crate::console::Console;
use crate::errors::{Exit, Failure, Problem};
use crate::input::load::{Loaded, check};
use crate::input::read::read;
use crate::report::words::counted;
use crate::source::Source;

/// Runs the command.
pub(crate) fn run(arguments: &CheckArguments, console: &Console) -> io::Result<Exit> {
    if let Some(failure) = contradiction(arguments) {
        return console.fail(failure);
    }
    let checked = read(&arguments.file.path).and_then(|source| {
        let requests = requests(arguments, &source);
        check(source, requests, &arguments.settings.set)
    });
    match checked {
        Ok(loaded) if arguments.deny_warnings && !loaded.warnings.is_empty() => console.fail(denied(loaded)),
        Ok(loaded) => answer(arguments, console, &loaded),
        Err(failure) => console.fail(with_flags(arguments, failure)),
    }
}

/// A demand that another option takes back.
fn contradiction(arguments: &CheckArguments) -> Option<Failure> {
    let is_demanded = arguments.require.contains(&Requirement::DeadlockFree);
    let is_allowed = arguments.file.allow.contains(&Code::Deadlock);
    (is_demanded && is_allowed).then(|| {
        let message = "`--require deadlock_free` demands what `--allow deadlock` gives up";
        let problem = Problem::error("command_line", message).help("leave one of the two out");
        Failure::new(Exit::CommandLine, problem)
    })
}

/// The same failure, with the spelling of the command line where the bound on the states is not the file's
/// own.
fn with_flags(arguments: &CheckArguments, mut failure: Failure) -> Failure {
    if arguments.max_states.is_none() && arguments.require.is_empty() {
        return failure;
    }
    let Some(source) = &failure.source else { return failure };
    for problem in failure.problems.iter_mut().filter(|problem| problem.code == Code::TooManyStates.word()) {
        let place = problem.place.as_ref().map(|place| place.span.start..place.span.end);
        let is_of_file = place.and_then(|place| source.text().get(place)) == Some("max_states");
        if let Some(help) = problem.help.as_mut().filter(|_| !is_of_file) {
            *help = help.replace("`max_states`", "`--max-states`");
        }
    }
    failure
}

/// What the flags demand. It concerns the whole system, so its findings point at the system equation.
fn requests(arguments: &CheckArguments, source: &Source) -> Requests<TextSpan> {
    let allowed = arguments.file.allow.to_vec();
    if arguments.require.is_empty() && arguments.max_states.is_none() {
        return Requests { allowed, ..Requests::default() };
    }
    let end = source.text().trim_end().len();
    let end = TextSpan { start: end, end };
    let (ast, _) = parse(&lex(source.text()).tokens, end);
    let at = At(ast.system.as_ref().map_or(end, Process::span));
    let demanded = |requirement| arguments.require.contains(&requirement).then_some(at);
    Requests {
        allowed,
        deadlock_free: demanded(Requirement::DeadlockFree),
        irreducible: demanded(Requirement::Irreducible),
        max_states: arguments.max_states,
        bounded: arguments.max_states.map(|_| at),
    }
}

fn denied(loaded: Loaded) -> Failure {
    let known = summary(&loaded.model);
    let problem = Problem::error("warnings_denied", "there are warnings, and `--deny-warnings` denies them");
    loaded.failure(Failure { known, ..Failure::new(Exit::Model, problem) })
}

fn answer(arguments: &CheckArguments, console: &Console, loaded: &Loaded) -> io::Result<Exit> {
    let mut summary = summary(&loaded.model);
    if console.json {
        let warnings = loaded.warnings.iter().map(|warning| warning.to_json(Some(&loaded.source)));
        summary.insert("warnings".into(), warnings.collect());
        console.print_json(summary)?;
    } else {
        console.warn(&loaded.source, &loaded.warnings)?;
        console.print(&format!("{}: {}\n", loaded.source.name(), sentence(arguments, &loaded.model)))?;
    }
    Ok(Exit::Answered)
}

fn summary(model: &Model) -> Map<String, Value> {
    let [components, local_states, actions, rates, sizes] = counts(model);
    let summary = json!({
        "components": components,
        "local_states": local_states,
        "actions": actions,
        "rates": rates,
        "sizes": sizes,
    });
    if let Value::Object(summary) = summary { summary } else { Map::new() }
}

/// Components in the system equation, local states, actions without `tau`, named rates, sizes.
fn counts(model: &Model) -> [usize; 5] {
    let sizes = model.parameters().iter().filter(|parameter| parameter.is_size).count();
    let rates = model.parameters().len() - sizes;
    [model.positions(), model.local_states().len(), model.actions().len() - 1, rates, sizes]
}

fn sentence(arguments: &CheckArguments, model: &Model) -> String {
    let nouns = ["component", "local state", "action", "rate", "size"];
    let shown = counts(model).into_iter().zip(nouns).filter(|&(number, noun)| number > 0 || noun != "size");
    let mut parts: Vec<String> = shown.map(|(number, noun)| counted(number, noun)).collect();
    for (requirement, words) in
        [(Requirement::DeadlockFree, "free of deadlocks"), (Requirement::Irreducible, "irreducible")]
    {
        if arguments.require.contains(&requirement) {
            parts.push(words.into());
        }
    }
    if let Some(states) = arguments.max_states {
        parts.push(format!("at most {}", counted(usize::try_from(states).unwrap_or(usize::MAX), "state")));
    }
    parts.join(", ")
}
