//! What goes wrong, in one shape for excerpts and for JSON: from diagnostics, from errors, from the command line.

use std::process::ExitCode;

use serde_json::{Map, Value, json};
use skel::Error;
use skel::diagnostic::{Code, Diagnostic, Severity, TextSpan};
use skel::error::{Reached, Stopped};
use skel::limits::Limit;
use skel::model::BuildErrors;

use crate::figure::count;
use crate::source::Source;

/// How the command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The question has its answer.
    Answered = 0,
    /// The model is wrong.
    Model = 1,
    /// The command line is wrong, or a file cannot be read or written.
    CommandLine = 2,
    /// A limit was reached, or the work was cancelled.
    Limit = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// One error or warning.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// A stable word.
    pub(crate) code: &'static str,
    /// An error, or a warning.
    pub(crate) severity: Severity,
    /// What is wrong; further lines are details.
    pub(crate) message: String,
    /// What to do instead.
    pub(crate) help: Option<String>,
    /// Where in the model, if it is anywhere.
    pub(crate) place: Option<Place>,
}

/// A place in the model, and others that explain it.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The text at fault.
    pub(crate) span: TextSpan,
    /// A few words beside it; may be empty.
    pub(crate) label: String,
    /// Other places, with a few words each.
    pub(crate) related: Vec<(TextSpan, String)>,
}

impl Problem {
    /// An error without a place.
    pub(crate) fn error(code: &'static str, message: impl Into<String>) -> Problem {
        Problem { code, severity: Severity::Error, message: message.into(), help: None, place: None }
    }

    /// The same at a place in the model.
    pub(crate) fn at(mut self, span: TextSpan, label: impl Into<String>) -> Problem {
        self.place = Some(Place { span, label: label.into(), related: Vec::new() });
        self
    }

    /// The same with advice.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Problem {
        self.help = Some(help.into());
        self
    }

    /// Whether it is an error.
    pub(crate) fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// An entry of `errors` or `warnings` under `--json`.
    pub(crate) fn to_json(&self, source: Option<&Source>) -> Value {
        let place = source.zip(self.place.as_ref());
        let place = place.map(|(source, place)| source.line_and_column(place.span.start));
        json!({
            "code": self.code,
            "message": self.message,
            "line": place.map(|(line, _)| line),
            "column": place.map(|(_, column)| column),
            "help": self.help,
        })
    }
}

impl From<Diagnostic<TextSpan>> for Problem {
    fn from(diagnostic: Diagnostic<TextSpan>) -> Self {
        Problem {
            code: diagnostic.code.word(),
            severity: diagnostic.severity,
            message: diagnostic.message,
            help: diagnostic.help,
            place: Some(Place {
                span: diagnostic.span,
                label: diagnostic.label,
                related: diagnostic.related,
            }),
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// How the command ends.
    pub(crate) exit: Exit,
    /// The model's text, if it could be read.
    pub(crate) source: Option<Box<Source>>,
    /// Everything found, errors and warnings.
    pub(crate) problems: Vec<Problem>,
    /// What is known nevertheless, for `--json`.
    pub(crate) known: Map<String, Value>,
}

impl Failure {
    /// A failure for one reason.
    pub(crate) fn new(exit: Exit, problem: Problem) -> Failure {
        Failure { exit, source: None, problems: vec![problem], known: Map::new() }
    }

    /// A command line that cannot be read, in clap's words: its first paragraph, and its tips.
    pub(crate) fn of_command_line(error: &clap::Error) -> Failure {
        let text = error.to_string();
        let mut paragraphs = text.split("\n\n");
        let message = paragraphs.next().unwrap_or_default();
        let mut problem = Problem::error("command_line", message.strip_prefix("error: ").unwrap_or(message));
        let tips: Vec<&str> =
            text.lines().filter_map(|line| line.trim_start().strip_prefix("tip: ")).collect();
        let mut usage = || paragraphs.find(|paragraph| paragraph.starts_with("Usage: ")).map(str::to_owned);
        problem.help = if tips.is_empty() { usage() } else { Some(tips.join("; ")) };
        Failure::new(Exit::CommandLine, problem)
    }

    /// Why exploring or solving gave no answer. `system` is the place of the system equation.
    pub(crate) fn of_error(error: &Error, system: TextSpan) -> Failure {
        let message = error.to_string();
        match error {
            Error::NotBuilt(errors) => Failure::of_rates(errors),
            Error::NotWellDefined(_) => {
                let problem = Problem::error(Code::NotWellDefined.word(), message);
                Failure::new(Exit::Model, problem.at(system, "in this system"))
            }
            Error::Stopped(stopped) => Failure::of_limit(stopped, message),
            Error::SeveralRecurrentClasses(classes) => {
                let problem = Problem::error("several_recurrent_classes", classes.explanation()).help(
                    "give all but one a way out, or ask with `--long-run` for the average over where runs end",
                );
                Failure::new(Exit::Model, problem)
            }
            Error::NotIrreducible(failure) => {
                let code = if failure.is_deadlock { Code::Deadlock } else { Code::Reducible };
                Failure::new(Exit::Model, Problem::error(code.word(), message).at(system, ""))
            }
            Error::NotConverged(_) => {
                let problem = Problem::error("not_converged", message)
                    .help(
                    "solve exactly with `--exact`, make the model smaller or its rates less far apart, or allow a larger relative error with `--tolerance`",
                );
                Failure::new(Exit::Limit, problem)
            }
            // The names asked for are the model's own; what is left are results whose factor, with the rates
            // given by `--set`, is divided by zero.
            _ => Failure::new(Exit::CommandLine, Problem::error("no_value", message)),
        }
    }

    /// Adds a line to what is wrong.
    pub(crate) fn say(&mut self, more: &str) {
        if let Some(problem) = self.problems.last_mut() {
            problem.message.push_str("\n  ");
            problem.message.push_str(more);
        }
    }

    /// The rates that `--set` leaves without a usable value.
    pub(crate) fn of_rates(errors: &BuildErrors) -> Failure {
        let problems = errors.0.iter();
        let problems = problems
            .map(|error| Problem::error(error.code.word(), error.message.clone()).help(error.help.clone()));
        Failure { exit: Exit::CommandLine, source: None, problems: problems.collect(), known: Map::new() }
    }

    fn of_limit(stopped: &Stopped, message: String) -> Failure {
        let mut problem = Problem::error("limit_reached", message);
        let option = option_of(stopped.limit);
        problem.help = option.map(|option| format!("raise `{option}`, or make the model smaller"));
        let mut failure = Failure::new(Exit::Limit, problem);
        failure.known.insert("reached".into(), reached(stopped));
        failure
    }
}

/// The option that raises a limit.
pub(crate) fn option_of(limit: Limit) -> Option<&'static str> {
    match limit {
        Limit::States(_) => Some("--max-states"),
        Limit::Memory(_) => Some("--max-memory"),
        Limit::Time(_) => Some("--max-time"),
        _ => None,
    }
}

/// The limit and how far the work came, for `--json`.
fn reached(stopped: &Stopped) -> Value {
    let limit = match stopped.limit {
        Limit::States(_) => "states",
        Limit::Memory(_) => "memory",
        Limit::Time(_) => "time",
        Limit::Cancelled => "cancelled",
        _ => "other",
    };
    match stopped.reached {
        Reached::Exploring { states, transitions, waiting, unlumped } => json!({
            "limit": limit, "while": "exploring",
            "states": states, "transitions": transitions, "states_to_explore": waiting,
            "unlumped_states": count(unlumped),
        }),
        Reached::Foreseen { states } => json!({
            "limit": limit, "while": "foreseeing", "states": count(Some(states)),
        }),
        Reached::Refining { blocks, states } => json!({
            "limit": limit, "while": "refining", "blocks": blocks, "states": states,
        }),
        Reached::Eliminating { done, of } => json!({
            "limit": limit, "while": "eliminating", "states_eliminated": done, "states": of,
        }),
        Reached::TooDense { states } => json!({ "limit": limit, "while": "eliminating", "states": states }),
        Reached::Lifting { digits } => json!({ "limit": limit, "while": "lifting", "digits": digits }),
        Reached::Iterating { iterations, residual } => json!({
            "limit": limit, "while": "iterating", "iterations": iterations, "residual": residual,
        }),
        Reached::Preparing => json!({ "limit": limit, "while": "preparing" }),
        Reached::Solving { solved } => json!({ "limit": limit, "while": "solving", "solved": solved }),
    }
}
