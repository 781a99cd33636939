//! `skel sweep`: the same question for many values of rates, sizes and replicas.
//!
//! ```text
//! FILE, --vary, --keep -> load: Sweep, columns -> points -> Answer -> text / csv / json
//!                                                                  -> chart: SVG
//! ```

mod answer;
mod chart;
mod json;
mod load;
mod measure;
mod names;
mod reasons;
mod text;
mod vary;

use std::io;

use skel::diagnostic::Code;
use skel::steady::Options;
use skel::sweep::Sweep;

use crate::arguments::SweepArguments;
use crate::console::Console;
use crate::errors::{Exit, Failure};
use crate::output::Destination;
use crate::session::Session;
use crate::solve::options;
use answer::{Answer, Figures, Heading, Row, rows};
use load::{Prepared, Task};
use measure::Column;

/// Runs the command.
pub(crate) fn run(arguments: &SweepArguments, console: &Console) -> io::Result<Exit> {
    // Thousands of values take their time to check, so that Ctrl-C is heard from here on.
    let mut session = Session::start(&arguments.limits, console.json);
    let read = Failure::together(load::load(arguments), Destination::of(arguments.svg.as_deref()));
    let (prepared, destination) = match read {
        Ok(both) => both,
        Err(failure) => return console.fail(failure),
    };
    let (headings, (rows, stopped)) = solve(&prepared.task, arguments, &mut session);
    drop(session);
    let Prepared { source, warnings, axes, .. } = prepared;
    let problems = reasons::of_rows(&axes, &rows, stopped);
    let answer = Answer { axes, is_together: arguments.together, headings, rows, stopped, problems };
    console.warn(&source, &warnings)?;
    let drawn = match &arguments.svg {
        Some(_) => draw(&answer, &destination, arguments),
        None => Ok(()),
    };
    let warnings = warnings.iter().map(|warning| warning.to_json(Some(&source))).collect();
    let known = json::object(&answer, &warnings);
    if arguments.csv {
        console.print(&text::csv(&answer))?;
    } else if !console.json {
        console.print(&text::report(&answer, source.name()))?;
    }
    let exit = drawn.as_ref().err().map_or(reasons::exit(&answer.problems), |failure| failure.exit);
    let mut problems = answer.problems;
    problems.extend(drawn.err().into_iter().flat_map(|failure| failure.problems));
    console.conclude(Failure { exit, source: Some(Box::new(source)), problems, known })
}

/// Solves all points.
fn solve(
    task: &Task,
    arguments: &SweepArguments,
    session: &mut Session,
) -> (Vec<Heading>, (Vec<Row>, Option<skel::limits::Limit>)) {
    match task {
        Task::Model(sweep, columns) => {
            let ask = |solution: &skel::SteadyState<skel::model::Model, f64>| {
                Ok(Figures {
                    cells: columns.iter().map(|column| column.ask(solution)).collect::<Result<_, _>>()?,
                    states: solution.space().states(),
                    error: solution.report().error,
                })
            };
            (headings(columns), points(sweep, arguments, session, ask))
        }
        Task::Skeleton(sweep, columns) => {
            let ask = |performance: &skel::performance::Performance<skel::skeleton::Tree, f64>| {
                Ok(Figures {
                    cells: columns.iter().map(|column| column.ask(performance)).collect(),
                    states: performance.steady_state().space().states(),
                    error: performance.steady_state().report().error,
                })
            };
            (headings(columns), points(sweep, arguments, session, ask))
        }
    }
}

fn headings<K>(columns: &[Column<K>]) -> Vec<Heading> {
    columns.iter().map(|column| Heading { name: column.name.clone(), unit: column.unit }).collect()
}

fn points<A>(
    sweep: &Sweep<A>,
    arguments: &SweepArguments,
    session: &mut Session,
    ask: impl Fn(&A) -> Result<Figures, skel::Error>,
) -> (Vec<Row>, Option<skel::limits::Limit>) {
    let count = session.counter_of_points();
    let allow_deadlock = arguments.file.allow.contains(&Code::Deadlock);
    let options = Options { allow_deadlock, ..options(arguments.tolerance) };
    let mut sweep = sweep.clone().limits(&session.limits).options(&options).with_progress(count);
    if let Some(time) = arguments.max_time_per_point {
        sweep = sweep.time_per_point(time);
    }
    // What could be wrong with the sweep was told before.
    sweep.points().map(|points| rows(points, ask)).unwrap_or_default()
}

/// Draws the answer into the file.
fn draw(answer: &Answer, destination: &Destination, arguments: &SweepArguments) -> Result<(), Failure> {
    let Some(path) = &arguments.svg else { return Ok(()) };
    let svg = chart::svg(answer)?;
    destination.write_text(path, &svg)
}
