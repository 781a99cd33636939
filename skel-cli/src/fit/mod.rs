//! `skel fit`: formulas for the seconds that a program was timed to take, and what follows from them.
//!
//! ```text
//! FILE -> load: points -> model: a function for each segment and machine type --\
//!                                                 --formula, --graph -> subjects -> questions -> Answer -> print: text / json / csv
//!                                                                                                        -> chart: SVG
//! ```

mod answer;
mod chart;
mod load;
mod model;
mod print;
mod questions;

use std::io;

use serde_json::Map;

use crate::arguments::FitArguments;
use crate::console::Console;
use crate::errors::{Exit, Failure, Problem};
use crate::output::Destination;
use answer::Answer;
use model::models;

/// Runs the command.
pub(crate) fn run(arguments: &FitArguments, console: &Console) -> io::Result<Exit> {
    let read = Failure::together(load::load(arguments), Destination::of(arguments.svg.as_deref()));
    let (mut loaded, destination) = match read {
        Ok(both) => both,
        Err(failure) => return console.fail(failure),
    };
    let points = loaded.timed.as_mut().map(|timed| std::mem::take(&mut timed.points)).unwrap_or_default();
    let (models, unfitted) = models(points, arguments);
    if models.is_empty() && loaded.graph.is_none() {
        return console.fail(ended(unfitted, Vec::new(), Ok(()), Map::new()));
    }
    let (answer, unanswered) = Answer::new(&loaded, &models, arguments);
    let drawn = draw(&answer, &destination, arguments);
    if arguments.csv {
        console.print(&print::csv::table(&answer))?;
    } else if !console.json {
        console.print(&print::text::report(&answer))?;
    }
    console.conclude(ended(unfitted, unanswered, drawn, print::json::object(&answer)))
}

/// What is wrong with an answer, if anything is: models that do not fit, questions without an answer, and a
/// figure that is not drawn.
fn ended(
    unfitted: Vec<Problem>,
    unanswered: Vec<Problem>,
    drawn: Result<(), Failure>,
    known: Map<String, serde_json::Value>,
) -> Failure {
    let exit = match (&drawn, unfitted.is_empty(), unanswered.is_empty()) {
        (_, false, _) => Exit::Model,
        (_, _, false) => Exit::CommandLine,
        (Err(failure), ..) => failure.exit,
        _ => Exit::Answered,
    };
    let of_figure = drawn.err().into_iter().flat_map(|failure| failure.problems);
    Failure {
        exit,
        source: None,
        problems: unfitted.into_iter().chain(unanswered).chain(of_figure).collect(),
        known,
    }
}

/// Draws the answer into the file.
fn draw(answer: &Answer<'_>, destination: &Destination, arguments: &FitArguments) -> Result<(), Failure> {
    let Some(path) = &arguments.svg else { return Ok(()) };
    let svg = chart::svg(answer, arguments)?;
    destination.write_text(path, &svg)
}
