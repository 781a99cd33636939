//! From the file to a description, and the schedules to compare.

use serde_json::Map;
use skel::distribute::Schedule;
use skel::distribute::description::{Description, Parsed, parse};

use crate::arguments::DistributeArguments;
use crate::errors::{Exit, Failure, Problem};
use crate::input::foreign::not_description;
use crate::input::read::read;
use crate::source::Source;

/// A description that passed its checks, and the schedules to compare.
pub(super) struct Loaded {
    /// Its text.
    pub(super) source: Source,
    pub(super) description: Description,
    pub(super) schedules: Vec<Schedule>,
    pub(super) warnings: Vec<Problem>,
}

/// Reads and checks a description.
pub(super) fn load(arguments: &DistributeArguments) -> Result<Loaded, Failure> {
    let source = read(&arguments.path)?;
    let Parsed { contents: description, diagnostics, .. } = parse(source.text());
    let problems: Vec<Problem> = diagnostics.into_iter().map(Problem::from).collect();
    let Some(description) = description else {
        let other = not_description(&source).or_else(|| of_processors(&source, &problems));
        let problems = other.map_or(problems, |problem| vec![problem]);
        let source = Some(Box::new(source));
        return Err(Failure { exit: Exit::Model, source, problems, known: Map::new() });
    };
    let schedules = match arguments.schedule.as_slice() {
        [] => description.schedules(),
        lists => distinct(lists.iter().flat_map(|list| list.0.iter().copied())),
    };
    Ok(Loaded { source, description, schedules, warnings: problems })
}

/// The problem of a description for `skel map`, which is TOML as well.
fn of_processors(source: &Source, problems: &[Problem]) -> Option<Problem> {
    let unknown = |problem: &&Problem| problem.message.ends_with(" has no key `processor`");
    let place = problems.iter().find(unknown)?.place.clone();
    let message = "this is a description of a program and its processors, not of work that is distributed";
    let help = format!("ask `skel map {}`", source.name());
    Some(Problem { place, ..Problem::error("other_format", message) }.help(help))
}

fn distinct(all: impl Iterator<Item = Schedule>) -> Vec<Schedule> {
    all.fold(Vec::new(), |mut schedules, schedule| {
        if !schedules.contains(&schedule) {
            schedules.push(schedule);
        }
        schedules
    })
}
