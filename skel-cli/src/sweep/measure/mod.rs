//! `--keep MEASURE`: what is asked at each point, as columns.

mod of_model;
mod of_skeleton;

use skel::diagnostic::did_you_mean;

use crate::errors::Problem;
use crate::input::settings::listed;
pub(super) use of_model::{OfModel, of_model};
pub(super) use of_skeleton::{OfSkeleton, of_skeleton};

/// What a number measures: its axis in a figure, and what may share that axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// How often something is done.
    Rate,
    /// A part of the time.
    Probability,
    /// A mean number of things.
    Count,
    /// A mean time.
    Time,
    /// Whatever a result line says.
    Value,
    /// No number but a word.
    Word,
}

/// A measure with the name that it has in answers.
pub(super) struct Column<K> {
    pub(super) name: String,
    pub(super) unit: Unit,
    kind: K,
}

/// A number or a word of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    Number(f64),
    Word(String),
}

/// What all of them stand for, each once; or all that stand for nothing.
fn collected<T>(
    kept: &[String],
    read: impl Fn(&str) -> Result<Vec<T>, Box<Problem>>,
) -> Result<Vec<T>, Vec<Problem>> {
    let (mut all, mut wrong) = (Vec::new(), Vec::new());
    let mut seen: Vec<&str> = Vec::new();
    for written in kept {
        if seen.contains(&written.trim()) {
            continue;
        }
        seen.push(written.trim());
        match read(written) {
            Ok(measures) => all.extend(measures),
            Err(problem) => wrong.push(*problem),
        }
    }
    if wrong.is_empty() { Ok(all) } else { Err(wrong) }
}

/// What is wrong with a `--keep`, and what to write instead.
fn unknown(written: &str, what: &str, help: String) -> Box<Problem> {
    Box::new(Problem::error("unknown_measure", format!("`--keep {written}`: {what}")).help(help))
}

/// The name that was probably meant, with what stands behind it, or all that there are.
fn nearest(name: &str, behind: &str, names: &[&str], all: &str) -> String {
    match did_you_mean(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}{behind}`?"),
        None => format!("{all} {}", listed(names.iter().copied())),
    }
}
