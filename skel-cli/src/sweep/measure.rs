//! `--keep MEASURE`: what is asked at each point, as columns.

use skel::diagnostic::did_you_mean;
use skel::model::{ActionId, Model};
use skel::performance::Performance;
use skel::skeleton::{Stage, StageId, Tree};
use skel::{Error, SteadyState};

use crate::errors::Problem;
use crate::solve::visible::visible_actions;

/// What a number measures: its axis in a figure, and what may share that axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// How often something is done.
    Rate,
    /// A part of the time.
    Probability,
    /// A mean number of things.
    Count,
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

/// A measure of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OfModel {
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
    pub(super) fn ask(&self, solution: &SteadyState<Model, f64>) -> Result<Cell, Error> {
        Ok(Cell::Number(match &self.kind {
            OfModel::Throughput(name) => solution.throughput_named(name)?,
            OfModel::Utilisation(name) => solution.utilisation_named(name)?,
            OfModel::Population(name) => solution.population_named(name)?,
            OfModel::Result(name) => solution.result_named(name)?,
        }))
    }
}

/// The columns of a model, or every measure that it does not have.
pub(super) fn of_model(kept: &[String], model: &Model) -> Result<Vec<Column<OfModel>>, Vec<Problem>> {
    let measures = match kept {
        [] => Ok(default_of_model(model)),
        kept => collected(kept, |name| named_in_model(name, model)),
    };
    measures.map(|measures| measures.into_iter().map(OfModel::column).collect())
}

/// All results; without any, the throughputs that the system shows, but no more than fit beside one another.
fn default_of_model(model: &Model) -> Vec<OfModel> {
    let results: Vec<OfModel> =
        model.results().iter().map(|line| OfModel::Result(line.name.clone())).collect();
    if !results.is_empty() {
        return results;
    }
    let visible = visible_actions(model);
    let shown = model.actions().filter(|(id, _)| visible[id.index()]).take(MOST_BY_DEFAULT);
    shown.map(|(_, name)| OfModel::Throughput(name.to_owned())).collect()
}

/// The most throughputs that are shown where nothing is asked for.
const MOST_BY_DEFAULT: usize = 6;

/// The kinds of measures of a model that are written before a name.
const KINDS_OF_MODEL: [&str; 4] = ["throughput", "utilisation", "population", "result"];

/// What a `--keep` stands for; a name alone may stand for several things, and is all of them.
fn named_in_model(written: &str, model: &Model) -> Result<Vec<OfModel>, Problem> {
    let (kind, name) = match written.split_once(':') {
        Some((kind, name)) if KINDS_OF_MODEL.contains(&kind.trim()) => (Some(kind.trim()), name.trim()),
        Some((kind, name)) if !has_name(model, written) => {
            return Err(unknown_kind(written, kind, name, &KINDS_OF_MODEL));
        }
        _ => (None, written.trim()),
    };
    let mut found = Vec::new();
    let wants = |wanted: &str| kind.is_none_or(|kind| kind == wanted);
    if let Some(action) = model.action_named(name).filter(|_| wants("throughput")) {
        if action != ActionId::TAU && !visible_actions(model)[action.index()] {
            let message = format!(
                "`--keep {written}`: `{name}` is hidden wherever it is done, so it is counted under `tau`"
            );
            return Err(Problem::error("hidden_measure", message)
                .help("keep `throughput:tau`, which counts all hidden actions, or do not hide it"));
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

fn nothing_named(written: &str, kind: Option<&str>, name: &str, model: &Model) -> Problem {
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
    let problem =
        Problem::error("unknown_measure", format!("`--keep {written}`: the model has no {noun} `{name}`"));
    match did_you_mean(name, names.iter().copied()) {
        Some(near) => problem.help(format!("did you mean `{near}`?")),
        None if names.is_empty() => problem.help(format!("the model has no {noun} at all")),
        None => problem.help(format!("it has {}", crate::input::settings::listed(names.into_iter()))),
    }
}

fn unknown_kind(written: &str, kind: &str, name: &str, kinds: &[&str]) -> Problem {
    let problem =
        Problem::error("unknown_measure", format!("`--keep {written}`: there is no measure `{kind}`"));
    match did_you_mean(kind, kinds.iter().copied()) {
        Some(near) => problem.help(format!("did you mean `{near}:{name}`?")),
        None => problem
            .help(format!("the measures are {}", crate::input::settings::listed(kinds.iter().copied()))),
    }
}

/// A measure of a skeleton.
#[derive(Clone, Copy)]
pub(super) enum OfSkeleton {
    /// Of the whole.
    Whole(fn(&Performance<Tree, f64>) -> Cell),
    /// Of a stage or a task.
    Stage(fn(&Performance<Tree, f64>, StageId) -> f64, StageId),
}

impl Column<OfSkeleton> {
    /// The figure of a point.
    pub(super) fn ask(&self, performance: &Performance<Tree, f64>) -> Cell {
        match self.kind {
            OfSkeleton::Whole(ask) => ask(performance),
            OfSkeleton::Stage(ask, stage) => Cell::Number(ask(performance, stage)),
        }
    }
}

/// The measures of the whole, in the order in which they are shown.
const OF_WHOLE: [(&str, Unit, fn(&Performance<Tree, f64>) -> Cell); 2] = [
    ("throughput", Unit::Rate, |performance| Cell::Number(*performance.throughput())),
    ("bottleneck", Unit::Word, bottleneck),
];

/// The measures of a stage, in the order in which they are shown.
const OF_STAGE: [(&str, Unit, fn(&Performance<Tree, f64>, StageId) -> f64); 1] =
    [("busy", Unit::Probability, Performance::utilisation_at)];

/// The task that is busiest: by its name, or where others have that too, by its number.
fn bottleneck(performance: &Performance<Tree, f64>) -> Cell {
    let task = performance.bottleneck();
    let has_own_name = performance.system().tree().task_named(&task.name).is_some();
    Cell::Word(if has_own_name { task.name.clone() } else { format!("task {}", task.task) })
}

/// The columns of a skeleton, or every measure that it does not have.
pub(super) fn of_skeleton(kept: &[String], tree: &Tree) -> Result<Vec<Column<OfSkeleton>>, Vec<Problem>> {
    match kept {
        [] => {
            let whole = OF_WHOLE.iter().map(whole_column);
            Ok(whole.chain(OF_STAGE.iter().flat_map(|measure| all_stages(measure, tree))).collect())
        }
        kept => collected(kept, |written| named_in_skeleton(written, tree)),
    }
}

type StageMeasure = (&'static str, Unit, fn(&Performance<Tree, f64>, StageId) -> f64);

fn whole_column(
    &(name, unit, ask): &(&'static str, Unit, fn(&Performance<Tree, f64>) -> Cell),
) -> Column<OfSkeleton> {
    Column { name: name.to_owned(), unit, kind: OfSkeleton::Whole(ask) }
}

fn stage_column(&(word, unit, ask): &StageMeasure, stage: StageId, name: &str) -> Column<OfSkeleton> {
    Column { name: format!("{word}:{name}"), unit, kind: OfSkeleton::Stage(ask, stage) }
}

fn all_stages(measure: &StageMeasure, tree: &Tree) -> Vec<Column<OfSkeleton>> {
    stages(tree).iter().map(|(stage, name)| stage_column(measure, *stage, name)).collect()
}

/// The top-level stages with a name for each: that of its task where no other task has it, else its number.
fn stages(tree: &Tree) -> Vec<(StageId, String)> {
    let stages = tree.top_level().into_iter().enumerate();
    stages
        .map(|(number, stage)| (stage, name_of(tree, stage).unwrap_or_else(|| number.to_string())))
        .collect()
}

fn name_of(tree: &Tree, stage: StageId) -> Option<String> {
    match tree.stage(stage) {
        Stage::Task(task) => task.name.clone().filter(|name| tree.task_named(name).is_some()),
        Stage::Pipe(_) => None,
        Stage::Replicated { worker, .. } => name_of(tree, *worker),
    }
}

/// What a `--keep` stands for: a measure of the whole, a measure of all stages, or of one stage or task.
fn named_in_skeleton(written: &str, tree: &Tree) -> Result<Vec<Column<OfSkeleton>>, Problem> {
    let (word, name) = match written.split_once(':') {
        Some((word, name)) => (word.trim(), Some(name.trim())),
        None => (written.trim(), None),
    };
    let whole = OF_WHOLE.iter().find(|(known, ..)| *known == word);
    let of_stage = OF_STAGE.iter().find(|(known, ..)| *known == word);
    match (whole, of_stage, name) {
        (Some(measure), _, None) => Ok(vec![whole_column(measure)]),
        (_, Some(measure), None) => Ok(all_stages(measure, tree)),
        (_, Some(measure), Some(name)) => {
            let stage = stage_named(tree, name).ok_or_else(|| no_stage(written, name, tree))?;
            Ok(vec![stage_column(measure, stage, name)])
        }
        (Some(_), None, Some(_)) => {
            let message = format!("`--keep {written}`: `{word}` is a measure of the whole");
            Err(Problem::error("unknown_measure", message).help(format!("write `--keep {word}`")))
        }
        (None, None, _) => {
            let words = || OF_WHOLE.iter().map(|one| one.0).chain(OF_STAGE.iter().map(|one| one.0));
            let problem = Problem::error(
                "unknown_measure",
                format!("`--keep {written}`: there is no measure `{word}`"),
            );
            Err(match did_you_mean(word, words()) {
                Some(near) => problem.help(format!("did you mean `{near}`?")),
                None => {
                    let words: Vec<&str> = words().collect();
                    let listed = crate::input::settings::listed(words.into_iter());
                    problem.help(format!("a skeleton has the measures {listed}"))
                }
            })
        }
    }
}

fn stage_named(tree: &Tree, name: &str) -> Option<StageId> {
    let shown = stages(tree).into_iter().find(|(_, known)| known == name).map(|(stage, _)| stage);
    let by_number = || name.parse().ok().and_then(|number: usize| tree.top_level().get(number).copied());
    shown.or_else(|| tree.task_named(name)).or_else(by_number)
}

fn no_stage(written: &str, name: &str, tree: &Tree) -> Problem {
    let stages = stages(tree);
    let names = || stages.iter().map(|(_, name)| name.as_str());
    let problem =
        Problem::error("unknown_measure", format!("`--keep {written}`: the skeleton has no stage `{name}`"));
    match did_you_mean(name, names()) {
        Some(near) => problem.help(format!("did you mean `{near}`?")),
        None => problem.help(format!("its stages are {}", crate::input::settings::listed(names()))),
    }
}

/// What all of them stand for, each once; or all that stand for nothing.
fn collected<T>(
    kept: &[String],
    read: impl Fn(&str) -> Result<Vec<T>, Problem>,
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
            Err(problem) => wrong.push(problem),
        }
    }
    if wrong.is_empty() { Ok(all) } else { Err(wrong) }
}
