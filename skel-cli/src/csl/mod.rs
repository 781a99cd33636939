//! `skel csl`: whether a model has some properties, and how probable or how large something is.
//!
//! ```text
//! FILE, properties, --properties -> load: model, queries -> answers -> text / csv / json
//!                                                                   -> chart: SVG
//! ```
//!
//! A property that is wrong does not keep the others from being answered.

mod answer;
mod chart;
mod json;
mod load;
mod text;

use std::io;

use crate::arguments::CslArguments;
use crate::console::Console;
use crate::errors::{Exit, Failure, Problem};
use crate::output::Destination;
use crate::session::Session;
use answer::Answers;

/// Runs the command.
pub(crate) fn run(arguments: &CslArguments, console: &Console) -> io::Result<Exit> {
    let read = Failure::together(load::load(arguments), Destination::of(arguments.svg.as_deref()));
    let (prepared, destination) = match read {
        Ok(both) => both,
        Err(failure) => return console.fail(failure),
    };
    let session = Session::start(&arguments.limits, console.json);
    let outcome = load::answer(&prepared, arguments, &session);
    drop(session);
    let answers = match outcome {
        Ok(answers) => answers,
        Err(failure) => return console.fail(prepared.loaded.failure(failure)),
    };
    console.warn(&prepared.loaded.source, &prepared.loaded.warnings)?;
    if arguments.csv {
        console.print(&text::csv(&answers))?;
    } else if !console.json {
        console.print(&text::report(&answers))?;
    }
    let drawn = draw(&answers, &destination, arguments);
    let known = json::object(&answers, &prepared.loaded.warnings_json());
    let mut exit = answers.exit();
    let mut problems: Vec<Problem> = prepared.problems.into_iter().chain(answers.problems).collect();
    if let Some(of_texts) = prepared.exit {
        exit = of_texts;
    }
    if let Err(failure) = drawn {
        exit = failure.exit;
        problems.extend(failure.problems);
    }
    console.conclude(Failure { exit, source: Some(Box::new(prepared.loaded.source)), problems, known })
}

/// Draws the values of states into the file, if one is named.
fn draw(answers: &Answers, destination: &Destination, arguments: &CslArguments) -> Result<(), Failure> {
    let Some(path) = &arguments.svg else { return Ok(()) };
    let svg = chart::svg(answers)?;
    destination.write_text(path, &svg)
}
