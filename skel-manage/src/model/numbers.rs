//! Numbers of replicas and workers: those of a program, and others for some of its places.

use skel_core::skeleton::{Stage, StageId, TeamKind, Tree};

/// How many replicas or workers each node has: of a farm or deal its replicas, of a team its workers, of
/// others 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Numbers(Vec<u32>);

impl Numbers {
    /// The present ones.
    pub(super) fn of(tree: &Tree) -> Numbers {
        let number = |stage: &Stage| match stage {
            Stage::Replicated { replicas, .. } => *replicas,
            Stage::Team(team) => team.workers,
            Stage::Task(_) | Stage::Pipe(_) => 1,
        };
        Numbers(tree.stages().iter().map(number).collect())
    }

    /// The same with others at some places. What is said of a node whose number cannot change is left out.
    pub(super) fn with(mut self, tree: &Tree, replicas: &[(StageId, u32)]) -> Numbers {
        for &(id, number) in replicas {
            if places(tree).any(|place| place == id) {
                self.0[id.index()] = number;
            }
        }
        self
    }

    pub(super) fn at(&self, id: StageId) -> u32 {
        self.0[id.index()]
    }

    /// Those of some places.
    pub(super) fn of_places(&self, places: &[StageId]) -> Vec<(StageId, u32)> {
        places.iter().map(|&place| (place, self.at(place))).collect()
    }

    /// Whether every node has some.
    pub(super) fn are_positive(&self) -> bool {
        self.0.iter().all(|&number| number > 0)
    }

    /// How many threads serve: the tasks with all replicas, and the workers of all teams.
    pub(super) fn workers(&self, tree: &Tree) -> u64 {
        self.workers_below(tree, tree.root())
    }

    fn workers_below(&self, tree: &Tree, id: StageId) -> u64 {
        match tree.stage(id) {
            Stage::Task(_) | Stage::Team(_) => u64::from(self.at(id)),
            Stage::Pipe(stages) => {
                stages.iter().fold(0, |sum, &stage| self.workers_below(tree, stage).saturating_add(sum))
            }
            Stage::Replicated { worker, .. } => {
                u64::from(self.at(id)).saturating_mul(self.workers_below(tree, *worker))
            }
        }
    }

    /// How many replicas of a node there are in all: the product on the way to it, its own not among them.
    pub(super) fn replicas(&self, tree: &Tree, id: StageId) -> u64 {
        let above = ancestors(tree, id);
        above.into_iter().map(|above| u64::from(self.at(above))).fold(1, u64::saturating_mul)
    }
}

/// The places whose numbers can change: farms, deals, maps and maps with state.
pub(super) fn places(tree: &Tree) -> impl Iterator<Item = StageId> + '_ {
    tree.ids().filter(|&id| match tree.stage(id) {
        Stage::Replicated { .. } => true,
        Stage::Team(team) => !matches!(team.kind, TeamKind::FaultTolerant { .. }),
        Stage::Task(_) | Stage::Pipe(_) => false,
    })
}

/// The deals and farms that a node is in, from the outermost to the innermost.
pub(super) fn ancestors(tree: &Tree, id: StageId) -> Vec<StageId> {
    let is_above = |above: &StageId| matches!(tree.stage(*above), Stage::Replicated { worker, .. } if is_inside(tree, id, *worker));
    tree.ids().filter(is_above).collect()
}

fn is_inside(tree: &Tree, id: StageId, above: StageId) -> bool {
    id == above
        || match tree.stage(above) {
            Stage::Pipe(stages) => stages.iter().any(|&below| is_inside(tree, id, below)),
            Stage::Replicated { worker, .. } => is_inside(tree, id, *worker),
            Stage::Task(_) | Stage::Team(_) => false,
        }
}
