//! `skel transient`: where a model is at some moments.
//!
//! ```text
//! FILE, --at, --from, --keep -> load: model, names, start -> points -> Answer -> text / csv / json
//!                                                                            -> chart: SVG
//! ```

mod answer;
mod chart;
mod json;
mod load;
mod start;
mod text;

use std::io;

use crate::arguments::TransientArguments;
use crate::console::Console;
use crate::errors::{Exit, Failure};
use crate::output::Destination;
use crate::session::Session;
use answer::Answer;

/// Runs the command.
pub(crate) fn run(arguments: &TransientArguments, console: &Console) -> io::Result<Exit> {
    let read = Failure::together(load::load(arguments), Destination::of(arguments.svg.as_deref()));
    let (prepared, destination) = match read {
        Ok(both) => both,
        Err(failure) => return console.fail(failure),
    };
    let session = Session::start(&arguments.limits, console.json);
    let outcome = load::solve(&prepared, arguments, &session);
    let outcome = outcome.and_then(|answer| session.unless_cancelled(answer));
    drop(session);
    let answer = match outcome {
        Ok(answer) => answer,
        Err(failure) => return console.fail(prepared.loaded.failure(failure)),
    };
    console.warn(&prepared.loaded.source, &prepared.loaded.warnings)?;
    let drawn = draw(&answer, &destination, arguments);
    if arguments.csv {
        console.print(&text::csv(&answer))?;
    } else if !console.json {
        console.print(&text::report(&answer, prepared.loaded.source.name()))?;
    }
    let known = json::object(&answer, &prepared.loaded.warnings_json());
    let mut outcome = Failure::of_answer(None, drawn, known);
    outcome.source = Some(Box::new(prepared.loaded.source));
    console.conclude(outcome)
}

/// Draws the answer into the file, if one is named.
fn draw(answer: &Answer, destination: &Destination, arguments: &TransientArguments) -> Result<(), Failure> {
    let Some(path) = &arguments.svg else { return Ok(()) };
    let svg = chart::svg(answer)?;
    destination.write_text(path, &svg)
}
