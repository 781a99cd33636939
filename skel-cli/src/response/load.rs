//! From the file and the flags to an answer.

use std::time::Instant;

use serde_json::{Map, Value};
use skel::Error;
use skel::response::{ItemPath, ResponseTimes};
use skel::skeleton::System;
use skel::syntax::directive::Requests;

use super::answer::{Answer, times};
use super::path::path;
use crate::arguments::ResponseArguments;
use crate::errors::{Exit, Failure, Problem};
use crate::input::foreign::is_skeleton;
use crate::input::load::{Loaded as Model, check};
use crate::input::read::read;
use crate::session::Session;
use crate::skeleton::load::{Loaded as Skeleton, of_source};
use crate::source::Source;

/// A question that can be answered.
pub(super) enum Prepared {
    Skeleton(Box<Skeleton>, Box<System>),
    Model(Box<Model>, ItemPath),
}

/// Reads and checks the file, a skeleton or a model, and what the command line says of it.
pub(super) fn load(arguments: &ResponseArguments) -> Result<Prepared, Failure> {
    let source = read(&arguments.program.path)?;
    if is_skeleton(&source) {
        let unfit = of_models(arguments);
        if !unfit.is_empty() {
            return Err(wrong(Some(source), unfit, Exit::CommandLine));
        }
        let skeleton = of_source(source, &arguments.program, None)?;
        let system = skeleton.lower_to_solve().map_err(|failure| skeleton.failure(failure))?;
        return Ok(Prepared::Skeleton(Box::new(skeleton), Box::new(system)));
    }
    let model = check(source, Requests::default(), &arguments.program.set)?;
    let unfit = of_skeletons(arguments);
    if !unfit.is_empty() {
        return Err(model.failure(wrong(None, unfit, Exit::CommandLine)));
    }
    match path(arguments, &model.model) {
        Ok(path) => Ok(Prepared::Model(Box::new(model), path)),
        Err(problems) => {
            let is_usage =
                problems.iter().any(|problem| matches!(problem.code, "missing_path" | "unclear_position"));
            let exit = if is_usage { Exit::CommandLine } else { Exit::Model };
            Err(model.failure(wrong(None, problems, exit)))
        }
    }
}

/// Options that say something of a model, which a skeleton says itself.
fn of_models(arguments: &ResponseArguments) -> Vec<Problem> {
    let given = [
        ("--in", !arguments.enters.is_empty()),
        ("--carry", !arguments.carry.is_empty()),
        ("--out", !arguments.leaves.is_empty()),
    ];
    let given = given.into_iter().filter(|(_, is_given)| *is_given);
    let problem = |(option, _)| {
        let message = format!("`{option}` is for PEPA models, and the file is a skeleton");
        Problem::error("not_for_skeletons", message)
            .help("leave it out: a skeleton says itself which way its items take")
    };
    given.map(problem).collect()
}

/// Options that say something of a skeleton.
fn of_skeletons(arguments: &ResponseArguments) -> Vec<Problem> {
    let program = &arguments.program;
    let given = [
        ("--communication", !program.communication.is_empty()),
        ("--buffers", !program.buffers.is_empty()),
        ("--one-port", program.one_port),
        ("--on", !program.on.is_empty()),
        ("--fit", program.fit),
        ("--literal", program.literal),
    ];
    let given = given.into_iter().filter(|(_, is_given)| *is_given);
    let problem = |(option, _)| {
        let message = format!("`{option}` is for skeletons, and the file is a PEPA model");
        Problem::error("not_for_models", message).help("leave it out: a model has all of it in its text")
    };
    given.map(problem).collect()
}

fn wrong(source: Option<Source>, problems: Vec<Problem>, exit: Exit) -> Failure {
    Failure { exit, source: source.map(Box::new), problems, known: Map::new() }
}

impl Prepared {
    pub(super) fn source(&self) -> &Source {
        match self {
            Prepared::Skeleton(skeleton, _) => &skeleton.source,
            Prepared::Model(model, _) => &model.source,
        }
    }

    pub(super) fn warnings(&self) -> &[Problem] {
        match self {
            Prepared::Skeleton(skeleton, _) => &skeleton.warnings,
            Prepared::Model(model, _) => &model.warnings,
        }
    }

    pub(super) fn warnings_json(&self) -> Value {
        match self {
            Prepared::Skeleton(skeleton, _) => skeleton.warnings_json(),
            Prepared::Model(model, _) => model.warnings_json(),
        }
    }

    /// A failure with the text that it belongs to.
    pub(super) fn failure(&self, failure: Failure) -> Failure {
        Failure { source: Some(Box::new(self.source().clone())), ..failure }
    }

    /// Explores and solves.
    pub(super) fn solve(&self, arguments: &ResponseArguments, session: &Session) -> Result<Answer, Failure> {
        let started = Instant::now();
        let mut question = match self {
            Prepared::Skeleton(_, system) => ResponseTimes::of_system(system),
            Prepared::Model(model, path) => ResponseTimes::of_model(&model.model, path),
        };
        question = question.limits(&session.limits);
        if let Some(tolerance) = arguments.time.tolerance {
            question = question.tolerance(tolerance);
        }
        if let Some(steps) = arguments.time.max_steps {
            question = question.most_steps(steps);
        }
        if arguments.time.unlumped {
            question = question.unlumped();
        }
        let answered = question.solve().and_then(|response| {
            let (time, inside) = times(&response, arguments)?;
            Ok(Answer {
                states: response.states_without_item(),
                states_with_item: response.states(),
                path: self.path(),
                time,
                inside,
                assumptions: self.assumptions(),
                solved_in: started.elapsed().as_secs_f64(),
            })
        });
        answered.map_err(|error| self.of_error(&error))
    }

    fn path(&self) -> Option<String> {
        match self {
            Prepared::Skeleton(..) => None,
            Prepared::Model(_, path) => Some(path.to_string()),
        }
    }

    fn assumptions(&self) -> Vec<String> {
        match self {
            Prepared::Skeleton(_, system) => system.assumptions(),
            Prepared::Model(..) => Vec::new(),
        }
    }

    /// What the library refuses: a question without an answer is the model's.
    fn of_error(&self, error: &Error) -> Failure {
        let Error::Unknown(message) = error else {
            return match self {
                Prepared::Skeleton(skeleton, _) => skeleton.failure_to_solve(error),
                Prepared::Model(model, _) => Failure::of_error(error, model.system),
            };
        };
        let (message, help) = match message.split_once("\nhelp: ") {
            Some((message, help)) => (message, Some(help)),
            None => (message.as_str(), None),
        };
        let problem = Problem::error("no_response_time", message);
        let problem = if let Some(help) = help { problem.help(help) } else { problem };
        Failure::new(Exit::Model, problem)
    }
}
