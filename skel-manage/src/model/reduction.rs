//! A program as a line of farms of tasks: which parts of it are that, and what the others are taken for.
//!
//! | part | as | |
//! |---|---|---|
//! | task | a task | the same |
//! | map, map with state, fault-tolerant stage that waits for all | a task of the mean and the variation of its slowest worker | the next item begins when all are done, so the team is one server; its time is fitted by two moments |
//! | farm of a task or a farm | a farm of as many workers as both have together | the same |
//! | fault-tolerant stage that passes on early | a task of the time until the majority have replied | only if the chain of the program is too large: workers that are late miss items |
//! | deal | a farm | only if the chain is too large; a farm is faster, if anything |
//! | farm of a pipe | a farm of tasks of the service time of the pipe alone | only if the chain is too large |

use std::collections::HashMap;

use skel_core::skeleton::{Replication, Stage, StageId, Tree};

use super::leaf::{Kind, Leaf};
use super::line::{Budget, Line, LineStage};
use super::numbers::Numbers;
use super::team::Moments;

/// A program with its numbers, to be reduced.
pub(super) struct Reduction<'a> {
    pub(super) tree: &'a Tree,
    pub(super) leaves: &'a [Leaf],
    /// How many services of each leaf were measured.
    pub(super) services: &'a HashMap<StageId, u64>,
    /// The capacity of the buffer before each leaf.
    pub(super) buffers: &'a HashMap<StageId, u32>,
    pub(super) numbers: &'a Numbers,
}

/// A line, and whether it is the program or an approximation of it.
#[derive(Clone, Debug)]
pub(super) struct Reduced {
    pub(super) line: Line,
    pub(super) is_exact: bool,
}

impl Reduction<'_> {
    /// The whole program.
    pub(super) fn whole(&self) -> Reduced {
        self.reduced(self.tree.root())
    }

    /// Tasks and teams one behind the other, each once.
    pub(super) fn of_leaves(&self, leaves: &[StageId]) -> Line {
        Line { stages: leaves.iter().flat_map(|&id| self.of_leaf(id).line.stages).collect() }
    }

    fn reduced(&self, id: StageId) -> Reduced {
        match self.tree.stage(id) {
            Stage::Task(_) | Stage::Team(_) => self.of_leaf(id),
            Stage::Pipe(stages) => {
                let stages: Vec<Reduced> = stages.iter().map(|&stage| self.reduced(stage)).collect();
                Reduced {
                    is_exact: stages.iter().all(|stage| stage.is_exact),
                    line: Line { stages: stages.into_iter().flat_map(|stage| stage.line.stages).collect() },
                }
            }
            Stage::Replicated { replication, worker, .. } => {
                let worker = self.reduced(*worker);
                self.replicated(*replication, self.numbers.at(id), worker)
            }
        }
    }

    fn of_leaf(&self, id: StageId) -> Reduced {
        let first = self.leaves.first().map_or(1.0, |leaf| leaf.visits);
        let Some(leaf) = self.leaves.iter().find(|leaf| leaf.id == id) else {
            return Reduced { line: Line::default(), is_exact: false };
        };
        let services = self.services.get(&id).copied().unwrap_or(1);
        let time = leaf.moments(self.numbers.at(id), services);
        let share = (leaf.visits / first).min(1.0);
        let time = if share < 1.0 { time.with_chance(share) } else { time };
        let buffer = self.buffers.get(&id).copied().unwrap_or(0);
        let is_early =
            matches!(leaf.kind, Kind::FaultTolerant { replies } if (replies as usize) < leaf.times.len());
        Reduced { line: Line { stages: vec![LineStage { workers: 1, time, buffer }] }, is_exact: !is_early }
    }

    fn replicated(&self, replication: Replication, replicas: u32, worker: Reduced) -> Reduced {
        let is_farm = replication == Replication::Farm;
        match worker.line.stages[..] {
            _ if replicas == 1 => worker,
            [stage] => {
                let workers = stage.workers.saturating_mul(replicas);
                let line = Line { stages: vec![LineStage { workers, ..stage }] };
                Reduced { line, is_exact: is_farm && worker.is_exact }
            }
            ref stages => {
                let buffer = stages.first().map_or(0, |stage| stage.buffer);
                let stage = LineStage { workers: replicas, time: self.as_task(&worker.line), buffer };
                Reduced { line: Line { stages: vec![stage] }, is_exact: false }
            }
        }
    }

    /// A task of the service time of a line alone, and of the variation of its slowest stage.
    fn as_task(&self, line: &Line) -> Moments {
        let solved = line.solve(Budget::OF_A_PREDICTION).map(|solved| solved.service_time);
        let mean =
            solved.or_else(|| line.neighbours(Budget::OF_A_PREDICTION)).unwrap_or_else(|| line.least());
        let slowest = line.stages.iter().max_by(|one, other| one.least().total_cmp(&other.least()));
        Moments { mean, scv: slowest.map_or(1.0, |stage| stage.time.scv) }
    }
}
