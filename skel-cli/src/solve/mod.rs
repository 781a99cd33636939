//! `skel solve`: explores a model, finds its steady state, and answers what one asks of it.

pub(crate) mod answer;
pub(crate) mod json;
mod keep;
pub(crate) mod text;

use std::io;

use skel::classify::classify;
use skel::model::Model;
use skel::number::Number;
use skel::steady::Options;
use skel::{Error, Explore, StateSpace, SteadyState};

use crate::arguments::SolveArguments;
use crate::console::Console;
use crate::load::{Loaded, load};
use crate::problem::{Exit, Failure};
use crate::session::Session;
use answer::{Answer, Chain};
use keep::Kept;

/// Runs the command.
pub(crate) fn run(arguments: &SolveArguments, console: &Console) -> io::Result<Exit> {
    let loaded = match load(&arguments.file, &arguments.settings.set) {
        Ok(loaded) => loaded,
        Err(failure) => return console.fail(failure),
    };
    let session = Session::start(&arguments.limits, console.json);
    let outcome = attempt(&loaded, arguments, &session);
    drop(session);
    match outcome {
        Ok((chain, answer)) if console.json => {
            console.print_json(json::object(&chain, &answer, &loaded.warnings_json()))?;
            Ok(Exit::Answered)
        }
        Ok((chain, answer)) => {
            console.warn(&loaded.source, &loaded.warnings)?;
            console.print(&text::report(&chain, &answer, loaded.source.name()))?;
            Ok(Exit::Answered)
        }
        Err(failure) => console.fail(loaded.failure(failure)),
    }
}

fn attempt(
    loaded: &Loaded,
    arguments: &SolveArguments,
    session: &Session,
) -> Result<(Chain, Answer), Failure> {
    let failed = |error: Error| Failure::of_error(&error, loaded.system);
    let kept = Kept::of(&arguments.keep, &loaded.model)?;
    let space = loaded.model.explore_within(&session.limits).map_err(failed)?;
    if !arguments.keep.is_empty() {
        return kept.solve(&space, arguments, session).map_err(failed);
    }
    let answer = solve(&space, arguments, session);
    match answer {
        Ok(answer) => Ok(answer),
        Err(error) => {
            let chain = Chain::of(&space, &classify(&space));
            let mut failure = Failure::of_error(&error, loaded.system);
            failure.known.extend(json::of_chain(&chain));
            Err(failure)
        }
    }
}

fn solve(
    space: &StateSpace<Model>,
    arguments: &SolveArguments,
    session: &Session,
) -> Result<(Chain, Answer), Error> {
    let limits = &session.limits;
    let options = chosen(arguments);
    match (arguments.exact, arguments.long_run) {
        (true, false) => answered(&space.steady_state_exact_within(limits)?),
        (true, true) => answered(&space.long_run_exact_within(limits)?),
        (false, false) => answered(&space.steady_state_within(limits, &options)?),
        (false, true) => answered(&space.long_run_within(limits, &options)?),
    }
}

/// What is printed of a solution.
fn answered<N: Number>(pi: &SteadyState<Model, N>) -> Result<(Chain, Answer), Error> {
    Ok((Chain::of(pi.space(), pi.classification()), Answer::of(pi)?))
}

/// The options of `--method` and `--tolerance`.
fn chosen(arguments: &SolveArguments) -> Options {
    Options { method: arguments.method.into(), ..options(arguments.tolerance) }
}

/// The options of `--tolerance`.
pub(crate) fn options(tolerance: Option<f64>) -> Options {
    let defaults = Options::default();
    Options { tolerance: tolerance.unwrap_or(defaults.tolerance), ..defaults }
}
