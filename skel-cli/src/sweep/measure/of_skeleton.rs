//! Measures of a skeleton. A new one is a line in a table.

use skel::performance::Performance;
use skel::skeleton::{Stage, StageId, TeamStage, Tree};

use super::{Cell, Column, Unit, collected, nearest, unknown};
use crate::errors::Problem;

/// A measure of a skeleton.
#[derive(Clone, Copy)]
pub(in crate::sweep) enum OfSkeleton {
    /// Of the whole.
    Whole(fn(&Performance<Tree, f64>) -> Cell),
    /// Of a stage or a task.
    Stage(fn(&Performance<Tree, f64>, StageId) -> f64, StageId),
}

/// A measure of the whole: its name, its unit, and how a performance is asked for it.
type OfWhole = (&'static str, Unit, fn(&Performance<Tree, f64>) -> Cell);

/// The same of a stage.
type OfStage = (&'static str, Unit, fn(&Performance<Tree, f64>, StageId) -> f64);

/// The measures of the whole, in the order in which they are shown.
const OF_WHOLE: [OfWhole; 4] = [
    ("throughput", Unit::Rate, |performance| Cell::Number(*performance.throughput())),
    ("response_time", Unit::Time, |performance| Cell::Number(performance.response_time())),
    ("items_inside", Unit::Count, |performance| Cell::Number(performance.items_inside())),
    ("bottleneck", Unit::Word, bottleneck),
];

const WAITING: &str = "waiting";

/// The measures of a stage, in the order in which they are shown.
const OF_STAGE: [OfStage; 4] = [
    ("busy", Unit::Probability, Performance::busy_at),
    ("starved", Unit::Probability, Performance::starved_at),
    ("blocked", Unit::Probability, Performance::blocked_at),
    (WAITING, Unit::Probability, Performance::waiting_at),
];

/// The measures of the whole and of each stage that are shown where none is asked for. A figure shows more of
/// the stages.
const SHOWN: ([&str; 2], [&str; 1]) = (["throughput", "bottleneck"], ["busy"]);

/// The task that is busiest: by its name, or where others have that too, by its number.
fn bottleneck(performance: &Performance<Tree, f64>) -> Cell {
    let task = performance.bottleneck();
    let has_own_name = performance.system().tree().task_named(&task.name).is_some();
    Cell::Word(if has_own_name { task.name.clone() } else { format!("task {}", task.task) })
}

impl Column<OfSkeleton> {
    /// The figure of a point.
    pub(in crate::sweep) fn ask(&self, performance: &Performance<Tree, f64>) -> Cell {
        match self.kind {
            OfSkeleton::Whole(ask) => ask(performance),
            OfSkeleton::Stage(ask, stage) => Cell::Number(ask(performance, stage)),
        }
    }
}

/// The columns of a skeleton, or every measure that it does not have.
pub(in crate::sweep) fn of_skeleton(
    kept: &[String],
    tree: &Tree,
    is_drawn: bool,
) -> Result<Vec<Column<OfSkeleton>>, Vec<Problem>> {
    match kept {
        [] => {
            let (of_whole_shown, of_stage_shown) = SHOWN;
            let whole = OF_WHOLE.iter().filter(|(word, ..)| of_whole_shown.contains(word)).map(of_whole);
            // Only workers of one team wait for each other.
            let is_possible = |word: &str| word != WAITING || tree.has_team();
            let is_shown = |word: &str| of_stage_shown.contains(&word) || (is_drawn && is_possible(word));
            let of_stages = OF_STAGE.iter().filter(|(word, ..)| is_shown(word));
            Ok(whole.chain(of_stages.flat_map(|measure| of_all_stages(measure, tree))).collect())
        }
        kept => collected(kept, |written| named(written, tree)),
    }
}

fn of_whole(&(name, unit, ask): &OfWhole) -> Column<OfSkeleton> {
    Column { name: name.to_owned(), unit, kind: OfSkeleton::Whole(ask) }
}

fn of_stage(&(word, unit, ask): &OfStage, stage: StageId, name: &str) -> Column<OfSkeleton> {
    Column { name: format!("{word}:{name}"), unit, kind: OfSkeleton::Stage(ask, stage) }
}

fn of_all_stages(measure: &OfStage, tree: &Tree) -> Vec<Column<OfSkeleton>> {
    stages(tree).iter().map(|(stage, name)| of_stage(measure, *stage, name)).collect()
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
        Stage::Task(task) | Stage::Team(TeamStage { worker: task, .. }) => {
            task.name.clone().filter(|name| tree.task_named(name).is_some())
        }
        Stage::Pipe(_) => None,
        Stage::Replicated { worker, .. } => name_of(tree, *worker),
    }
}

/// What a `--keep` stands for: a measure of the whole, a measure of all stages, or of one stage or task.
fn named(written: &str, tree: &Tree) -> Result<Vec<Column<OfSkeleton>>, Box<Problem>> {
    let (word, name) = match written.split_once(':') {
        Some((word, name)) => (word.trim(), Some(name.trim())),
        None => (written.trim(), None),
    };
    let whole = OF_WHOLE.iter().find(|(known, ..)| *known == word);
    let stage = OF_STAGE.iter().find(|(known, ..)| *known == word);
    match (whole, stage, name) {
        (Some(measure), _, None) => Ok(vec![of_whole(measure)]),
        (_, Some(measure), None) => Ok(of_all_stages(measure, tree)),
        (_, Some(measure), Some(name)) => match stage_named(tree, name) {
            Some(stage) => Ok(vec![of_stage(measure, stage, name)]),
            None => Err(no_stage(written, name, tree)),
        },
        (Some(_), None, Some(_)) => {
            let help = format!("write `--keep {word}`");
            Err(unknown(written, &format!("`{word}` is a measure of the whole"), help))
        }
        (None, None, _) => {
            let words = OF_WHOLE.iter().map(|one| one.0).chain(OF_STAGE.iter().map(|one| one.0));
            let help = nearest(word, "", &words.collect::<Vec<_>>(), "a skeleton has the measures");
            Err(unknown(written, &format!("there is no measure `{word}`"), help))
        }
    }
}

/// The stage of a name or of a number, or the task of a name.
fn stage_named(tree: &Tree, name: &str) -> Option<StageId> {
    let shown = stages(tree).into_iter().find(|(_, known)| known == name).map(|(stage, _)| stage);
    let by_number = || name.parse().ok().and_then(|number: usize| tree.top_level().get(number).copied());
    shown.or_else(|| tree.task_named(name)).or_else(by_number)
}

fn no_stage(written: &str, name: &str, tree: &Tree) -> Box<Problem> {
    let stages = stages(tree);
    let names: Vec<&str> = stages.iter().map(|(_, name)| name.as_str()).collect();
    unknown(
        written,
        &format!("the skeleton has no stage `{name}`"),
        nearest(name, "", &names, "its stages are"),
    )
}
