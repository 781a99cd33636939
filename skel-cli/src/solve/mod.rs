//! `skel solve`: explores a model, finds its steady state, and answers what one asks of it.

pub(crate) mod answer;
mod attempt;
mod csv;
pub(crate) mod json;
pub(crate) mod keep;
pub(crate) mod options;
mod states;
pub(crate) mod text;
pub(crate) mod visible;

use std::io;

use skel::Error;

use crate::arguments::SolveArguments;
use crate::console::Console;
use crate::errors::{Exit, Failure, not_converged_help};
use crate::input::load::{Loaded, load};
use crate::session::Session;
use answer::{Answer, Chain};
use attempt::{Outcome, Task};
use keep::Kept;
use options::chosen;
pub(crate) use options::options;

/// Runs the command.
pub(crate) fn run(arguments: &SolveArguments, console: &Console) -> io::Result<Exit> {
    let loaded = match load(&arguments.file, &arguments.settings.set) {
        Ok(loaded) => loaded,
        Err(failure) => return console.fail(failure),
    };
    let session = Session::start(&arguments.limits, console.json);
    let outcome = attempt(&loaded, arguments, &session);
    let outcome = outcome.and_then(|answered| session.unless_cancelled(answered));
    drop(session);
    match outcome {
        Ok((chain, answer)) if console.json => {
            console.write_json(|out| json::write(out, &chain, &answer, &loaded.warnings_json()))?;
            Ok(Exit::Answered)
        }
        Ok((_, answer)) if arguments.csv => {
            console.warn(&loaded.source, &loaded.warnings)?;
            console.aside(&text::hidden(&answer))?;
            console.print(&csv::table(&answer))?;
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
    let kept = Kept::of(&arguments.keep, &loaded.model)?;
    let task = Task { model: &loaded.model, arguments, kept, limits: &session.limits };
    let Outcome { chain, answer, is_up_to_exchange } =
        task.run().map_err(|error| Failure::of_error(&error, loaded.system))?;
    answer.map(|answer| (chain.clone(), answer)).map_err(|error| {
        let mut failure = Failure::of_error(&error, loaded.system);
        if let Error::NotConverged(refused) = &error {
            failure.advise(&not_converged_help(refused, true));
        }
        if matches!(error, Error::Deadlock(_)) && chosen(arguments).allow_deadlock {
            failure.advise("`--allow deadlock` goes with `--keep` in floats alone: leave out `--exact`");
        }
        failure.known.extend(json::of_chain(&chain));
        if is_up_to_exchange {
            failure.say("classes that differ in which of several equal parts is where count as one here");
        }
        failure
    })
}
