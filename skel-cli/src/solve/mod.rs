//! `skel solve`: explores a model, finds its steady state, and answers what one asks of it.

pub(crate) mod answer;
pub(crate) mod json;
mod keep;
pub(crate) mod text;

use std::io;

use skel::classify::classify;
use skel::model::Model;
use skel::steady::Options;
use skel::{Error, Explore, StateSpace};

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
    // A second classification costs little beside the solution, and a failed one does not hand out its own.
    let chain = Chain::of(&space, &classify(&space));
    match answer {
        Ok(answer) => Ok((chain, answer)),
        Err(error) => {
            let mut failure = Failure::of_error(&error, loaded.system);
            failure.known.extend(json::of_chain(&chain));
            Err(failure)
        }
    }
}

fn solve(space: &StateSpace<Model>, arguments: &SolveArguments, session: &Session) -> Result<Answer, Error> {
    let limits = &session.limits;
    let options = options(arguments.tolerance);
    match (arguments.exact, arguments.long_run) {
        (true, false) => Answer::of(&space.steady_state_exact_within(limits)?),
        (true, true) => Answer::of(&space.long_run_exact_within(limits)?),
        (false, false) => Answer::of(&space.steady_state_within(limits, &options)?),
        (false, true) => Answer::of(&space.long_run_within(limits, &options)?),
    }
}

/// The options of `--tolerance`.
pub(crate) fn options(tolerance: Option<f64>) -> Options {
    let defaults = Options::default();
    Options { tolerance: tolerance.unwrap_or(defaults.tolerance), ..defaults }
}
