//! From the files to what a manager looks at, and to the rules by which it decides.

use std::path::Path;

use serde_json::{Map, Value};
use skel::diagnostic::did_you_mean;
use skel::manage::rule::Rules;
use skel::manage::simulate::Simulation;
use skel::manage::{Recording, RecordingErrors};
use skel::skeleton::text::parse_in;
use skel::skeleton::{Communication, Program, Tree};

use crate::arguments::ManageArguments;
use crate::errors::{Exit, Failure, Problem};
use crate::input::foreign::not_skeleton;
use crate::input::read::read;
use crate::quantity::LoadOf;
use crate::source::Source;

/// Everything that was read, and is right.
pub(super) struct Loaded {
    /// The name of the file of what is watched.
    pub(super) name: String,
    pub(super) target: Target,
    pub(super) rules: Rules,
    /// The text of the program, if it was read from a file of its own.
    pub(super) source: Option<Source>,
    /// What is worth a look in it.
    pub(super) warnings: Vec<Problem>,
}

/// What is watched.
pub(super) enum Target {
    /// A program in virtual time.
    Simulated(Box<Simulation>),
    /// A run that was.
    Recorded(Box<Recording>),
}

/// A program that was read.
struct Read {
    source: Source,
    program: Program<Tree>,
    warnings: Vec<Problem>,
}

/// Reads and checks everything. What is wrong with the rules is shown with their text; what is wrong with
/// another file besides is said in words.
pub(super) fn load(arguments: &ManageArguments) -> Result<Loaded, Failure> {
    let path = arguments.path.as_deref().or(arguments.program.as_deref());
    let rules = arguments.rules.as_deref().map_or_else(|| Ok(Rules::predefined()), rules);
    let program = path.map(program).transpose();
    let recording = arguments.replay.as_deref().map(recording).transpose();
    let failures = [rules.as_ref().err(), program.as_ref().err(), recording.as_ref().err()];
    if let Some(failure) = joined(failures.into_iter().flatten()) {
        return Err(failure);
    }
    let (rules, program, recording) = (rules?, program?, recording?);
    let name = match (&arguments.replay, &program) {
        (Some(path), _) => path.display().to_string(),
        (None, Some(read)) => read.source.name().to_owned(),
        (None, None) => String::new(),
    };
    let (source, warnings, program) = match program {
        Some(Read { source, program, warnings }) => (Some(source), warnings, Some(program)),
        None => (None, Vec::new(), None),
    };
    let target = match (recording, program) {
        (Some(recording), program) => Target::Recorded(Box::new(complete(recording, program, &name)?)),
        (None, Some(program)) => Target::Simulated(Box::new(simulation(&program, arguments)?)),
        (None, None) => unreachable!("the command line demands a file or a recording"),
    };
    let loaded = Loaded { name, target, rules, source, warnings };
    loaded.with_stages_of_rules()
}

impl Loaded {
    /// The warnings for `--json`.
    pub(super) fn warnings_json(&self) -> Value {
        self.warnings.iter().map(|warning| warning.to_json(self.source.as_ref())).collect()
    }

    /// Whether the program has the stages that rules look at.
    fn with_stages_of_rules(self) -> Result<Self, Failure> {
        use skel::manage::Actuators;
        let program = match &self.target {
            Target::Simulated(simulation) => Some(simulation.program()),
            Target::Recorded(recording) => recording.program.clone(),
        };
        let Some(program) = program else { return Ok(self) };
        let problems: Vec<Problem> = self
            .rules
            .unknown_stages(program.skeleton())
            .into_iter()
            .map(|problem| Problem::error("unknown_task", problem))
            .collect();
        match problems.is_empty() {
            true => Ok(self),
            false => Err(failure(Exit::Model, None, problems)),
        }
    }
}

fn rules(path: &Path) -> Result<Rules, Failure> {
    let source = read(path)?;
    Rules::predefined().with_toml(source.text()).map_err(|errors| {
        let problems = errors.diagnostics().iter().cloned().map(Problem::from).collect();
        failure(Exit::Model, Some(source), problems)
    })
}

/// A program. Where the file says nothing of moves, they take no time, as in a run.
fn program(path: &Path) -> Result<Read, Failure> {
    let source = read(path)?;
    let parsed = parse_in(source.text(), &[], path.parent().unwrap_or(Path::new("")));
    let Some(program) = parsed.program() else {
        let problems = match not_skeleton(&source) {
            Some(problem) => vec![problem],
            None => parsed.diagnostics.into_iter().map(Problem::from).collect(),
        };
        return Err(failure(Exit::Model, Some(source), problems));
    };
    let communication = program.communication().clone().or(Communication::negligible());
    let warnings = parsed.unused_names().iter().cloned().map(Problem::from).collect();
    Ok(Read { program: program.with_communication(communication), source, warnings })
}

fn recording(path: &Path) -> Result<Recording, Failure> {
    let source = read(path)?;
    let name = source.name();
    Recording::from_json_lines(source.text()).map_err(|errors| {
        let lines = match &errors {
            RecordingErrors::Snapshots(errors) => errors.all().iter().map(ToString::to_string).collect(),
            other => vec![other.to_string()],
        };
        let problem = |line: String| Problem::error("bad_recording", format!("`{name}`: {line}"));
        failure(Exit::Model, None, lines.into_iter().map(problem).collect())
    })
}

/// The recording with its program: the one that is given, if one is.
fn complete(recording: Recording, program: Option<Program<Tree>>, name: &str) -> Result<Recording, Failure> {
    let Some(program) = program.or(recording.program) else {
        let problem = Problem::error("bad_recording", format!("`{name}` does not say what its program is"));
        let help = "give the program with `--program program.skel`: its skeleton as it ran, with the numbers of replicas at the beginning";
        return Err(Failure::new(Exit::CommandLine, problem.help(help)));
    };
    let recording = Recording { program: None, ..recording };
    match recording.fits(&program) {
        Ok(()) => Ok(Recording { program: Some(program), ..recording }),
        Err(other) => {
            Err(Failure::new(Exit::Model, Problem::error("bad_recording", format!("`{name}`: {other}"))))
        }
    }
}

fn simulation(program: &Program<Tree>, arguments: &ManageArguments) -> Result<Simulation, Failure> {
    let simulation = Simulation::of(program);
    let tree = program.skeleton();
    let tasks = || arguments.load.iter().map(|of| (tree.task_named(&of.task), of));
    let unknown = tasks().filter(|(task, _)| task.is_none());
    let mut problems: Vec<Problem> = unknown.map(|(_, of)| unknown_task(tree, &of.task)).collect();
    problems.extend(repeated(&arguments.load));
    if let Err(not) = &simulation {
        problems.extend(not.to_string().lines().map(|line| Problem::error("not_simulated", line)));
    }
    let (Ok(simulation), true) = (simulation, problems.is_empty()) else {
        return Err(failure(Exit::CommandLine, None, problems));
    };
    let loads = tasks().filter_map(|(task, of)| Some((task?, of)));
    Ok(loads.fold(simulation.seed(arguments.seed), |simulation, (task, of)| {
        simulation.load(task, of.load.clone())
    }))
}

/// No single task has this name.
fn unknown_task(tree: &Tree, name: &str) -> Problem {
    let names: Vec<String> = tree.leaves().map(|id| tree.name(id)).collect();
    let (message, help) = match did_you_mean(name, names.iter().map(String::as_str)) {
        _ if names.iter().any(|known| known == name) => {
            (format!("`--load {name}: ...`: several tasks are named `{name}`"), "give the task a name of its own".to_owned())
        }
        Some(near) => (format!("`--load {name}: ...`: no task is named `{name}`"), format!("did you mean `{near}`?")),
        None => (
            format!("`--load {name}: ...`: no task is named `{name}`"),
            "name a task of the program; one without a name gets one as its first argument, `task(\"read\", 10ms)`".to_owned(),
        ),
    };
    Problem::error("unknown_task", message).help(help)
}

/// Tasks that have two loads.
fn repeated(loads: &[LoadOf]) -> Vec<Problem> {
    let is_repeated =
        |(place, load): &(usize, &LoadOf)| loads[..*place].iter().any(|other| other.task == load.task);
    let again = loads.iter().enumerate().filter(is_repeated);
    let problem = |(_, load): (usize, &LoadOf)| {
        let message = format!("`--load {}: ...` is given several times", load.task);
        Problem::error("repeated_load", message)
            .help("give all changes of a task in one, as `sharpen: 60s x2, 120s x1`")
    };
    again.map(problem).collect()
}

/// All that is wrong with several files. The first of them is shown; of the others only the words are.
fn joined<'f>(mut failures: impl Iterator<Item = &'f Failure>) -> Option<Failure> {
    let mut joined = failures.next()?.clone();
    for failure in failures {
        let source = failure.source.as_deref();
        joined.problems.extend(failure.problems.iter().map(|problem| in_words(problem, source)));
    }
    Some(joined)
}

/// A problem with its place in words.
fn in_words(problem: &Problem, source: Option<&Source>) -> Problem {
    let mut problem = problem.clone();
    if let (Some(source), Some(place)) = (source, problem.place.take()) {
        let (line, column) = source.line_and_column(place.span.start);
        problem.message = format!("{}:{line}:{column}: {}", source.name(), problem.message);
    }
    problem
}

fn failure(exit: Exit, source: Option<Source>, problems: Vec<Problem>) -> Failure {
    Failure { exit, source: source.map(Box::new), problems, known: Map::new() }
}
