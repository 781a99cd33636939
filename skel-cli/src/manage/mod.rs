//! `skel manage`: what a manager would do to keep a service time, for a simulated program or a recorded run.
//!
//! ```text
//! FILE, --load -> load: Simulation --+
//! --replay     -> load: Recording  --+-> watch: Manager -> Answer -> text / json / chart
//! --rules      -> load: Rules      --+
//! ```

mod answer;
mod json;
mod load;
mod text;
mod watch;

use std::io;
use std::path::Path;

use crate::arguments::ManageArguments;
use crate::console::Console;
use crate::errors::{Exit, Failure, Problem};
use crate::output::Destination;
use crate::session::Session;
use answer::Answer;

/// Runs the command.
pub(crate) fn run(arguments: &ManageArguments, console: &Console) -> io::Result<Exit> {
    let session = Session::unlimited(console.json);
    let read = Failure::together(load::load(arguments), Destination::of(arguments.chart.as_deref()));
    let (loaded, destination) = match read {
        Ok(both) => both,
        Err(failure) => return console.fail(failure),
    };
    let watched = watch::watch(&loaded, arguments, &session);
    drop(session);
    let answer = match watched {
        Ok(answer) => answer,
        Err(failure) => return console.fail(failure),
    };
    if let Some(source) = &loaded.source {
        console.warn(source, &loaded.warnings)?;
    }
    let drawn = match &arguments.chart {
        Some(path) => draw(&answer, path, &destination),
        None => Ok(()),
    };
    let known = json::object(&answer, &loaded.warnings_json());
    if !console.json {
        console.print(&text::report(&answer))?;
    }
    console.conclude(Failure::of_answer(answer.was_cancelled.then(cancelled), drawn, known))
}

fn cancelled() -> Problem {
    Problem::error("limit_reached", "cancelled: what was decided until then is shown")
}

/// Draws the answer into the file.
fn draw(answer: &Answer, path: &Path, destination: &Destination) -> Result<(), Failure> {
    let chart = skel::manage::Chart::of(&answer.contract, &answer.series, &answer.log);
    let svg = chart.to_svg().map_err(|nothing| {
        let problem = Problem::error("nothing_to_draw", nothing.to_string());
        Failure::new(Exit::Model, problem.help("watch for a longer time"))
    })?;
    destination.write_text(path, &svg)
}
