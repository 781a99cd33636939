//! From the file and the flags to a model: read, check, set rates and sizes, explore where that is asked for.

use serde_json::Value;
use skel::diagnostic::{Code, Diagnostic, TextSpan};
use skel::model::Model;
use skel::syntax::directive::Requests;
use skel::text::{Parsed, parse_changed};

use super::foreign::not_pepa;
use super::read::read;
use crate::arguments::FileArguments;
use crate::errors::{Exit, Failure, Problem};
use crate::input::settings::with_settings;
use crate::quantity::Setting;
use crate::source::Source;

/// A model that passed its checks.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// Its text.
    pub(crate) source: Source,
    /// The model, with the rates and sizes of `--set`.
    pub(crate) model: Model,
    /// What the checks found worth a look.
    pub(crate) warnings: Vec<Problem>,
    /// The place of the system equation.
    pub(crate) system: TextSpan,
}

impl Loaded {
    /// The warnings for `--json`.
    pub(crate) fn warnings_json(&self) -> Value {
        self.warnings.iter().map(|warning| warning.to_json(Some(&self.source))).collect()
    }

    /// A failure later on, with the text and the warnings that belong to it.
    pub(crate) fn failure(self, mut failure: Failure) -> Failure {
        failure.problems.splice(0..0, self.warnings);
        Failure { source: Some(Box::new(self.source)), ..failure }
    }
}

/// Reads and checks a model and gives its rates and sizes the values of the command line.
pub(crate) fn load(arguments: &FileArguments, settings: &[Setting]) -> Result<Loaded, Failure> {
    let source = read(&arguments.path)?;
    let requests = Requests { allowed: arguments.allow.to_vec(), ..Requests::default() };
    check(source, requests, settings)
}

/// Checks a text, and explores the model where that is asked for, with the values of the command line.
pub(crate) fn check(
    source: Source,
    requests: Requests<TextSpan>,
    settings: &[Setting],
) -> Result<Loaded, Failure> {
    let (parsed, failure) = parse_changed(source.text(), requests, |model| match settings {
        [] => Ok(model),
        settings => with_settings(&model, settings),
    });
    let Parsed { system, model, diagnostics, .. } = parsed;
    let exit = exit_of(&diagnostics);
    let mut problems: Vec<Problem> = diagnostics.into_iter().map(Problem::from).collect();
    if let Some(failure) = failure {
        problems.extend(failure.problems);
        return Err(Failure { problems, source: Some(Box::new(source)), ..failure });
    }
    let end = TextSpan { start: source.text().len(), end: source.text().len() };
    let system = system.unwrap_or(end);
    match model {
        Some(model) => Ok(Loaded { source, model, warnings: problems, system }),
        None => {
            let (exit, problems) = match not_pepa(&source) {
                Some(problem) => (Exit::Model, vec![problem]),
                None => (exit, problems),
            };
            Err(Failure { exit, source: Some(Box::new(source)), problems, known: serde_json::Map::new() })
        }
    }
}

/// A model with more states than a check may explore is not wrong: the check reached its limit.
fn exit_of(diagnostics: &[Diagnostic<TextSpan>]) -> Exit {
    let mut errors = diagnostics.iter().filter(|found| found.is_error()).peekable();
    let reached_limit = errors.peek().is_some() && errors.all(|found| found.code == Code::TooManyStates);
    if reached_limit { Exit::Limit } else { Exit::Model }
}
