//! From the file and the flags to an answer.

use std::sync::Arc;
use std::time::Instant;

use serde_json::Map;
use skel::csl::Predicate;
use skel::diagnostic::did_you_mean;
use skel::model::Model;
use skel::passage::{From, Passage, To};
use skel::space::ToldApart;
use skel::{Error, Explore, StateSpace, space};

use super::answer::Answer;
use crate::arguments::PassageArguments;
use crate::errors::{Exit, Failure, Problem};
use crate::input::load::{Loaded, load as load_model};
use crate::random_time::RandomTime;
use crate::session::Session;
use crate::solve::answer::Chain;
use crate::source::Source;

/// A question that can be answered.
pub(super) struct Prepared {
    pub(super) loaded: Loaded,
    from: End,
    to: End,
}

/// One end of the passage.
enum End {
    Initial,
    Actions(Vec<String>),
    Condition(Predicate),
}

/// Reads and checks the file, and both ends of the passage.
pub(super) fn load(arguments: &PassageArguments) -> Result<Prepared, Failure> {
    let loaded = load_model(&arguments.file, &arguments.settings.set)?;
    let from = match arguments.from.as_deref().map(str::trim) {
        Some("initial") => Ok(End::Initial),
        from => end(from, ("--from", "--from-action"), &arguments.from_action, &loaded.model),
    };
    let to = end(arguments.to.as_deref(), ("--to", "--to-action"), &arguments.to_action, &loaded.model);
    match Failure::together(from, to) {
        Ok((from, to)) => Ok(Prepared { loaded, from, to }),
        Err(failure) => Err(loaded.failure(failure)),
    }
}

/// One end, or all that is wrong with it.
fn end(
    condition: Option<&str>,
    (of_condition, of_actions): (&str, &str),
    actions: &[String],
    model: &Model,
) -> Result<End, Failure> {
    let problems: Vec<Problem> = match condition {
        Some(text) => match Predicate::parse(text, model) {
            Ok(predicate) => return Ok(End::Condition(predicate)),
            Err(rejected) => {
                let source = Arc::new(Source::new(of_condition, text.to_owned()));
                let findings = rejected.diagnostics().iter().cloned();
                findings.map(|finding| Problem::from(finding).of(&source)).collect()
            }
        },
        None => actions.iter().filter_map(|name| unknown_action(name.trim(), of_actions, model)).collect(),
    };
    if problems.is_empty() {
        return Ok(End::Actions(actions.iter().map(|name| name.trim().to_owned()).collect()));
    }
    Err(Failure { exit: Exit::Model, source: None, problems, known: Map::new() })
}

fn unknown_action(name: &str, option: &str, model: &Model) -> Option<Problem> {
    if model.action_named(name).is_some() {
        return None;
    }
    let problem = Problem::error("unknown_action", format!("`{option}`: the model has no action `{name}`"));
    let near = did_you_mean(name, model.actions().map(|(_, name)| name)).map(str::to_owned);
    Some(match near {
        Some(near) => problem.help(format!("did you mean `{near}`?")),
        None => problem.help("`skel solve` lists the actions that are done"),
    })
}

/// Explores and solves. Equal parts are lumped, except those that the passage tells apart.
pub(super) fn solve(
    prepared: &Prepared,
    arguments: &PassageArguments,
    session: &Session,
) -> Result<Answer, Failure> {
    let started = Instant::now();
    let system = prepared.loaded.system;
    let told_apart = told_apart(prepared);
    let explore = |is_lumped: bool| {
        let told_apart = told_apart.clone();
        let options = space::Options { is_lumped, told_apart, ..space::Options::default() };
        let explorer = prepared.loaded.model.explorer().options(&options).limits(&session.limits);
        explorer.explore().map_err(|error| Failure::of_error(&error, system))
    };
    let mut space = explore(!arguments.time.unlumped && !arguments.all_visits)?;
    let mut passage = asked(&space, prepared, arguments, session);
    // Names and conditions are the model's own, so what is refused may be known without lumping: of several
    // classes it may make one.
    if matches!(passage, Err(Error::Unknown(_))) && space.lumping().is_some() {
        space = explore(false)?;
        passage = asked(&space, prepared, arguments, session);
    }
    let answer = passage.and_then(|passage| answer(&space, &passage, arguments, started));
    answer.map_err(|error| failure(&error, prepared))
}

/// What lumping must not exchange, as the passage is about it.
fn told_apart(prepared: &Prepared) -> ToldApart {
    let model = &prepared.loaded.model;
    let of_end = |told_apart: ToldApart, end: &End| match end {
        End::Initial => told_apart,
        End::Actions(names) => told_apart.actions(names.iter().filter_map(|name| model.action_named(name))),
        End::Condition(condition) => told_apart.and(&ToldApart::by_condition(condition)),
    };
    of_end(of_end(ToldApart::default(), &prepared.from), &prepared.to)
}

fn asked(
    space: &StateSpace<Model>,
    prepared: &Prepared,
    arguments: &PassageArguments,
    session: &Session,
) -> Result<Passage<Model>, Error> {
    let from = match &prepared.from {
        End::Initial => From::initial(),
        End::Actions(actions) => From::actions(actions),
        End::Condition(condition) => From::states(condition.clone()),
    };
    let to = match &prepared.to {
        End::Actions(actions) => To::actions(actions),
        End::Condition(condition) => To::states(condition.clone()),
        End::Initial => unreachable!("only a beginning is `initial`"),
    };
    let mut passages = space.passages(from, to).limits(&session.limits);
    if arguments.every {
        passages = passages.every();
    }
    if arguments.all_visits {
        passages = passages.all_visits();
    }
    if let Some(tolerance) = arguments.time.tolerance {
        passages = passages.tolerance(tolerance);
    }
    if let Some(steps) = arguments.time.max_steps {
        passages = passages.most_steps(steps);
    }
    passages.solve()
}

/// What the library refuses: a question without an answer is the model's.
fn failure(error: &Error, prepared: &Prepared) -> Failure {
    let Error::Unknown(message) = error else {
        let mut failure = Failure::of_error(error, prepared.loaded.system);
        if matches!(error, Error::NotConverged(_)) {
            failure.advise("ask for fractions with `--exact`, or make the rates less far apart");
        }
        return failure;
    };
    let (message, help) = match message.split_once("\nhelp: ") {
        Some((message, help)) => (message, Some(help)),
        None => (message.as_str(), None),
    };
    let problem = Problem::error("no_passage", message);
    let problem = if let Some(help) = help { problem.help(help) } else { problem };
    Failure::new(Exit::Model, problem)
}

fn answer(
    space: &StateSpace<Model>,
    passage: &Passage<Model>,
    arguments: &PassageArguments,
    started: Instant,
) -> Result<Answer, Error> {
    Ok(Answer {
        chain: Chain::of_space(space),
        from: passage.from().to_owned(),
        to: passage.to().to_owned(),
        way: passage.way(),
        states: passage.states(),
        is_over_at_once: passage.is_over_at_once(),
        time: RandomTime::of(passage, &arguments.time, &arguments.quantile)?,
        solved_in: started.elapsed().saturating_sub(space.explored_in()).as_secs_f64(),
    })
}
