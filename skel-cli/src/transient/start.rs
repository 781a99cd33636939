//! Where the model begins: `--from` and `--from-file`.

use std::path::Path;
use std::sync::Arc;

use serde_json::Map;
use skel::csl::Predicate;
use skel::model::Model;

use crate::arguments::TransientArguments;
use crate::errors::{Exit, Failure, Problem};
use crate::input::read::read;
use crate::source::Source;

/// Where the model begins.
pub(super) enum Start {
    /// In its initial state.
    Initial,
    /// In the states in which a condition holds.
    Condition(Predicate),
    /// In each state with a weight.
    Weights(Vec<f64>),
}

/// Reads what the flags say.
pub(super) fn read_start(arguments: &TransientArguments, model: &Model) -> Result<Start, Failure> {
    match (&arguments.from, &arguments.from_file) {
        (Some(text), _) => Ok(Start::Condition(condition(text, model)?)),
        (None, Some(path)) => Ok(Start::Weights(weights(path)?)),
        (None, None) => Ok(Start::Initial),
    }
}

/// A condition on states; all that is wrong with it, with its place.
fn condition(text: &str, model: &Model) -> Result<Predicate, Failure> {
    Predicate::parse(text, model).map_err(|rejected| {
        let source = Arc::new(Source::new("--from", text.to_owned()));
        let findings = rejected.diagnostics().iter().cloned();
        let problems = findings.map(|finding| Problem::from(finding).of(&source)).collect();
        Failure { exit: Exit::Model, source: None, problems, known: Map::new() }
    })
}

/// A column of weights.
fn weights(path: &Path) -> Result<Vec<f64>, Failure> {
    let source = Arc::new(read(path)?);
    let mut problems = Vec::new();
    let mut weights = Vec::new();
    for (number, line) in source.text().lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match line.parse::<f64>() {
            Ok(weight) if weight.is_finite() && weight >= 0.0 => weights.push(weight),
            _ => {
                let problem = Problem::error("wrong_weights", format!("`{line}` is no weight"));
                let place = source.span_of_line(number + 1);
                problems.push(
                    problem
                        .at(place, "a weight is a number, and not negative")
                        .of(&source)
                        .help("write one number on each line, for the states in the order of `skel derive`"),
                );
            }
        }
    }
    if problems.is_empty() && weights.iter().all(|&weight| weight == 0.0) {
        let message = format!("`{}` has no weight above 0", path.display());
        problems.push(Problem::error("wrong_weights", message).help("give at least one state a weight"));
    }
    if problems.is_empty() {
        return Ok(weights);
    }
    Err(Failure { exit: Exit::CommandLine, source: None, problems, known: Map::new() })
}
