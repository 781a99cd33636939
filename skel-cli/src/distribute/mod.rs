//! `skel distribute`: which schedule of self-scheduling ends first, by how much, and who does what.
//!
//! ```text
//! FILE, --schedule -> load: Description -> compare -> Answer -> text / json / csv
//!                                               |-> observe -> chart: SVG
//! ```

mod answer;
mod chart;
mod json;
mod load;
mod text;

use std::io;

use crate::arguments::DistributeArguments;
use crate::console::Console;
use crate::errors::{Exit, Failure, Problem};
use crate::output::{Destination, unwritable};
use answer::Answer;
use load::Loaded;

/// Runs the command.
pub(crate) fn run(arguments: &DistributeArguments, console: &Console) -> io::Result<Exit> {
    let read = Failure::together(load::load(arguments), Destination::of(arguments.svg.as_deref()));
    let (loaded, destination) = match read {
        Ok(both) => both,
        Err(failure) => return console.fail(failure),
    };
    let answer = compared(&loaded, arguments.exact);
    let Some(answer) = answer.filter(|answer| !answer.rows.is_empty()) else {
        return console.fail(none_ends(&loaded, arguments));
    };
    if let Err(failure) = draw(&loaded, &answer, &destination, arguments) {
        return console.fail(failure);
    }
    let Loaded { source, warnings, .. } = &loaded;
    console.warn(source, warnings)?;
    if arguments.csv {
        console.print(&text::csv(&answer))?;
    } else if console.json {
        let warnings = warnings.iter().map(|warning| warning.to_json(Some(source))).collect();
        console.print_json(json::object(&answer, &warnings))?;
    } else {
        console.print(&text::report(&answer, source.name()))?;
    }
    Ok(Exit::Answered)
}

fn compared(loaded: &Loaded, is_exact: bool) -> Option<Answer> {
    let Loaded { description, schedules, .. } = loaded;
    let scenario = description.scenario();
    Some(match is_exact {
        true => Answer::new(description, &scenario.compare_exact(schedules), &scenario.bound()?),
        false => Answer::new(description, &scenario.compare(schedules), &scenario.bound()?),
    })
}

/// The failure that no schedule has an end.
fn none_ends(loaded: &Loaded, arguments: &DistributeArguments) -> Failure {
    let scenario = loaded.description.scenario();
    let why = |schedule: &skel::distribute::Schedule| match arguments.exact {
        true => scenario.simulate_exact(schedule).err(),
        false => scenario.simulate(schedule).err(),
    };
    let problems = loaded.schedules.iter().filter_map(|schedule| {
        let message = format!("`{schedule}` has no end: {}", why(schedule)?);
        Some(Problem::error("limit_reached", message).help("ask for another schedule"))
    });
    Failure { source: None, problems: problems.collect(), exit: Exit::Limit, known: serde_json::Map::new() }
}

/// Draws the schedule that ends first.
fn draw(
    loaded: &Loaded,
    answer: &Answer,
    destination: &Destination,
    arguments: &DistributeArguments,
) -> Result<(), Failure> {
    let (Some(path), Some(best)) = (&arguments.svg, answer.rows.first()) else { return Ok(()) };
    let svg = chart::svg(&loaded.description, best.schedule, answer.bound.value)
        .map_err(|why| unwritable(path, format!("the figure cannot be drawn: {why}")))?;
    destination.write_text(path, &svg)
}
