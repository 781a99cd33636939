//! From the file and the flags to a model: read, check, set rates.

use std::collections::BTreeMap;

use serde_json::Value;
use skel::diagnostic::{Code, Diagnostic, TextSpan, did_you_mean};
use skel::model::Model;
use skel::syntax::ast::Process;
use skel::syntax::directive::Requests;
use skel::text::{Parsed, parse_with};

use super::foreign::not_pepa;
use super::read::read;
use crate::arguments::FileArguments;
use crate::errors::{Exit, Failure, Problem};
use crate::quantity::Setting;
use crate::source::Source;

/// A model that passed its checks.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// Its text.
    pub(crate) source: Source,
    /// The model, with the rates of `--set`.
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

/// Reads and checks a model and gives its rates the values of the command line.
pub(crate) fn load(arguments: &FileArguments, settings: &[Setting]) -> Result<Loaded, Failure> {
    let source = read(&arguments.path)?;
    let requests = Requests { allowed: arguments.allow.to_vec(), ..Requests::default() };
    let mut loaded = check(source, requests)?;
    match with_settings(&loaded.model, settings) {
        Ok(model) => {
            loaded.model = model;
            Ok(loaded)
        }
        Err(failure) => Err(loaded.failure(failure)),
    }
}

/// Checks a text.
pub(crate) fn check(source: Source, requests: Requests<TextSpan>) -> Result<Loaded, Failure> {
    let Parsed { ast, model, diagnostics, .. } = parse_with(source.text(), requests);
    let exit = exit_of(&diagnostics);
    let problems: Vec<Problem> = diagnostics.into_iter().map(Problem::from).collect();
    let end = TextSpan { start: source.text().len(), end: source.text().len() };
    let system = ast.system.as_ref().map_or(end, Process::span);
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

/// The model with other values of named rates, or everything that is wrong with these.
fn with_settings(model: &Model, settings: &[Setting]) -> Result<Model, Failure> {
    let mut changes = Vec::new();
    let mut wrong = repeated(settings);
    for setting in settings {
        match model.parameter_named(&setting.name) {
            Some(id) => changes.push((id, setting.value.clone())),
            None => wrong.push(unknown_rate(model, &setting.name)),
        }
    }
    let outcome = model.with_rates(&changes).map_err(|errors| Failure::of_rates(&errors));
    if wrong.is_empty() {
        return outcome;
    }
    wrong.extend(outcome.err().into_iter().flat_map(|failure| failure.problems));
    Err(Failure { exit: Exit::CommandLine, source: None, problems: wrong, known: serde_json::Map::new() })
}

/// Rates that are set more than once, each with its values.
fn repeated(settings: &[Setting]) -> Vec<Problem> {
    let mut values: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for setting in settings {
        values.entry(&setting.name).or_default().push(format!("`{}`", setting.value));
    }
    let repeated = values.into_iter().filter(|(_, values)| values.len() > 1);
    let problem = |(name, values): (&str, Vec<String>)| {
        let message = format!("the rate `{name}` is set to {}", values.join(" and to "));
        Problem::error("repeated_rate", message).help("set it once")
    };
    repeated.map(problem).collect()
}

fn unknown_rate(model: &Model, name: &str) -> Problem {
    let names = || model.parameters().iter().map(|parameter| parameter.name.as_str());
    let help = match did_you_mean(name, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if names().len() == 0 => "the model has no named rates: its rates are numbers".into(),
        None => format!("its named rates are {}", listed(names())),
    };
    Problem::error("unknown_rate", format!("the model has no rate `{name}` to set")).help(help)
}

/// The first few names, in words.
fn listed<'n>(mut names: impl ExactSizeIterator<Item = &'n str>) -> String {
    const MOST: usize = 10;
    let shown: Vec<String> = names.by_ref().take(MOST).map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
