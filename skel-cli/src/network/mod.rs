//! `skel network`: the clusters of a network, the models of its links, and how long operations of all its
//! machines take.
//!
//! ```text
//! FILE -> load: Network -> Clusters -> Answer: choices inside, schedules between -> text / json / csv
//!                                                                                -> draw -> chart: SVG
//! ```

mod answer;
mod between;
mod chart;
mod choice;
mod draw;
mod json;
mod load;
pub(crate) mod measure;
mod models;
mod text;

use std::io;
use std::time::Instant;

use skel::network::select::Clusters;

use crate::arguments::NetworkArguments;
use crate::console::Console;
use crate::errors::{Exit, Failure, Problem};
use crate::output::Destination;
use crate::session::Session;
use answer::{Answer, Stopped, Until};
use load::Loaded;

/// Runs the command.
pub(crate) fn run(arguments: &NetworkArguments, console: &Console) -> io::Result<Exit> {
    let session = Session::unlimited(console.json);
    let read = Failure::together(load::load(arguments), Destination::of(arguments.svg.as_deref()));
    let (loaded, destination) = match read {
        Ok(both) => both,
        Err(failure) => return console.fail(failure),
    };
    let clusters = match clusters(&loaded, arguments) {
        Ok(clusters) => clusters,
        Err(failure) => return console.fail(failure),
    };
    let answer = answered(&loaded, &clusters, arguments, &session);
    drop(session);
    let drawn = match &arguments.svg {
        Some(_) => draw(&answer, &destination, arguments),
        None => Ok(()),
    };
    if arguments.csv {
        console.print(&text::csv(&answer))?;
    } else if !console.json {
        console.print(&text::report(&answer))?;
    }
    let known = json::object(&answer);
    console.conclude(Failure::of_answer(answer.stopped.map(stopped), drawn, known))
}

fn clusters<'l>(loaded: &'l Loaded, arguments: &NetworkArguments) -> Result<Clusters<'l>, Failure> {
    loaded.network.clusters(arguments.rho).map_err(|errors| {
        let problem = |error: skel::model::BuildError| {
            Problem::error(error.code.word(), error.message).help(error.help)
        };
        let problems = errors.0.into_iter().map(problem).collect();
        Failure { exit: Exit::Model, source: None, problems, known: serde_json::Map::new() }
    })
}

fn answered<'l>(
    loaded: &'l Loaded,
    clusters: &'l Clusters<'l>,
    arguments: &NetworkArguments,
    session: &Session,
) -> Answer<'l> {
    let until = Until {
        cancellation: session.limits.cancellation.clone(),
        started: Instant::now(),
        max_time: arguments.max_time,
    };
    let asked = (arguments.operation.as_slice(), arguments.size.as_slice());
    Answer::new(loaded.source.name(), clusters, loaded.root, asked, &until, &|part| session.work_on(part))
}

fn stopped(why: Stopped) -> Problem {
    match why {
        Stopped::Cancelled => {
            Problem::error("limit_reached", "cancelled: what was answered until then is shown")
        }
        Stopped::Time(most) => {
            let message = format!(
                "the time of {} s was over: what was answered until then is shown",
                most.as_secs_f64()
            );
            Problem::error("limit_reached", message)
                .help("ask for fewer sizes, or allow more time with `--max-time`")
        }
    }
}

/// Draws the answer into the file.
fn draw(answer: &Answer<'_>, destination: &Destination, arguments: &NetworkArguments) -> Result<(), Failure> {
    let Some(path) = &arguments.svg else { return Ok(()) };
    let svg = draw::svg(answer, arguments.chart)?;
    destination.write_text(path, &svg)
}
