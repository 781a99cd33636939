//! What a run does at a handle's request.

use skel_core::skeleton::{MOST_TASKS, Program, Stage, StageId, TeamKind, TeamStage, Tree};

use crate::control::{Actuators, Request, Wanted};
use crate::engine::Refused;
use crate::execution::state::{Common, State};
use crate::report::Execution;
use crate::settings::MOST_ITEMS;
use crate::sync::mpsc::Receiver;
use crate::sync::{Mutex, lock};

/// Executes requests until the handle is detached.
pub(super) fn execute(requests: &Receiver<Request>, state: &Mutex<State<'_, '_>>, common: &Common) {
    for request in requests {
        request.execute(&mut Run { state: &mut lock(state), common });
    }
}

/// A run, for as long as it does one thing.
struct Run<'r, 'scope, 'env> {
    state: &'r mut State<'scope, 'env>,
    common: &'r Common,
}

impl Run<'_, '_, '_> {
    fn stage(&self, stage: StageId) -> Result<&Stage, Refused> {
        let stages = self.common.tree.stages();
        stages.get(stage.0 as usize).ok_or(Refused::NoStage { stage, nodes: stages.len() })
    }

    /// The engine ends, and one begins that is as the program is then. If that is about to happen, nothing is
    /// to be done.
    fn begin_again(&self) {
        if !self.common.progress.is_switching() {
            self.common.progress.switch();
        }
    }

    /// Refuses a program that is larger than the present one and too large.
    fn check_size(&self, asked: u64) -> Result<(), Refused> {
        let is_too_large = asked > MOST_TASKS && asked > self.state.present.size();
        if is_too_large { Err(Refused::TooMany { asked, most: MOST_TASKS }) } else { Ok(()) }
    }

    /// Sets who serves an item together.
    fn set_staff(&mut self, stage: StageId, weights: Vec<u32>) -> Result<(), Refused> {
        self.check_workers(stage, weights.len() as u64)?;
        let crew = self.state.crew.as_ref().ok_or(Refused::Ended)?;
        crew.set_staff(stage, &weights)?;
        self.state.present = self.state.present.with_shares(stage, weights);
        Ok(())
    }

    fn set_workers(&mut self, stage: StageId, team: &TeamStage, workers: u32) -> Result<(), Refused> {
        if let TeamKind::FaultTolerant { .. } = team.kind {
            if workers < 3 || workers.is_multiple_of(2) {
                return Err(Refused::NoMajority(workers));
            }
            if workers > team.workers {
                return Err(Refused::NoFunctions { workers, functions: team.workers });
            }
        }
        self.check_workers(stage, u64::from(workers))?;
        self.set_staff(stage, vec![1; workers as usize])
    }

    fn set_group(&mut self, group: StageId, replicas: u32) -> Result<(), Refused> {
        let other = self.state.present.with_replicas(group, replicas);
        self.check_size(other.size())?;
        match &mut self.state.crew {
            Some(crew) if !self.common.progress.is_switching() => crew.set_replicas(group, replicas)?,
            // From here on there is a thread for each replica.
            None if matches!(self.state.execution, Execution::Pull(_)) => self.begin_again(),
            // The engine that begins next has so many.
            _ => {}
        }
        self.state.present = other;
        Ok(())
    }
}

impl Actuators for Run<'_, '_, '_> {
    fn set_replicas(&mut self, stage: StageId, wanted: Wanted) -> Result<u32, Refused> {
        self.stage(stage)?;
        let tree = self.state.present.tree();
        let (group, present) = group(&tree, stage).ok_or(Refused::NotReplicated(stage))?;
        let replicas = match wanted {
            Wanted::Exactly(replicas) => replicas,
            Wanted::OneMore => present.saturating_add(1),
            Wanted::OneFewer => present - 1,
        };
        if replicas == 0 {
            return Err(Refused::NoReplica);
        }
        match self.common.tree.stage(group) {
            Stage::Team(team) => self.set_workers(group, team, replicas)?,
            _ => self.set_group(group, replicas)?,
        }
        Ok(replicas)
    }

    fn set_shares(&mut self, stage: StageId, weights: Vec<u32>) -> Result<(), Refused> {
        self.shares(stage)?;
        if weights.is_empty() {
            return Err(Refused::NoWeight);
        }
        if weights.iter().all(|&weight| weight == 0) {
            return Err(Refused::NoShare);
        }
        self.set_staff(stage, weights)
    }

    fn shares(&self, stage: StageId) -> Result<Vec<u32>, Refused> {
        let is_parted = match self.stage(stage)? {
            Stage::Team(team) => !matches!(team.kind, TeamKind::FaultTolerant { .. }),
            _ => false,
        };
        let shares = self.state.present.shares(stage).filter(|_| is_parted);
        shares.ok_or(Refused::NoMap(stage))
    }

    fn check_workers(&self, stage: StageId, workers: u64) -> Result<(), Refused> {
        self.check_size(self.state.present.size_with_workers(stage, workers))
    }

    fn set_batch(&mut self, items: usize) -> Result<(), Refused> {
        if items == 0 || items > MOST_ITEMS {
            return Err(Refused::Batch { items, most: MOST_ITEMS });
        }
        if items > 1 && self.common.tree.has_team() {
            return Err(Refused::BatchOfTeam(items));
        }
        self.state.tuning.set_batch(items);
        self.state.present = self.state.present.with_batch(items);
        Ok(())
    }

    fn batch(&self) -> usize {
        self.state.tuning.batch()
    }

    fn set_buffers(&mut self, before: Option<StageId>, capacity: u32) -> Result<(), Refused> {
        before.map(|stage| self.stage(stage).map(drop)).transpose()?;
        let keeps_state = |id: &StageId| matches!(self.common.tree.stage(*id), Stage::Team(team) if matches!(team.kind, TeamKind::MapWithState(_)));
        if let Some(stage) = self.common.tree.leaves().find(keeps_state) {
            return Err(Refused::KeepsState(stage));
        }
        let other = self.state.present.with_buffers(before, capacity).map_err(Refused::Buffers)?;
        if other.capacities() != self.state.present.capacities() {
            self.begin_again();
            self.state.present = other;
        }
        Ok(())
    }

    #[cfg(feature = "affinity")]
    fn move_replica(&self, stage: StageId, replica: usize, processor: usize) -> Result<(), Refused> {
        let mut task = stage;
        while let Stage::Replicated { worker, .. } = self.stage(task)? {
            task = *worker;
        }
        if matches!(self.stage(task)?, Stage::Pipe(_)) {
            return Err(Refused::NoTask(stage));
        }
        let processors = self.common.monitors.processors();
        if processor >= processors {
            return Err(Refused::NoProcessor { processor, processors });
        }
        let is_there = self.common.monitors.move_replica(task, replica, processor);
        if is_there { Ok(()) } else { Err(Refused::NotThere { replica }) }
    }

    fn program(&self) -> Program<Tree> {
        self.state.present.program()
    }
}

/// The stage whose number is meant, and its number now: a map, whose workers are, or a deal or farm that the
/// stage is, or whose worker it is.
fn group(tree: &Tree, stage: StageId) -> Option<(StageId, u32)> {
    if let Stage::Team(team) = tree.stage(stage) {
        return Some((stage, team.workers));
    }
    let group = tree.replicated_by(stage)?;
    match *tree.stage(group) {
        Stage::Replicated { replicas, .. } => Some((group, replicas)),
        _ => None,
    }
}
