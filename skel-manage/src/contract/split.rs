//! A contract by the parts of a program.

use std::fmt;

use skel_core::number::Number;
use skel_core::skeleton::{Stage, StageId, StateInput, TeamKind, TeamStage, Tree};

use crate::quantity::ServiceTime;

/// A contract by the parts of a program, each after what it is a part of. It prints as an indented list.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    /// What the program may take for each item.
    pub goal: ServiceTime,
    /// The parts.
    pub parts: Vec<Part>,
}

/// A part of a program, and what it may take.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Its node in the tree. The workers of a team have that of the team.
    pub id: StageId,
    /// What it is, in words.
    pub name: String,
    /// What it may take for each item that comes to it. It is not positive where no workers are fast enough.
    pub service_time: ServiceTime,
    /// Why, a clause; empty for the whole program.
    pub reason: String,
    /// How deep it is in the program: 0 of the whole.
    pub depth: usize,
}

impl Split {
    pub(super) fn of(goal: ServiceTime, tree: &Tree) -> Split {
        let mut split = Split { goal, parts: Vec::new() };
        split.add(tree, tree.root(), goal, String::new(), 0);
        split
    }

    /// What a node may take; none of a node that is not in the tree.
    #[must_use]
    pub fn service_time_of(&self, id: StageId) -> Option<ServiceTime> {
        self.parts.iter().find(|part| part.id == id).map(|part| part.service_time)
    }

    fn add(&mut self, tree: &Tree, id: StageId, service_time: ServiceTime, reason: String, depth: usize) {
        let name = match tree.stage(id) {
            Stage::Task(_) | Stage::Team(_) => format!("`{}`", tree.name(id)),
            _ => tree.name(id),
        };
        self.parts.push(Part { id, name, service_time, reason, depth });
        match tree.stage(id) {
            Stage::Task(_) => {}
            Stage::Pipe(stages) => {
                let reason = "since every item passes through every stage of a pipe";
                stages
                    .iter()
                    .for_each(|&stage| self.add(tree, stage, service_time, reason.to_owned(), depth + 1));
            }
            Stage::Replicated { replicas, worker, .. } => {
                let reason = match replicas {
                    1 => "since it is its only replica".to_owned(),
                    _ => format!("since its {replicas} replicas serve as many items at once"),
                };
                self.add(tree, *worker, service_time.times(f64::from(*replicas)), reason, depth + 1);
            }
            Stage::Team(team) => self.parts.push(workers(id, team, service_time, depth + 1)),
        }
    }
}

/// What each worker of a team may take.
fn workers(id: StageId, team: &TeamStage, service_time: ServiceTime, depth: usize) -> Part {
    let workers = team.workers;
    let all = format!("each of its {workers} workers");
    let (name, service_time, reason) = match &team.kind {
        TeamKind::Map => (all, service_time, "since an item is complete when all its parts are".to_owned()),
        TeamKind::FaultTolerant { early: false } => {
            (all, service_time, "since the replies of all are waited for".to_owned())
        }
        TeamKind::FaultTolerant { early: true } => {
            let name = format!("each of the fastest {} of its {workers} workers", team.replies());
            (name, service_time, "since the majority pass a result on".to_owned())
        }
        TeamKind::MapWithState(StateInput { time, items }) => {
            let (of_state, items) = (time.mean().to_float(), items.to_float());
            let seconds = (items * service_time.seconds() - of_state) / (items + 1.0);
            let of_state = ServiceTime::of_seconds(of_state);
            let reason = format!(
                "since {of_state} for a state are spread over its {items} items, and so is a part that is under way"
            );
            (all, ServiceTime::of_seconds(seconds), reason)
        }
    };
    Part { id, name, service_time, reason, depth }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} for each item of the program", self.goal)?;
        self.parts.iter().try_for_each(|part| write!(f, "\n{part}"))
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:indent$}{}: ", "", self.name, indent = 2 * self.depth + 2)?;
        match self.service_time.seconds() > 0.0 {
            true => write!(f, "{}", self.service_time)?,
            false => f.write_str("no time is short enough")?,
        }
        if self.reason.is_empty() { Ok(()) } else { write!(f, ", {}", self.reason) }
    }
}
