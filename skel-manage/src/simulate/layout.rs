//! What stands between each task and the next, as in a run with threads: who shares a buffer, and who takes
//! turns.

use skel_core::skeleton::{Replication, Stage, StageId, Tree};

/// A deal or a farm around a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) id: StageId,
    pub(super) kind: Replication,
}

/// A task or a team with the deals and farms around it, the outermost first.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) id: StageId,
    pub(super) groups: Vec<Group>,
}

/// How items come to those who take them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// Whoever is free takes the next one.
    Free,
    /// The sender hands them out in turn over so many nested deals, each of whose replicas has a buffer of
    /// its own.
    HandedOut(usize),
    /// The receivers take them in turn, wherever there is a deal among the groups that items enter.
    InTurn,
}

/// What stands between two tasks.
#[derive(Clone, Debug)]
pub(super) struct Between {
    /// How many deals and farms are around both sides.
    pub(super) common: usize,
    /// The deal whose replicas have a buffer each behind them, which are emptied in turn.
    pub(super) gathered: Option<Group>,
    /// The deals and farms that items enter.
    pub(super) entries: Vec<Group>,
    pub(super) entry: Entry,
}

/// The tasks below a node, in the order in which items meet them.
pub(super) fn places(tree: &Tree) -> Vec<Place> {
    let mut places = Vec::new();
    collect(tree, tree.root(), &mut Vec::new(), &mut places);
    places
}

fn collect(tree: &Tree, id: StageId, groups: &mut Vec<Group>, places: &mut Vec<Place>) {
    match tree.stage(id) {
        Stage::Task(_) | Stage::Team(_) => places.push(Place { id, groups: groups.clone() }),
        Stage::Pipe(stages) => stages.iter().for_each(|&stage| collect(tree, stage, groups, places)),
        &Stage::Replicated { replication, worker, .. } => {
            groups.push(Group { id, kind: replication });
            collect(tree, worker, groups, places);
            groups.pop();
        }
    }
}

impl Between {
    /// What stands between two tasks; before the first one is the source, and behind the last one the output,
    /// which are in no group.
    pub(super) fn new(before: Option<&Place>, after: Option<&Place>) -> Self {
        let groups = |place: Option<&Place>| place.map(|place| place.groups.clone()).unwrap_or_default();
        let (exits, entries) = (groups(before), groups(after));
        let common = exits.iter().zip(&entries).take_while(|(a, b)| a == b).count();
        let (exits, entries) = (&exits[common..], entries[common..].to_vec());
        let gathered = match exits {
            [only] if only.kind == Replication::Deal => Some(*only),
            _ => None,
        };
        let deals = entries.iter().take_while(|group| group.kind == Replication::Deal).count();
        let is_farm = |group: &Group| group.kind == Replication::Farm;
        let is_one_sender = before.is_some() && exits.is_empty();
        let entry = match deals {
            _ if entries.iter().all(is_farm) => Entry::Free,
            _ if is_one_sender && entries[deals..].iter().all(is_farm) => Entry::HandedOut(deals),
            _ => Entry::InTurn,
        };
        Between { common, gathered, entries, entry }
    }
}
