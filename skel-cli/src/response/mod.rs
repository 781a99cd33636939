//! `skel response`: how long an item takes, of a skeleton or of a PEPA model.
//!
//! ```text
//! FILE -> load: skeleton with its rates, or model with the way of an item -> ResponseTime -> Answer -> text / csv / json
//!                                                                                                   -> SVG
//! ```

mod answer;
mod json;
mod load;
mod path;
mod text;

use std::io;

use crate::arguments::ResponseArguments;
use crate::console::Console;
use crate::errors::{Exit, Failure};
use crate::output::Destination;
use crate::random_time::{chart, text::csv};
use crate::session::Session;
use answer::Answer;

/// Runs the command.
pub(crate) fn run(arguments: &ResponseArguments, console: &Console) -> io::Result<Exit> {
    let read = Failure::together(load::load(arguments), Destination::of(arguments.time.svg.as_deref()));
    let (prepared, destination) = match read {
        Ok(both) => both,
        Err(failure) => return console.fail(failure),
    };
    let session = Session::start(&arguments.time.limits, console.json);
    let outcome = prepared.solve(arguments, &session);
    let outcome = outcome.and_then(|answer| session.unless_cancelled(answer));
    drop(session);
    let answer = match outcome {
        Ok(answer) => answer,
        Err(failure) => return console.fail(prepared.failure(failure)),
    };
    console.warn(prepared.source(), prepared.warnings())?;
    let drawn = draw(&answer, &destination, arguments);
    if arguments.time.csv {
        console.print(&csv(&answer.time))?;
    } else if !console.json {
        console.print(&text::report(&answer, prepared.source().name()))?;
    }
    let known = json::object(&answer, &prepared.warnings_json());
    console.conclude(prepared.failure(Failure::of_answer(None, drawn, known)))
}

/// Draws the answer into the file, if one is named.
fn draw(answer: &Answer, destination: &Destination, arguments: &ResponseArguments) -> Result<(), Failure> {
    let Some(path) = &arguments.time.svg else { return Ok(()) };
    let svg = chart::svg(&answer.time, "response time", "part of the items that are done")?;
    destination.write_text(path, &svg)
}
