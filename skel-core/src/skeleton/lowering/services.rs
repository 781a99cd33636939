//! How the nodes of a skeleton serve their items: tasks in phases of time, and teams as components.

use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic};
use crate::skeleton::lowering::service::Phases;
use crate::skeleton::lowering::team::{MOST_PLACES, Team};
use crate::skeleton::tree::{Stage, StageId, TeamKind, TeamStage, Tree};
use crate::time::ServiceTime;

/// What serves the items of a node.
pub(super) enum Served {
    /// Nothing: a pipe, a deal or a farm; or what serves them has been reported.
    Not,
    /// A task, in phases of its time.
    ByTask(Phases),
    /// Workers that serve an item together.
    ByTeam(Arc<Team>),
}

impl Served {
    /// Whether the paper has a form for it: one exponential time.
    pub(super) fn has_paper_form(&self) -> bool {
        match self {
            Served::Not => true,
            Served::ByTask(phases) => phases.is_exponential(),
            Served::ByTeam(_) => false,
        }
    }
}

/// What serves the items of each node of the tree. Times without phases are reported, and teams of too many
/// places.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn services(tree: &Tree, errors: &mut Vec<Diagnostic<StageId>>) -> Vec<Served> {
    let served = |id: StageId| match tree.stage(id) {
        Stage::Task(task) => {
            let subject = format!("of the task `{}`", tree.name(id));
            phases(&task.time, id, &subject, errors).map_or(Served::Not, Served::ByTask)
        }
        Stage::Team(team) => self::team(tree, id, team, errors).map_or(Served::Not, Served::ByTeam),
        Stage::Pipe(_) | Stage::Replicated { .. } => Served::Not,
    };
    tree.ids().map(served).collect()
}

#[cfg_attr(debug_assertions, inline)]
fn team(
    tree: &Tree,
    id: StageId,
    team: &TeamStage,
    errors: &mut Vec<Diagnostic<StageId>>,
) -> Option<Arc<Team>> {
    let name = tree.name(id);
    let item = phases(&team.worker.time, id, &format!("of the task `{name}`"), errors);
    let state = match &team.kind {
        TeamKind::MapWithState(state) => {
            Some(phases(&state.time, id, &format!("of the state of `{name}`"), errors)?)
        }
        _ => None,
    };
    match Team::new(team, &item?, state.as_ref()) {
        Ok(team) => Some(Arc::new(team)),
        Err(_) => {
            let message = format!(
                "the {} workers of `{name}` and the phases of their times stand for more than {MOST_PLACES} local states",
                team.workers
            );
            let help = "use fewer workers, or a time of fewer phases";
            errors.push(Diagnostic::new(Code::SkeletonTooLarge, id, message).help(help));
            None
        }
    }
}

#[cfg_attr(debug_assertions, inline)]
fn phases(
    time: &ServiceTime,
    id: StageId,
    subject: &str,
    errors: &mut Vec<Diagnostic<StageId>>,
) -> Option<Phases> {
    match time.phase_type() {
        Ok(phases) => Some(Phases::from(&phases)),
        Err(general) => {
            errors.push(general.finding(id, subject));
            None
        }
    }
}
