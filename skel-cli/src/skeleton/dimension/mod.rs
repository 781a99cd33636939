//! `skel skeleton --target`: the cheapest numbers of replicas that keep a throughput or a response time.

mod json;

use std::collections::BTreeMap;
use std::io;

use skel::diagnostic::did_you_mean;
use skel::dimension::{Dimension, Stop, Verdict};
use skel::limits::Limit;
use skel::skeleton::{Stage, StageId, Tree};
use skel::{Dimensioned, Error, Limits};

use super::load::Loaded;
use crate::arguments::SkeletonArguments;
use crate::console::Console;
use crate::errors::{Exit, Failure, Problem};
use crate::quantity::Aim;
use crate::report::table::printable;
use crate::session::Session;
use crate::solve::options;

/// The most states of one chain, unless another number is given.
const MOST_STATES: u64 = 2_000_000;

/// Answers `--target`.
pub(super) fn run(
    arguments: &SkeletonArguments,
    aim: &Aim,
    console: &Console,
    loaded: &Loaded,
) -> io::Result<Exit> {
    let stages = match Stages::of(arguments, loaded) {
        Ok(stages) => stages,
        Err(failure) => return console.fail(loaded.failure(failure)),
    };
    let mut session = Session::start(&arguments.limits, console.json);
    let answer = search(arguments, aim, loaded, stages, &mut session);
    drop(session);
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => return console.fail(loaded.failure_to_solve(&error)),
    };
    let known = json::object(&answer, aim.unit, &loaded.warnings_json());
    if let Some(failure) = failure(&answer, aim.unit) {
        let mut failure = loaded.failure(failure);
        failure.known.extend(known);
        return console.fail(failure);
    }
    match console.json {
        true => console.print_json(known)?,
        false => console.print(&report(&answer, loaded.source.name(), aim.unit))?,
    }
    let is_cancelled =
        matches!(&answer.verdict, Verdict::BestFound { why: Stop::Limit(Limit::Cancelled), .. });
    Ok(if is_cancelled { Exit::Limit } else { Exit::Answered })
}

/// The stages that the command line names.
struct Stages {
    costs: Vec<(StageId, u32)>,
    only: Vec<StageId>,
}

impl Stages {
    fn of(arguments: &SkeletonArguments, loaded: &Loaded) -> Result<Stages, Failure> {
        let mut problems = repeated(arguments);
        let mut stages = Stages { costs: Vec::new(), only: Vec::new() };
        for cost in &arguments.cost {
            match named(loaded, "--cost", &cost.name) {
                Ok(tasks) => stages.costs.extend(tasks.into_iter().map(|task| (task, cost.each))),
                Err(problem) => problems.push(*problem),
            }
        }
        for name in &arguments.replicate {
            match named(loaded, "--replicate", name) {
                Ok(tasks) => stages.only.extend(tasks.into_iter().map(|task| place_of(loaded.tree(), task))),
                Err(problem) => problems.push(*problem),
            }
        }
        match problems.is_empty() {
            true => Ok(stages),
            false => Err(Failure { problems, ..Failure::new(Exit::CommandLine, Problem::error("", "")) }),
        }
    }
}

/// Costs that are given more than once.
fn repeated(arguments: &SkeletonArguments) -> Vec<Problem> {
    let mut costs: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for cost in &arguments.cost {
        costs.entry(&cost.name).or_default().push(format!("`{}`", cost.each));
    }
    let repeated = costs.into_iter().filter(|(_, costs)| costs.len() > 1);
    let problem = |(name, costs): (&str, Vec<String>)| {
        let message = format!("the cost of `{}` is given as {}", printable(name), costs.join(" and as "));
        Problem::error("repeated_cost", message).help("give it once")
    };
    repeated.map(problem).collect()
}

/// The tasks of a name that an option gives.
fn named(loaded: &Loaded, option: &str, name: &str) -> Result<Vec<StageId>, Box<Problem>> {
    let tasks = loaded.tasks_named(name);
    if !tasks.is_empty() {
        return Ok(tasks);
    }
    let mut names: Vec<&str> = loaded.tree().stages().iter().filter_map(name_of).collect();
    names.dedup();
    let help = match (did_you_mean(name, names.iter().copied()), &names[..]) {
        (Some(near), _) => format!("did you mean `{}`?", printable(near)),
        (None, []) => {
            "no task has a name: write one before its time, as in `task(\"enrich\", 12ms)`".to_owned()
        }
        (None, _) => {
            let shown: Vec<String> =
                names.iter().take(12).map(|name| format!("`{}`", printable(name))).collect();
            format!(
                "the tasks are {}{}",
                shown.join(", "),
                if names.len() > 12 { ", and others" } else { "" }
            )
        }
    };
    let message = format!("`{option}`: the skeleton has no task `{}`", printable(name));
    Err(Box::new(Problem::error("unknown_task", message).help(help)))
}

fn name_of(stage: &Stage) -> Option<&str> {
    stage.task()?.name.as_deref()
}

/// The nearest place around a task where the number of replicas can vary.
fn place_of(tree: &Tree, task: StageId) -> StageId {
    let places = tree.replicable();
    let is_worker = !places.contains(&task);
    let above = places.into_iter().filter(|place| place.0 < task.0).max();
    // Nodes are numbered depth first, and a worker that is a task follows its deal or farm.
    above.filter(|_| is_worker).unwrap_or(task)
}

fn search(
    arguments: &SkeletonArguments,
    aim: &Aim,
    loaded: &Loaded,
    stages: Stages,
    session: &mut Session,
) -> Result<Dimension, Error> {
    let count = session.configurations();
    let states = arguments.limits.max_states.unwrap_or(MOST_STATES);
    let limits = Limits { states, ..session.limits.clone() };
    let options = options(arguments.tolerance);
    let question = loaded.program.dimensioning(aim.target.clone()).limits(&limits).options(&options);
    let mut question = question.on_progress(count);
    if let Some(cost) = arguments.at_most {
        question = question.at_most(cost);
    }
    if !stages.only.is_empty() {
        question = question.only(stages.only);
    }
    stages.costs.into_iter().fold(question, |question, (task, each)| question.cost(task, each)).search()
}

fn report(answer: &Dimension, name: &str, unit: &str) -> String {
    let assumptions: String = answer.assumptions.iter().map(|one| format!("  - {one}\n")).collect();
    format!("{name}: {}\nassumed of the program:\n{assumptions}", answer.in_words(unit))
}

/// An answer without numbers of replicas, as a failure.
fn failure(answer: &Dimension, unit: &str) -> Option<Failure> {
    let words = answer.in_words(unit);
    let lines = words.lines().filter(|line| !line.is_empty() && !line.starts_with("solved: "));
    let message = lines.collect::<Vec<_>>().join("\n");
    match &answer.verdict {
        Verdict::Unreachable(obstacle) => {
            let problem = Problem::error("unreachable_target", message).help(advice(&obstacle.advice));
            Some(Failure::new(Exit::Model, problem))
        }
        Verdict::NothingFound { why, .. } => {
            let option = match why {
                Stop::Limit(Limit::Time(_)) => "raise `--max-time`, or ",
                Stop::TooLarge(..) => "raise `--max-states`, or ",
                _ => "",
            };
            let help = format!("{option}let fewer stages vary, with `--replicate`");
            Some(Failure::new(Exit::Limit, Problem::error("limit_reached", message).help(help)))
        }
        Verdict::Cheapest(_) | Verdict::BestFound { .. } => None,
    }
}

/// The advice of the library, in the words of the command line.
fn advice(advice: &str) -> String {
    let option = advice.replace("allow a higher cost: at least", "raise `--at-most` to at least");
    let option = option.replace("allow a higher cost than", "raise `--at-most` above");
    option.replace("allow a higher cost", "raise `--at-most`")
}
