//! Whether each function is that of its stage.

use skel_core::skeleton::{Stage, StageId, TeamKind, TeamStage, TeamWord, Tree};

use crate::engine::Traits;
use crate::functions::Form;

/// Functions that are not those of their stages, and maps with state that no state would reach as a whole.
pub(super) fn problems(tree: &Tree, tasks: &[Traits]) -> Vec<String> {
    tree.leaves().zip(tasks).filter_map(|(id, task)| problem(tree, id, task.form)).collect()
}

fn problem(tree: &Tree, id: StageId, form: Form) -> Option<String> {
    let name = tree.name(id);
    match (tree.stage(id), form) {
        (Stage::Task(_), Form::Task) | (Stage::Team(TeamStage { kind: TeamKind::Map, .. }), Form::Map) => None,
        (
            Stage::Team(TeamStage { kind: TeamKind::FaultTolerant { .. }, workers, .. }),
            Form::FaultTolerant(functions),
        ) => (*workers as usize != functions).then(|| {
            format!("the fault-tolerant stage `{name}` has {workers} workers, but {functions} functions: give each worker one")
        }),
        (Stage::Team(TeamStage { kind: TeamKind::MapWithState(_), .. }), Form::MapWithState) => {
            (0..id.0).any(|above| replicates(tree, StageId(above), id)).then(|| {
                format!(
                    "the map with state `{name}` is inside of a farm or a deal, where a state would reach only one of its replicas: take \
                     it out, and give it more workers"
                )
            })
        }
        (stage, form) => {
            let word = match stage {
                Stage::Team(team) => team.word().noun(),
                _ => "task",
            };
            let other = noun(form);
            Some(format!("the stage `{name}` is a {word}, but its function is that of a {other}"))
        }
    }
}

fn noun(form: Form) -> &'static str {
    match form {
        Form::Task => "task",
        Form::Map => TeamWord::Map.noun(),
        Form::FaultTolerant(_) => TeamWord::FaultTolerant.noun(),
        Form::MapWithState => TeamWord::MapWithState.noun(),
    }
}

/// Whether a node is a farm or a deal with another inside of it.
fn replicates(tree: &Tree, above: StageId, id: StageId) -> bool {
    matches!(tree.stage(above), Stage::Replicated { .. }) && contains(tree, above, id)
}

fn contains(tree: &Tree, above: StageId, id: StageId) -> bool {
    match tree.stage(above) {
        Stage::Task(_) | Stage::Team(_) => above == id,
        Stage::Pipe(stages) => stages.iter().any(|&stage| contains(tree, stage, id)),
        Stage::Replicated { worker, .. } => contains(tree, *worker, id),
    }
}
