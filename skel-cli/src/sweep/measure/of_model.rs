//! Measures of a model.

use skel::model::{ActionId, Model};
use skel::{Error, SteadyState};

use super::{Cell, Column, Unit, collected, nearest, unknown};
use crate::errors::Problem;
use crate::solve::visible::visible_actions;

/// A measure of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::sweep) enum OfModel {
    Throughput(String),
    Utilisation(String),
    Population(String),
    Result(String),
}

impl OfModel {
    fn column(self) -> Column<OfModel> {
        let (name, unit) = match &self {
            OfModel::Throughput(name) => (format!("throughput:{name}"), Unit::Rate),
            OfModel::Utilisation(name) => (format!("utilisation:{name}"), Unit::Probability),
            OfModel::Population(name) => (format!("population:{name}"), Unit::Count),
            OfModel::Result(name) => (name.clone(), Unit::Value),
        };
        Column { name, unit, kind: self }
    }
}

impl Column<OfModel> {
    /// The figure of a point.
    pub(in crate::sweep) fn ask(&self, solution: &SteadyState<Model, f64>) -> Result<Cell, Error> {
        Ok(Cell::Number(match &self.kind {
            OfModel::Throughput(name) => solution.throughput_named(name)?,
            OfModel::Utilisation(name) => solution.utilisation_named(name)?,
            OfModel::Population(name) => solution.population_named(name)?,
            OfModel::Result(name) => solution.result_named(name)?,
        }))
    }
}

/// The columns of a model, or every measure that it does not have.
pub(in crate::sweep) fn of_model(
    kept: &[String],
    model: &Model,
) -> Result<Vec<Column<OfModel>>, Vec<Problem>> {
    let measures = match kept {
        [] => Ok(default(model)),
        kept => collected(kept, |name| named(name, model)),
    };
    measures.map(|measures| measures.into_iter().map(OfModel::column).collect())
}

/// The most throughputs that are shown where nothing is asked for.
const MOST_BY_DEFAULT: usize = 6;

/// All results; without any, the throughputs that the system shows, but no more than fit beside one another.
fn default(model: &Model) -> Vec<OfModel> {
    let results: Vec<OfModel> =
        model.results().iter().map(|line| OfModel::Result(line.name.clone())).collect();
    if !results.is_empty() {
        return results;
    }
    let visible = visible_actions(model);
    let shown = model.actions().filter(|(id, _)| visible[id.index()]).take(MOST_BY_DEFAULT);
    shown.map(|(_, name)| OfModel::Throughput(name.to_owned())).collect()
}

/// The kinds of measures that are written before a name.
const KINDS: [&str; 4] = ["throughput", "utilisation", "population", "result"];

/// What a `--keep` stands for; a name alone may stand for several things, and is all of them.
fn named(written: &str, model: &Model) -> Result<Vec<OfModel>, Box<Problem>> {
    let (kind, name) = match written.split_once(':') {
        Some((kind, name)) if KINDS.contains(&kind.trim()) => (Some(kind.trim()), name.trim()),
        Some((kind, name)) if !has_name(model, written) => {
            let help = nearest(kind.trim(), &format!(":{name}"), &KINDS, "the measures are");
            return Err(unknown(written, &format!("there is no measure `{kind}`"), help));
        }
        _ => (None, written.trim()),
    };
    let wants = |wanted: &str| kind.is_none_or(|kind| kind == wanted);
    let mut found = Vec::new();
    if let Some(action) = model.action_named(name).filter(|_| wants("throughput")) {
        if action != ActionId::TAU && !visible_actions(model)[action.index()] {
            return Err(hidden(written, name));
        }
        found.push(OfModel::Throughput(name.to_owned()));
    }
    if model.local_state_named(name).is_some() {
        if wants("population") {
            found.push(OfModel::Population(name.to_owned()));
        }
        if kind == Some("utilisation") {
            found.push(OfModel::Utilisation(name.to_owned()));
        }
    }
    if wants("result") && model.results().iter().any(|line| line.name == name) {
        found.push(OfModel::Result(name.to_owned()));
    }
    if found.is_empty() { Err(nothing_named(written, kind, name, model)) } else { Ok(found) }
}

fn has_name(model: &Model, name: &str) -> bool {
    model.action_named(name).is_some()
        || model.local_state_named(name).is_some()
        || model.results().iter().any(|line| line.name == name)
}

fn hidden(written: &str, name: &str) -> Box<Problem> {
    let message =
        format!("`--keep {written}`: `{name}` is hidden wherever it is done, so it is counted under `tau`");
    let help = "keep `throughput:tau`, which counts all hidden actions, or do not hide it";
    Box::new(Problem::error("hidden_measure", message).help(help))
}

fn nothing_named(written: &str, kind: Option<&str>, name: &str, model: &Model) -> Box<Problem> {
    let actions = || model.actions().map(|(_, name)| name).filter(|name| *name != "tau");
    let states = || {
        let constants = model.local_states().iter().filter(|state| state.is_constant);
        constants.map(|state| state.name.as_str())
    };
    let results = || model.results().iter().map(|line| line.name.as_str());
    let (noun, names): (&str, Vec<&str>) = match kind {
        Some("throughput") => ("action", actions().collect()),
        Some("result") => ("result", results().collect()),
        Some(_) => ("local state", states().collect()),
        None => ("action, local state or result", actions().chain(states()).chain(results()).collect()),
    };
    let help = match names[..] {
        [] => format!("the model has no {noun} at all"),
        _ => nearest(name, "", &names, "it has"),
    };
    unknown(written, &format!("the model has no {noun} `{name}`"), help)
}
