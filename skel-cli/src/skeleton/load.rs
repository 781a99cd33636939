//! From the file and the flags to a skeleton with its rates and processors.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Map, Value};
use skel::Error;
use skel::diagnostic::{Code, Diagnostic, TextSpan, did_you_mean};
use skel::rate::Rate;
use skel::skeleton::text::{Parsed, parse_in};
use skel::skeleton::{
    Buffers, Communication, Graph, Processors, Program, Reading, Replication, Stage, StageId, System, Tree,
};
use skel::time::FITTED;

use crate::arguments::ProgramArguments;
use crate::errors::{Exit, Failure, Problem, not_converged_help};
use crate::input::foreign::not_skeleton;
use crate::input::read::read;
use crate::input::settings::wrong_for_skeleton;
use crate::quantity::LinkRate;
use crate::source::Source;

/// A skeleton that passed its checks.
pub(crate) struct Loaded {
    /// Its text.
    pub(crate) source: Source,
    parsed: Parsed,
    /// The skeleton with the rates and processors of the text and of the flags.
    pub(crate) program: Program<Tree>,
    /// Its data flow.
    pub(super) graph: Graph,
    /// What is worth a look.
    pub(crate) warnings: Vec<Problem>,
}

/// Reads and checks a skeleton, and gives it the rates and processors of the command line.
/// `more` is the option that tries other numbers of replicas, if one does.
pub(super) fn load(arguments: &ProgramArguments, more: Option<&str>) -> Result<Loaded, Failure> {
    of_source(read(&arguments.path)?, arguments, more)
}

/// The same of a text that was read before.
pub(crate) fn of_source(
    source: Source,
    arguments: &ProgramArguments,
    more: Option<&str>,
) -> Result<Loaded, Failure> {
    let settings: Vec<(String, Rate)> =
        arguments.set.iter().map(|setting| (setting.name.clone(), setting.value.clone())).collect();
    let folder = arguments.path.parent().unwrap_or(Path::new(""));
    let parsed = parse_in(source.text(), &settings, folder);
    let wrong = wrong_for_skeleton(&parsed, &arguments.set);
    let Some(program) = parsed.program().filter(|_| wrong.is_empty()) else {
        if let Some(problem) = not_skeleton(&source) {
            return Err(failure(Exit::Model, Some(source), vec![problem]));
        }
        let is_set_wrong = !settings.is_empty() && parse_in(source.text(), &[], folder).tree.is_some();
        let exit = if is_set_wrong { Exit::CommandLine } else { Exit::Model };
        let problems = parsed.diagnostics.into_iter().map(Problem::from).chain(wrong).collect();
        return Err(failure(exit, Some(source), problems));
    };
    let reading = if arguments.literal { Reading::Literal } else { Reading::Corrected };
    let graph = match Graph::from_tree(program.skeleton(), reading) {
        Ok(graph) => graph,
        Err(finding) => return Err(failure(Exit::Model, Some(source), vec![parsed.placed(finding).into()])),
    };
    let wrong = wrong_flags(arguments, more, &parsed, &graph);
    if !wrong.is_empty() {
        return Err(failure(Exit::CommandLine, Some(source), wrong));
    }
    let buffers = match buffers(arguments, &parsed, program.skeleton()) {
        Ok(buffers) => buffers,
        Err(wrong) => return Err(failure(Exit::CommandLine, Some(source), wrong)),
    };
    let has_one_port = program.has_one_port() || arguments.one_port;
    let tree = if arguments.fit { program.skeleton().fitted() } else { program.skeleton().clone() };
    let program = Program::new(tree, communication(arguments, &parsed))
        .with_processors(processors(arguments))
        .with_reading(reading)
        .with_buffers(buffers);
    let program = if has_one_port { program.one_port() } else { program };
    let is_from_file = arguments.communication.iter().all(|given| given.link.is_some());
    let idle = if is_from_file { parsed.idle_links(&graph) } else { Vec::new() };
    let warnings = parsed.unused_names().iter().cloned().chain(idle).map(Problem::from).collect();
    Ok(Loaded { source, parsed, program, graph, warnings })
}

impl Loaded {
    /// The skeleton.
    pub(crate) fn tree(&self) -> &Tree {
        self.program.skeleton()
    }

    /// The PEPA model.
    pub(super) fn lower(&self) -> Result<System, Failure> {
        self.lowered(self.parsed.lower_program(&self.program))
    }

    /// What is solved: the PEPA model, and the moves that take no time.
    pub(crate) fn lower_to_solve(&self) -> Result<System, Failure> {
        self.lowered(self.parsed.lower_program_with_immediate_moves(&self.program))
    }

    fn lowered(&self, lowered: Result<System, Vec<Diagnostic<TextSpan>>>) -> Result<System, Failure> {
        lowered.map_err(|findings| {
            let are_flags = findings.iter().all(|finding| finding.code == Code::BadProcessors);
            let exit = if are_flags { Exit::CommandLine } else { Exit::Model };
            failure(exit, None, findings.into_iter().map(with_flags).collect())
        })
    }

    /// The nodes of the tasks of a name.
    pub(super) fn tasks_named(&self, name: &str) -> Vec<StageId> {
        let name_of = |id: StageId| self.tree().stage(id).task().and_then(|task| task.name.as_deref());
        let is_named = |id: &StageId| name_of(*id) == Some(name);
        self.tree().ids().filter(is_named).collect()
    }

    /// The warnings for `--json`.
    pub(crate) fn warnings_json(&self) -> Value {
        self.warnings.iter().map(|warning| warning.to_json(Some(&self.source))).collect()
    }

    /// A failure later on, with the text that it belongs to.
    pub(crate) fn failure(&self, failure: Failure) -> Failure {
        Failure { source: Some(Box::new(self.source.clone())), ..failure }
    }

    /// Why there is no performance.
    pub(crate) fn failure_to_solve(&self, error: &Error) -> Failure {
        let whole = self.parsed.place_of_whole();
        let mut failure = Failure::of_error(error, whole);
        for problem in &mut failure.problems {
            match error {
                Error::NotConverged(failure) => problem.help = Some(not_converged_help(failure, true)),
                Error::Stopped(_) => problem.help = problem.help.take().map(|_| self.of_limit(error)),
                Error::SeveralRecurrentClasses(_) | Error::NotIrreducible(_) => {
                    problem.help = Some(self.of_reducible().into());
                    *problem = problem.clone().at(whole, "");
                }
                _ => {}
            }
        }
        self.failure(failure)
    }

    /// What makes the chain smaller, as far as this program has it.
    fn of_limit(&self, error: &Error) -> String {
        let option = match error {
            Error::Stopped(stopped) => crate::errors::option_of(stopped.limit),
            _ => None,
        };
        let raise = option.map(|option| format!("raise `{option}`, or ")).unwrap_or_default();
        let is_deal =
            |stage: &Stage| matches!(stage, Stage::Replicated { replication: Replication::Deal, .. });
        let has_buffers = *self.program.buffer_capacities() != Buffers::default();
        let tasks = self.graph.tasks();
        let is_timed = self.program.communication().uniform_rate(tasks) != Some(None);
        let mut smaller = vec!["use fewer replicas"];
        if has_buffers {
            smaller.push("smaller buffers");
        }
        if self.tree().stages().iter().any(is_deal) {
            smaller.push("farms in place of deals (workers of a farm are lumped)");
        }
        if is_timed {
            smaller.push("`--communication none` if moves are fast");
        }
        format!("{raise}{}", smaller.join(", or "))
    }

    fn of_reducible(&self) -> &'static str {
        if self.is_literal() {
            "this is the paper's literal reading; without `--literal` items keep their order, and the skeleton goes on"
        } else {
            "please report this skeleton: its model should come back to every state"
        }
    }

    fn is_literal(&self) -> bool {
        self.program.reading() == Reading::Literal
    }
}

/// Diagnostics speak of the text and of Rust; this names the flag.
pub(crate) fn with_flags(finding: Diagnostic<TextSpan>) -> Problem {
    let code = finding.code;
    let problem = Problem::from(finding);
    match code {
        Code::MissingCommunication => problem.help(
            "give `--communication 1.0`, or write `communication(1.0);` in the file: moves per unit of time; or \
             `--communication none`, where moves take no time",
        ),
        Code::NegligibleCommunication => problem.help(
            "give `--communication 1e6`, say: a rate that is large beside those of the tasks; `--solve` needs none",
        ),
        Code::BadProcessors => Problem { place: None, ..problem },
        Code::NotPhaseType => {
            let help = problem.help.clone().map(|help| help.replace(FITTED, "`--fit`"));
            Problem { help, ..problem }
        }
        _ => problem,
    }
}

fn failure(exit: Exit, source: Option<Source>, problems: Vec<Problem>) -> Failure {
    Failure { exit, source: source.map(Box::new), problems, known: Map::new() }
}

/// The rates of the flags, and where they have none those of the text.
fn communication(arguments: &ProgramArguments, parsed: &Parsed) -> Communication {
    let given = &arguments.communication;
    let rated = given.iter().filter_map(|one| Some((one.link?, one.rate.clone()?)));
    let without_time = given.iter().filter(|one| one.rate.is_none()).filter_map(|one| one.link);
    let links = Communication::links(rated, None).or(Communication::negligible_on(without_time));
    match given.iter().find(|one| one.link.is_none()) {
        Some(LinkRate { rate: Some(rate), .. }) => links.or(Communication::everywhere(rate.clone())),
        Some(LinkRate { rate: None, .. }) => links.or(Communication::negligible()),
        None => links.or(parsed.communication.clone()),
    }
}

/// The buffers of the flags, and where there is no flag for all those of the text.
fn buffers(arguments: &ProgramArguments, parsed: &Parsed, tree: &Tree) -> Result<Buffers, Vec<Problem>> {
    let of_all: Vec<u32> =
        arguments.buffers.iter().filter(|one| one.before.is_none()).map(|one| one.items).collect();
    let mut wrong = Vec::new();
    if of_all.len() > 1 {
        let message = format!("`--buffers` is given for all buffers {} times", of_all.len());
        wrong.push(Problem::error("repeated_buffers", message).help("give it once"));
    }
    let named = || arguments.buffers.iter().filter_map(|one| one.before.as_deref());
    for name in named().collect::<BTreeSet<&str>>() {
        if named().filter(|other| *other == name).count() > 1 {
            let message = format!("`--buffers {name}=` is given several times");
            wrong.push(Problem::error("repeated_buffers", message).help("give it once"));
        }
    }
    let mut buffers =
        of_all.first().map_or_else(|| parsed.buffers.clone(), |&items| Buffers::everywhere(items));
    let names = tree.tasks().into_iter().map(|task| tree.name(task)).collect::<BTreeSet<String>>();
    for (name, items) in arguments.buffers.iter().filter_map(|one| Some((one.before.as_ref()?, one.items))) {
        if let Some(stage) = tree.task_named(name) {
            buffers = buffers.before(stage, items);
            continue;
        }
        let (message, help) =
            match (names.contains(name), did_you_mean(name, names.iter().map(String::as_str))) {
                (true, _) => (
                    format!("`--buffers {name}={items}`: several stages are named `{name}`"),
                    "give the stage a name of its own".to_owned(),
                ),
                (false, Some(near)) => (
                    format!("`--buffers {name}={items}`: no task is named `{name}`"),
                    format!("did you mean `{near}`?"),
                ),
                (false, None) => (
                    format!("`--buffers {name}={items}`: no task is named `{name}`"),
                    "name the task behind the buffer".to_owned(),
                ),
            };
        wrong.push(Problem::error(Code::BadBuffer.word(), message).help(help));
    }
    if wrong.is_empty() { Ok(buffers) } else { Err(wrong) }
}

fn processors(arguments: &ProgramArguments) -> Processors {
    let Some(last) = arguments.on.iter().max() else { return Processors::one_each() };
    let powers = match arguments.power.as_slice() {
        [] => vec![Rate::from(1); last + 1],
        powers => powers.to_vec(),
    };
    let assigned = Processors::assigned(powers, arguments.on.iter().copied());
    if arguments.undivided { assigned.undivided() } else { assigned }
}

/// Flags that do not fit the skeleton or one another.
fn wrong_flags(
    arguments: &ProgramArguments,
    more: Option<&str>,
    parsed: &Parsed,
    graph: &Graph,
) -> Vec<Problem> {
    let given = &arguments.communication;
    let mut wrong = repeated(given);
    for (from, to) in given.iter().filter_map(|one| one.link).filter(|link| !graph.has_move(link.0, link.1)) {
        let message = format!("`--communication {from}-{to}`: nothing moves from task {from} to task {to}");
        wrong.push(Problem::error(Code::IdleLink.word(), message).help(graph.destinations_in_words(from)));
    }
    wrong.extend(unused_numbers(&arguments.on, graph.tasks().max(arguments.power.len())));
    wrong.extend(more.and_then(|option| unfit_for_more(option, arguments, parsed)));
    wrong
}

/// Numbers of processors that leave others without a task: with one of each, there are fewer.
fn unused_numbers(on: &[usize], most: usize) -> Option<Problem> {
    let most = most.max(on.len());
    let processor = on.iter().find(|&&processor| processor >= most)?;
    let message = format!("`--on`: there is no processor {processor}, as no more than {most} are of use");
    let help = match most {
        1 => "the one processor has the number 0".to_owned(),
        _ => format!("processors are numbered from 0 to {}", most - 1),
    };
    Some(Problem::error(Code::BadProcessors.word(), message).help(help))
}

/// Rates that are given more than once.
fn repeated(given: &[LinkRate]) -> Vec<Problem> {
    let mut rates: BTreeMap<Option<(usize, usize)>, Vec<String>> = BTreeMap::new();
    for one in given {
        rates.entry(one.link).or_default().push(format!("`{}`", one.shown()));
    }
    let repeated = rates.into_iter().filter(|(_, rates)| rates.len() > 1);
    let problem = |(link, rates): (Option<(usize, usize)>, Vec<String>)| {
        let what = match link {
            None => "the communication rate of all moves".to_owned(),
            Some((from, to)) => format!("the communication rate from task {from} to task {to}"),
        };
        let message = format!("{what} is given as {}", rates.join(" and as "));
        Problem::error("repeated_rate", message).help("give it once")
    };
    repeated.map(problem).collect()
}

/// With a replica more, the tasks behind it have other numbers, so what is said by number has no meaning.
fn unfit_for_more(option: &str, arguments: &ProgramArguments, parsed: &Parsed) -> Option<Problem> {
    const HELP: &str = "give one rate for all moves, as `--communication 1.0`, or `--communication none`";
    let code = if option == "--gains" { "not_for_gains" } else { "not_for_target" };
    let given = &arguments.communication;
    let has_rate_of_all = given.iter().any(|one| one.link.is_none());
    let why = "a replica more gives the tasks other numbers";
    if !arguments.on.is_empty() {
        let message = format!("`{option}` cannot go with `--on`: {why}");
        return Some(Problem::error(code, message).help("leave one of the two out"));
    }
    if given.iter().any(|one| one.link.is_some()) {
        let message = format!("`{option}` cannot go with a communication rate of one link: {why}");
        return Some(Problem::error(code, message).help(HELP));
    }
    let has_buffers_of_all = arguments.buffers.iter().any(|one| one.before.is_none());
    if parsed.buffers.names_links() && !has_buffers_of_all {
        let message = format!("`{option}` cannot go with a buffer between two tasks by their numbers: {why}");
        let help = "say which stage is behind the buffer, by the name of its task: `buffers(\"write\", 4);`";
        return Some(Problem::error(code, message).help(help));
    }
    let (_, place) = parsed.links().first().filter(|_| !has_rate_of_all)?;
    let message = format!("`{option}` cannot go with communication rates of single links: {why}");
    Some(Problem::error(code, message).at(*place, "one link").help(HELP))
}
