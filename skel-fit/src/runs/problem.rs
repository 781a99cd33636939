//! What is wrong with runs.

use std::fmt;

/// What is wrong with one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunProblem {
    /// The line of the text, or the place of the run, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

impl fmt::Display for RunProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}; help: {}", self.line, self.message, self.help)
    }
}

/// How many problems are told one by one.
const TOLD: usize = 20;

/// Everything that is wrong with some runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunsError {
    /// The first problems.
    pub problems: Vec<RunProblem>,
    /// How many more there are.
    pub more: usize,
}

impl RunsError {
    /// The value, if there are no problems.
    pub(super) fn or<T>(problems: impl IntoIterator<Item = RunProblem>, value: T) -> Result<T, RunsError> {
        let mut problems: Vec<RunProblem> = problems.into_iter().collect();
        let more = problems.len().saturating_sub(TOLD);
        problems.truncate(TOLD);
        if problems.is_empty() { Ok(value) } else { Err(RunsError { problems, more }) }
    }
}

impl fmt::Display for RunsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{problem}")?;
        }
        match self.more {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl std::error::Error for RunsError {}
