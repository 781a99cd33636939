//! `skel passage`: how long it takes from one event or state to another.
//!
//! ```text
//! FILE, --from, --to -> load: model, conditions, names -> passage -> Answer -> text / csv / json
//!                                                                           -> chart: SVG
//! ```

mod answer;
mod json;
mod load;
mod text;

use std::io;

use crate::arguments::PassageArguments;
use crate::console::Console;
use crate::errors::{Exit, Failure};
use crate::output::Destination;
use crate::random_time::{chart, text::csv};
use crate::session::Session;
use answer::Answer;

/// Runs the command.
pub(crate) fn run(arguments: &PassageArguments, console: &Console) -> io::Result<Exit> {
    let read = Failure::together(load::load(arguments), Destination::of(arguments.time.svg.as_deref()));
    let (mut prepared, destination) = match read {
        Ok(both) => both,
        Err(failure) => return console.fail(failure),
    };
    let session = Session::start(&arguments.time.limits, console.json);
    let outcome = load::solve(&prepared, arguments, &session);
    let outcome = outcome.and_then(|answer| session.unless_cancelled(answer));
    drop(session);
    let answer = match outcome {
        Ok(answer) => answer,
        Err(failure) => return console.fail(prepared.loaded.failure(failure)),
    };
    prepared.loaded.warnings.extend(answer.warning());
    console.warn(&prepared.loaded.source, &prepared.loaded.warnings)?;
    let drawn = draw(&answer, &destination, arguments);
    if arguments.time.csv {
        console.print(&csv(&answer.time))?;
    } else if !console.json {
        console.print(&text::report(&answer, prepared.loaded.source.name()))?;
    }
    let known = json::object(&answer, &prepared.loaded.warnings_json());
    let mut outcome = Failure::of_answer(None, drawn, known);
    outcome.source = Some(Box::new(prepared.loaded.source));
    console.conclude(outcome)
}

/// Draws the answer into the file, if one is named.
fn draw(answer: &Answer, destination: &Destination, arguments: &PassageArguments) -> Result<(), Failure> {
    let Some(path) = &arguments.time.svg else { return Ok(()) };
    let svg =
        chart::svg(&answer.time, &format!("{} to {}", answer.from, answer.to), "probability to have ended")?;
    destination.write_text(path, &svg)
}
