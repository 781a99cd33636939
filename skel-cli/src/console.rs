//! Where answers and problems go: answers to standard output, problems to standard error; with `--json` one
//! object to standard output, and nothing else anywhere.

use std::io::{self, BufWriter, StdoutLock, Write};

use anstream::{AutoStream, ColorChoice};
use serde_json::{Map, Value};

use crate::arguments::Color;
use crate::errors::{Exit, Failure, Problem, render};
use crate::report::words::counted;
use crate::source::Source;

/// The most problems that are shown to a person; a program gets them all.
const MOST_SHOWN: usize = 500;

/// How to show things.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Console {
    color: ColorChoice,
    /// Whether the answer is one JSON object.
    pub(crate) json: bool,
}

impl Console {
    /// A console as the command line wants it.
    pub(crate) fn new(color: Color, json: bool) -> Console {
        let color = match color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::AlwaysAnsi,
            Color::Never => ColorChoice::Never,
        };
        Console { color, json }
    }

    /// Shows a failure and what is known nevertheless.
    pub(crate) fn fail(&self, failure: Failure) -> io::Result<Exit> {
        let Failure { exit, source, problems, mut known } = failure;
        let problems: Vec<Problem> = problems.into_iter().map(Problem::in_brief).collect();
        if self.json {
            let (errors, warnings): (Vec<_>, Vec<_>) =
                problems.iter().partition(|problem| problem.is_error());
            let list = |problems: &[&Problem]| -> Value {
                problems.iter().map(|problem| problem.to_json(source.as_deref())).collect()
            };
            known.insert("warnings".into(), list(&warnings));
            known.insert("errors".into(), list(&errors));
            self.print_json(known)?;
        } else {
            self.show(&problems, source.as_deref())?;
        }
        Ok(exit)
    }

    /// Ends after an answer: with `--json` prints it, and shows what is wrong with it, if there is anything.
    pub(crate) fn conclude(&self, outcome: Failure) -> io::Result<Exit> {
        if !outcome.problems.is_empty() {
            return self.fail(outcome);
        }
        if self.json {
            self.print_json(outcome.known)?;
        }
        Ok(outcome.exit)
    }

    /// Shows warnings beside an answer; with `--json` they are part of the object.
    pub(crate) fn warn(&self, source: &Source, warnings: &[Problem]) -> io::Result<()> {
        let brief: Vec<Problem> = warnings.iter().cloned().map(Problem::in_brief).collect();
        if self.json { Ok(()) } else { self.show(&brief, Some(source)) }
    }

    /// Prints the one object of `--json`.
    pub(crate) fn print_json(&self, object: Map<String, Value>) -> io::Result<()> {
        let object = Value::Object(object);
        self.write_json(|out| Ok(serde_json::to_writer_pretty(out, &object)?))
    }

    /// As [`Self::print_json`], for an object that is written piece by piece.
    pub(crate) fn write_json(
        &self,
        write: impl FnOnce(&mut BufWriter<StdoutLock<'static>>) -> io::Result<()>,
    ) -> io::Result<()> {
        const BUFFER: usize = 1 << 16;
        let mut out = BufWriter::with_capacity(BUFFER, io::stdout().lock());
        write(&mut out)?;
        writeln!(out)?;
        out.flush()
    }

    /// Prints an answer for people.
    pub(crate) fn print(&self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        out.flush()
    }

    /// Prints what belongs beside an answer that a program reads.
    pub(crate) fn aside(&self, text: &str) -> io::Result<()> {
        let mut out = io::stderr().lock();
        out.write_all(text.as_bytes())?;
        out.flush()
    }

    /// All problems with their excerpts, and how many there are.
    fn show(&self, problems: &[Problem], source: Option<&Source>) -> io::Result<()> {
        if problems.is_empty() {
            return Ok(());
        }
        let mut out = BufWriter::new(AutoStream::new(io::stderr().lock(), self.color));
        for problem in problems.iter().take(MOST_SHOWN) {
            writeln!(out, "{}\n", render(problem, source))?;
        }
        if problems.len() > MOST_SHOWN {
            writeln!(out, "and {} more, which `--json` lists\n", problems.len() - MOST_SHOWN)?;
        }
        writeln!(out, "{}", count(problems))?;
        out.flush()
    }
}

/// A line on standard error when nothing better can be done.
pub(crate) fn last_words(text: &str) {
    // Standard error may be closed too, and there is nowhere left to say so.
    let _ = writeln!(io::stderr(), "{text}");
}

/// `2 errors, 1 warning`
fn count(problems: &[Problem]) -> String {
    let errors = problems.iter().filter(|problem| problem.is_error()).count();
    let kinds = [(errors, "error"), (problems.len() - errors, "warning")];
    let said = kinds.iter().filter(|(number, _)| *number > 0);
    said.map(|&(number, noun)| counted(number, noun)).collect::<Vec<_>>().join(", ")
}
