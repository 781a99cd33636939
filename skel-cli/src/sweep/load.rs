//! From the file and the flags to a sweep that can begin, or everything that is wrong with them.

use std::path::Path;

use serde_json::Map;
use skel::model::Model;
use skel::performance::Performance;
use skel::rate::Rate;
use skel::skeleton::text::{Parsed, parse_in};
use skel::skeleton::{Communication, Tree};
use skel::sweep::Sweep;
use skel::syntax::directive::Requests;
use skel::{Error, SteadyState};

use super::answer::{Axis, What};
use super::measure::{Column, OfModel, OfSkeleton, of_model, of_skeleton};
use super::names::{in_array, unknown_in_model};
use super::vary::{Vary, read as read_vary};
use crate::arguments::SweepArguments;
use crate::errors::{Exit, Failure, Problem};
use crate::input::foreign::{is_skeleton, not_skeleton};
use crate::input::load::{Loaded, check};
use crate::input::read::read;
use crate::input::settings::wrong_for_skeleton;
use crate::quantity::LinkRate;
use crate::skeleton::with_flags;
use crate::source::Source;

/// A sweep that can begin.
pub(super) struct Prepared {
    pub(super) source: Source,
    /// What the checks of the file found worth a look.
    pub(super) warnings: Vec<Problem>,
    pub(super) axes: Vec<Axis>,
    pub(super) task: Task,
}

/// What is to be solved, and what is asked.
pub(super) enum Task {
    Model(Sweep<SteadyState<Model, f64>>, Vec<Column<OfModel>>),
    Skeleton(Sweep<Performance<Tree, f64>>, Vec<Column<OfSkeleton>>),
}

/// Reads and checks the file, what varies, and what is asked.
pub(super) fn load(arguments: &SweepArguments) -> Result<Prepared, Failure> {
    let source = read(&arguments.file.path)?;
    let read: Vec<Result<Vary, Box<Problem>>> =
        arguments.vary.iter().map(|written| read_vary(written)).collect();
    if is_skeleton(&source) {
        of_skeleton_file(arguments, source, read)
    } else {
        of_model_file(arguments, source, read)
    }
}

fn of_model_file(
    arguments: &SweepArguments,
    source: Source,
    read: Vec<Result<Vary, Box<Problem>>>,
) -> Result<Prepared, Failure> {
    let requests = Requests { allowed: arguments.file.allow.to_vec(), ..Requests::default() };
    let Loaded { source, mut model, warnings, .. } = check(source, requests, &arguments.settings.set)?;
    let mut wrong = unfit_for(arguments, &read);
    if arguments.communication.is_some() {
        wrong.push(not_for(
            "--communication",
            "a skeleton",
            "write the rates of a model into the file, or give `--set`",
        ));
    }
    let (known, problems) = in_model(&mut model, read);
    wrong.extend(problems);
    let columns = of_model(&arguments.keep, &model);
    let sweep = Sweep::of_model(&model).map_err(|error| unexpected(&error))?;
    let sweep = if arguments.unlumped { sweep } else { sweep.lumped() };
    let sweep = varied(sweep, arguments, &known);
    wrong.extend(placed(&sweep.problems(), &known));
    let columns = columns.unwrap_or_else(|problems| {
        wrong.extend(problems);
        Vec::new()
    });
    if !wrong.is_empty() {
        return Err(failed(source, warnings.into_iter().chain(wrong).collect(), Exit::CommandLine));
    }
    let kind = |name: &str| {
        let id = model.parameter_named(name);
        if id.is_some_and(|id| model.is_size(id)) { What::Size } else { What::Rate }
    };
    let axes = known.iter().map(|vary| axis(vary, kind(&vary.name))).collect();
    Ok(Prepared { source, warnings, axes, task: Task::Model(sweep, columns) })
}

/// What varies of a model; the copies of an array get a name where they have none.
fn in_model(model: &mut Model, read: Vec<Result<Vary, Box<Problem>>>) -> (Vec<Vary>, Vec<Problem>) {
    let (mut known, mut wrong) = (Vec::new(), Vec::new());
    for vary in read {
        let vary = vary.and_then(|vary| in_array(model, vary));
        match vary {
            Ok(vary) if model.parameter_named(&vary.name).is_none() => {
                wrong.push(vary.problem(&unknown_in_model(model, &vary.name)));
            }
            Ok(vary) => known.push(vary),
            Err(problem) => wrong.push(*problem),
        }
    }
    (known, wrong)
}

fn of_skeleton_file(
    arguments: &SweepArguments,
    source: Source,
    read: Vec<Result<Vary, Box<Problem>>>,
) -> Result<Prepared, Failure> {
    let set = &arguments.settings.set;
    let settings: Vec<(String, Rate)> =
        set.iter().map(|setting| (setting.name.clone(), setting.value.clone())).collect();
    let folder = arguments.file.path.parent().unwrap_or(Path::new(""));
    let parsed = parse_in(source.text(), &settings, folder);
    let mut wrong = wrong_for_skeleton(&parsed, set);
    let Some(program) = parsed.program() else {
        if let Some(problem) = not_skeleton(&source) {
            return Err(failed(source, vec![problem], Exit::Model));
        }
        let is_set_wrong = !settings.is_empty() && parse_in(source.text(), &[], folder).tree.is_some();
        let exit = if is_set_wrong { Exit::CommandLine } else { Exit::Model };
        let problems = parsed.diagnostics.into_iter().map(Problem::from).chain(wrong).collect();
        return Err(failed(source, problems, exit));
    };
    let tree = program.skeleton().clone();
    wrong.extend(unfit_for(arguments, &read));
    wrong.extend(options_of_models(arguments));
    let known = only_read(read, &mut wrong);
    let columns = of_skeleton(&arguments.keep, &tree, arguments.svg.is_some()).unwrap_or_else(|problems| {
        wrong.extend(problems);
        Vec::new()
    });
    let communication = communication(arguments.communication.as_ref());
    let sweep = Sweep::of_skeleton_text_in(source.text(), &settings, communication.clone(), folder);
    let sweep = varied(sweep.map_err(|error| unexpected(&error))?, arguments, &known);
    wrong.extend(placed(&sweep.problems(), &known));
    wrong.extend(links_that_change(arguments, &parsed, &tree, &known));
    if !wrong.is_empty() {
        return Err(failed(source, wrong, Exit::CommandLine));
    }
    let program = program.with_communication(communication.or(parsed.communication.clone()));
    if let Err(findings) = parsed.lower_program_with_immediate_moves(&program) {
        return Err(failed(source, findings.into_iter().map(with_flags).collect(), Exit::Model));
    }
    let warnings = parsed.unused_names().iter().cloned().map(Problem::from).collect();
    let axes = known.iter().map(|vary| axis(vary, What::Number)).collect();
    Ok(Prepared { source, warnings, axes, task: Task::Skeleton(sweep, columns) })
}

fn axis(vary: &Vary, what: What) -> Axis {
    Axis { name: vary.name.clone(), is_logarithmic: vary.is_logarithmic, what }
}

/// The sweep with what varies, in step or as a grid.
fn varied<A>(sweep: Sweep<A>, arguments: &SweepArguments, known: &[Vary]) -> Sweep<A> {
    let add = |sweep: Sweep<A>, vary: &Vary| sweep.vary(vary.name.as_str(), vary.values.clone());
    let sweep = known.iter().fold(sweep, add);
    if arguments.together { sweep.together() } else { sweep }
}

fn only_read(read: Vec<Result<Vary, Box<Problem>>>, wrong: &mut Vec<Problem>) -> Vec<Vary> {
    let keep = |vary: Result<Vary, Box<Problem>>| vary.map_err(|problem| wrong.push(*problem)).ok();
    read.into_iter().filter_map(keep).collect()
}

/// What the library finds wrong, with the options as places. That nothing varies follows from what was said
/// of the options.
fn placed(problems: &[skel::sweep::Problem], known: &[Vary]) -> Vec<Problem> {
    let place = |problem: &skel::sweep::Problem| match problem.axis {
        Some(number) => Some(known[number].problem(&problem.error)),
        None if known.is_empty() => None,
        None => {
            let error = &problem.error;
            let help = error.help.replace("leave out that they go together", "leave out `--together`");
            Some(Problem::error(error.code.word(), format!("`--vary`: {}", error.message)).help(help))
        }
    };
    problems.iter().filter_map(place).collect()
}

/// Options that do not go together, whatever the file is.
fn unfit_for(arguments: &SweepArguments, read: &[Result<Vary, Box<Problem>>]) -> Vec<Problem> {
    const MOST_IN_GRID: usize = 2;
    let mut wrong = Vec::new();
    if read.len() > MOST_IN_GRID && !arguments.together {
        let message = format!("`--vary` is given {} times, and a grid has one or two directions", read.len());
        wrong.push(Problem::error("bad_sweep", message).help(
            "let them go forward in step with `--together`, or write a sweep for each value of the others, with `--set`",
        ));
    }
    for vary in read.iter().flatten() {
        if arguments.settings.set.iter().any(|setting| setting.name == vary.name) {
            let message = format!("`{}` is set, and varies too", vary.name);
            wrong.push(Problem::error("bad_sweep", message).help("leave out its `--set`, or its `--vary`"));
        }
    }
    wrong
}

fn options_of_models(arguments: &SweepArguments) -> Vec<Problem> {
    let allows = (!arguments.file.allow.is_empty())
        .then(|| not_for("--allow", "a model", "leave it out: a skeleton has no findings to allow"));
    let apart = arguments.unlumped.then(|| {
        not_for("--unlumped", "a model", "leave it out: the equal workers of a skeleton are always lumped")
    });
    allows.into_iter().chain(apart).collect()
}

fn not_for(option: &str, of: &str, help: &str) -> Problem {
    Problem::error("command_line", format!("`{option}` is an option of {of}, and the file is none"))
        .help(help)
}

/// Rates of single links where the number of tasks varies, so that the tasks behind have other numbers.
fn links_that_change(
    arguments: &SweepArguments,
    parsed: &Parsed,
    tree: &Tree,
    known: &[Vary],
) -> Option<Problem> {
    let (_, place) = parsed.links().first().filter(|_| arguments.communication.is_none())?;
    let tasks = tree.tasks().len();
    let set = &arguments.settings.set;
    let changes = |vary: &&Vary| {
        vary.values.as_slice().iter().any(|value| {
            let fixed = set.iter().map(|setting| (setting.name.clone(), setting.value.clone()));
            let settings: Vec<(String, Rate)> = fixed.chain([(vary.name.clone(), value.clone())]).collect();
            let changed =
                parse_in(parsed.text(), &settings, arguments.file.path.parent().unwrap_or(Path::new("")));
            changed.tree.is_some_and(|tree| tree.tasks().len() != tasks)
        })
    };
    let vary = known.iter().find(changes)?;
    let message = format!(
        "`{}` changes the number of tasks, and so the numbers of the tasks between which a rate of communication is given",
        vary.name
    );
    let problem = Problem::error("not_for_sweeps", message).at(*place, "one link");
    Some(problem.help("give one rate for all moves, as `--communication 1.0`, or `--communication none`"))
}

fn communication(given: Option<&LinkRate>) -> Communication {
    match given {
        None => Communication::default(),
        Some(LinkRate { rate: Some(rate), .. }) => Communication::everywhere(rate.clone()),
        Some(LinkRate { rate: None, .. }) => Communication::negligible(),
    }
}

/// A model or a text that was checked before cannot be rejected now.
fn unexpected(error: &Error) -> Failure {
    Failure::of_error(error, skel::diagnostic::TextSpan { start: 0, end: 0 })
}

fn failed(source: Source, problems: Vec<Problem>, exit: Exit) -> Failure {
    Failure { exit, source: Some(Box::new(source)), problems, known: Map::new() }
}
