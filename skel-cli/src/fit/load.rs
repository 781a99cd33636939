//! From the files to points, models that are given, and a graph, with everything that is wrong with them.

use std::path::Path;
use std::sync::Arc;

use serde_json::Map;
use skel::diagnostic::did_you_mean;
use skel::fit::graph::Graph;
use skel::fit::runs::{Point, Runs, RunsError};

use crate::arguments::FitArguments;
use crate::errors::{Exit, Failure, Problem};
use crate::input::read::read;
use crate::source::Source;

/// Everything that was read, and is right.
pub(super) struct Loaded {
    /// The points of the segments and machine types that were asked for.
    pub(super) timed: Option<Timed>,
    /// The points to compare with.
    pub(super) measured: Option<Timed>,
    pub(super) graph: Option<Graph>,
}

/// Points of a file.
pub(super) struct Timed {
    pub(super) name: String,
    pub(super) runs: usize,
    pub(super) points: Vec<Point>,
}

/// Reads and checks all files.
pub(super) fn load(arguments: &FitArguments) -> Result<Loaded, Failure> {
    let timed = arguments.path.as_deref().map(|path| timed(path, arguments)).transpose();
    let measured =
        arguments.measured.as_deref().map(|path| runs(path).map(|(name, runs)| Timed::of(name, &runs)));
    let graph = arguments.graph.as_deref().map(graph).transpose();
    let ((timed, measured), graph) =
        Failure::together(Failure::together(timed, measured.transpose()), graph)?;
    Ok(Loaded { timed, measured, graph })
}

impl Timed {
    fn of(name: String, runs: &Runs) -> Timed {
        Timed { name, runs: runs.iter().count(), points: runs.points() }
    }
}

/// The runs that models are fitted to.
fn timed(path: &Path, arguments: &FitArguments) -> Result<Timed, Failure> {
    let (name, all) = runs(path)?;
    let FitArguments { segment, machine, .. } = arguments;
    let mut problems = unknown(&name, "segment", segment, &all.segments());
    problems.extend(unknown(&name, "machine", machine, &all.machines()));
    let is_asked = |names: &[String], name: &String| names.is_empty() || names.contains(name);
    let chosen = all.iter().filter(|run| is_asked(segment, &run.segment) && is_asked(machine, &run.machine));
    let chosen: Vec<_> = chosen.cloned().collect();
    if problems.is_empty() && chosen.is_empty() {
        let message = format!("`{name}` has no run of these segments on these machine types");
        problems.push(Problem::error("no_runs", message).help("leave out `--segment` or `--machine`"));
    }
    if !problems.is_empty() {
        return Err(Failure { exit: Exit::CommandLine, source: None, problems, known: Map::new() });
    }
    let chosen = Runs::new(chosen)
        .map_err(|errors| Failure::new(Exit::Model, Problem::error("bad_runs", errors.to_string())))?;
    Ok(Timed::of(name, &chosen))
}

/// Names on the command line that no run has.
fn unknown(file: &str, option: &str, wanted: &[String], known: &[&str]) -> Vec<Problem> {
    let problem = |name: &String| {
        let help = match did_you_mean(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the file has {}", listed(known)),
        };
        let message = format!("`--{option} {name}`: no run of `{file}` has the {option} `{name}`");
        Problem::error("unknown_name", message).help(help)
    };
    wanted.iter().filter(|name| !known.contains(&name.as_str())).map(problem).collect()
}

fn listed(names: &[&str]) -> String {
    const MOST: usize = 12;
    let shown: Vec<String> = names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    let rest = names.len().saturating_sub(MOST);
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    shown.join(", ") + &more
}

/// The runs of a file of either form: an object begins a line of JSON, and no line of names.
fn runs(path: &Path) -> Result<(String, Runs), Failure> {
    let source = Arc::new(read(path)?);
    let text = source.text().trim_start_matches('\u{feff}');
    let read = match text.trim_start().starts_with('{') {
        true => Runs::from_json_lines(text),
        false => Runs::from_csv(text),
    };
    match read {
        Ok(runs) => Ok((source.name().to_owned(), runs)),
        Err(errors) => Err(bad_runs(&source, &errors)),
    }
}

fn bad_runs(source: &Arc<Source>, errors: &RunsError) -> Failure {
    let problem = |problem: &skel::fit::runs::RunProblem| {
        let place = source.span_of_line(problem.line);
        Problem::error("bad_runs", problem.message.clone())
            .at(place, "")
            .of(source)
            .help(problem.help.clone())
    };
    let mut problems: Vec<Problem> = errors.problems.iter().map(problem).collect();
    if errors.more > 0 {
        problems
            .push(Problem::error("bad_runs", format!("`{}` has {} more errors", source.name(), errors.more)));
    }
    Failure { exit: Exit::Model, source: None, problems, known: Map::new() }
}

fn graph(path: &Path) -> Result<Graph, Failure> {
    let source = Arc::new(read(path)?);
    Graph::from_text(source.text()).map_err(|findings| {
        let problems = findings.into_iter().map(|finding| Problem::from(finding).of(&source)).collect();
        Failure { exit: Exit::Model, source: None, problems, known: Map::new() }
    })
}
