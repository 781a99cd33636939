//! From the file and the properties to answers.

use std::path::Path;
use std::sync::Arc;

use serde_json::Map;
use skel::csl::{Answer, Checked, Fractions, Query, parse, resolve_all};
use skel::diagnostic::{Code, Diagnostic, TextSpan};
use skel::limits::Limit;
use skel::model::Model;
use skel::model::brief::brief_state;
use skel::space::ToldApart;
use skel::{Error, Explore, StateSpace, space};

use super::answer::{Answered, Answers, Shown};
use crate::arguments::CslArguments;
use crate::errors::{Exit, Failure, Problem};
use crate::input::load::{Loaded, load as load_model};
use crate::input::read::read;
use crate::session::Session;
use crate::source::Source;

/// Questions that can be answered, and what is wrong with others.
pub(super) struct Prepared {
    pub(super) loaded: Loaded,
    queries: Vec<(Query, Arc<Source>)>,
    pub(super) problems: Vec<Problem>,
    /// How the command ends because of what is wrong.
    pub(super) exit: Option<Exit>,
}

/// Reads and checks the file and all properties.
pub(super) fn load(arguments: &CslArguments) -> Result<Prepared, Failure> {
    let (loaded, sources) =
        Failure::together(load_model(&arguments.file, &arguments.settings.set), sources(arguments))?;
    let mut prepared = Prepared { loaded, queries: Vec::new(), problems: Vec::new(), exit: None };
    for source in sources {
        let parsed = parse(source.text());
        let (queries, findings) = resolve_all(&parsed, &prepared.loaded.model);
        let queries = queries.into_iter().flatten();
        prepared.queries.extend(queries.map(|query| (query, Arc::clone(&source))));
        for finding in findings {
            let exit = exit_of(&finding);
            prepared.exit = prepared.exit.or(Some(exit));
            prepared.problems.push(Problem::from(finding).of(&source));
        }
    }
    if prepared.queries.is_empty() && prepared.problems.is_empty() {
        let problem = Problem::error("nothing_asked", "there is no property to check");
        let help =
            "write one behind the file, 'P=? [ F<=10 \"full\" ]', or name a file of them with `--properties`";
        return Err(Failure::new(Exit::CommandLine, problem.help(help)));
    }
    if prepared.queries.is_empty() {
        let Prepared { loaded, problems, exit, .. } = prepared;
        let exit = exit.unwrap_or(Exit::Model);
        return Err(loaded.failure(Failure { exit, source: None, problems, known: Map::new() }));
    }
    Ok(prepared)
}

/// A time or a probability that cannot be is the fault of who wrote the command; other findings are about the
/// model.
fn exit_of(finding: &Diagnostic<TextSpan>) -> Exit {
    match finding.code {
        Code::BadBound | Code::BadProperty => Exit::CommandLine,
        _ => Exit::Model,
    }
}

/// The texts of the properties: those on the command line, and the file of them.
fn sources(arguments: &CslArguments) -> Result<Vec<Arc<Source>>, Failure> {
    let written = arguments.property.iter().map(|text| Source::new("<property>", text.clone()));
    let mut sources: Vec<Arc<Source>> = written.map(Arc::new).collect();
    if let Some(path) = &arguments.properties {
        if path == Path::new("-") && arguments.file.path == Path::new("-") {
            let message = "`--properties`: standard input is the model already";
            return Err(Failure::new(Exit::CommandLine, Problem::error("command_line", message)));
        }
        sources.push(Arc::new(read(path)?));
    }
    Ok(sources)
}

/// Explores and checks. Equal parts are lumped, except those that a property tells apart.
pub(super) fn answer(
    prepared: &Prepared,
    arguments: &CslArguments,
    session: &Session,
) -> Result<Answers, Failure> {
    let system = prepared.loaded.system;
    let model = &prepared.loaded.model;
    let explore = |told_apart: ToldApart| -> Result<StateSpace<Model>, Failure> {
        let options =
            space::Options { is_lumped: !arguments.unlumped, told_apart, ..space::Options::default() };
        let explorer = model.explorer().options(&options).limits(&session.limits);
        explorer.explore().map_err(|error| Failure::of_error(&error, system))
    };
    let lumped = explore(ToldApart::default())?;
    let mut last: Option<(ToldApart, StateSpace<Model>)> = None;
    let mut answers = Answers { answers: Vec::new(), problems: Vec::new(), failed: None };
    let several = prepared.queries.len();
    for (number, (query, _)) in prepared.queries.iter().enumerate() {
        if several > 1 {
            session.work_on(format!("property {} of {several}: ", number + 1));
        }
        let told_apart = ToldApart::by_property(query, model);
        let space = match &last {
            _ if lumped.keeps(&told_apart) => &lumped,
            Some((told, space)) if *told == told_apart => space,
            _ => &last.insert((told_apart.clone(), explore(told_apart)?)).1,
        };
        match check(space, query, arguments, session) {
            Ok(checked) => answers.answers.push(Answered { states: shown(space, &checked), checked }),
            Err(Error::Stopped(stopped)) if stopped.limit == Limit::Cancelled => {
                return Err(Failure::of_error(&Error::Stopped(stopped), system));
            }
            Err(error) => {
                let mut failure = match error {
                    Error::Unknown(message) => Failure::new(Exit::Model, Problem::error("no_value", message)),
                    error => Failure::of_error(&error, system),
                };
                if several > 1 {
                    failure.say(&format!("in {query}"));
                }
                answers.failed = answers.failed.or(Some(failure.exit));
                answers.problems.extend(failure.problems);
            }
        }
    }
    Ok(answers)
}

fn check(
    space: &StateSpace<Model>,
    query: &Query,
    arguments: &CslArguments,
    session: &Session,
) -> Result<Checked, Error> {
    let mut checker = space.checker().limits(&session.limits);
    if arguments.exact {
        checker = checker.fractions(Fractions::Always);
    }
    if let Some(tolerance) = arguments.tolerance {
        checker = checker.tolerance(tolerance);
    }
    if let Some(steps) = arguments.max_steps {
        checker = checker.most_steps(steps);
    }
    checker.check(query)
}

/// The states of an answer for each of them, as they are shown.
fn shown(space: &StateSpace<Model>, checked: &Checked) -> Vec<Shown> {
    let Answer::States(states) = &checked.answer else { return Vec::new() };
    let shown = states.iter().map(|of| Shown {
        name: brief_state(space.model(), &space.state(of.state)),
        stands_for: space.stands_for(of.state),
    });
    shown.collect()
}
