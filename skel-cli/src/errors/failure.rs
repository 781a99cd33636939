//! Why the command has no answer, and with which exit code it ends.

use std::process::ExitCode;

use serde_json::{Map, Value};

use super::problem::Problem;
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
    /// A property does not hold.
    Fails = 4,
    /// No property fails, but one is undecided.
    Undecided = 5,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
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

    /// Two results, or what is wrong with both at once; the exit is that of the first that failed.
    pub(crate) fn together<A, B>(
        one: Result<A, Failure>,
        other: Result<B, Failure>,
    ) -> Result<(A, B), Failure> {
        match (one, other) {
            (Ok(one), Ok(other)) => Ok((one, other)),
            (Err(mut failure), other) => {
                failure.problems.extend(other.err().into_iter().flat_map(|failure| failure.problems));
                Err(failure)
            }
            (Ok(_), Err(failure)) => Err(failure),
        }
    }

    /// What is wrong with an answer that is known nevertheless: it was stopped early, or its figure could not
    /// be drawn. It may be nothing.
    pub(crate) fn of_answer(
        stopped: Option<Problem>,
        drawn: Result<(), Failure>,
        known: Map<String, Value>,
    ) -> Failure {
        let exit = match (&drawn, &stopped) {
            (Err(failure), _) => failure.exit,
            (Ok(()), Some(_)) => Exit::Limit,
            (Ok(()), None) => Exit::Answered,
        };
        let of_figure = drawn.err().into_iter().flat_map(|failure| failure.problems);
        Failure { exit, source: None, problems: stopped.into_iter().chain(of_figure).collect(), known }
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

    /// Says what to do instead.
    pub(crate) fn advise(&mut self, help: &str) {
        if let Some(problem) = self.problems.last_mut() {
            problem.help = Some(help.into());
        }
    }

    /// Adds a line to what is wrong.
    pub(crate) fn say(&mut self, more: &str) {
        if let Some(problem) = self.problems.last_mut() {
            problem.message.push_str("\n  ");
            problem.message.push_str(more);
        }
    }
}
