//! The program as it is now: as it began, and what was asked for since.

use skel_core::skeleton::{Program, Stage, StageId, TeamStage, Tree};

/// The program as it is now.
#[derive(Clone, Debug)]
pub(super) struct Present {
    /// With the skeleton as it was in the beginning, and the buffers of now.
    program: Program<Tree>,
    /// How many parcels can wait before each task.
    capacities: Vec<usize>,
    /// Whether the buffers are others than in the beginning.
    has_other_buffers: bool,
    /// The replicas of deals and farms that were asked for.
    replicas: Vec<(StageId, u32)>,
    /// The weights of workers that serve an item together, where they were asked for.
    shares: Vec<(StageId, Vec<u32>)>,
    /// The size of parcels that was asked for.
    batch: Option<usize>,
}

impl Present {
    /// A program that begins.
    pub(super) fn new(program: Program<Tree>, capacities: Vec<usize>, batch: Option<usize>) -> Self {
        let (replicas, shares) = (Vec::new(), Vec::new());
        Present { program, capacities, has_other_buffers: false, replicas, shares, batch }
    }

    /// The skeleton, of which each node has the number that it had in the beginning.
    pub(super) fn tree(&self) -> Tree {
        let count = |(stage, weights): &(StageId, Vec<u32>)| (*stage, weights.len() as u32);
        let workers: Vec<(StageId, u32)> = self.shares.iter().map(count).collect();
        self.program.skeleton().with_workers(&workers).with_replicas(&self.replicas)
    }

    /// The program.
    pub(super) fn program(&self) -> Program<Tree> {
        self.program.with_skeleton(self.tree())
    }

    /// How many parcels can wait before each task.
    pub(super) fn capacities(&self) -> &[usize] {
        &self.capacities
    }

    /// The size of parcels that was asked for, in the beginning or since.
    pub(super) fn batch(&self) -> Option<usize> {
        self.batch
    }

    /// The weights of the workers of a stage where several serve an item together.
    pub(super) fn shares(&self, stage: StageId) -> Option<Vec<u32>> {
        let asked = self.shares.iter().find(|(known, _)| *known == stage);
        match self.program.skeleton().stage(stage) {
            Stage::Team(team) => {
                Some(asked.map_or_else(|| vec![1; team.workers as usize], |(_, weights)| weights.clone()))
            }
            _ => None,
        }
    }

    /// Whether something was asked for that only means something where there is a thread for each replica.
    pub(super) fn needs_threads(&self) -> bool {
        self.has_other_buffers || !self.replicas.is_empty()
    }

    /// The same with another number of replicas.
    pub(super) fn with_replicas(&self, group: StageId, replicas: u32) -> Self {
        let mut other = self.clone();
        other.replicas.retain(|(known, _)| *known != group);
        other.replicas.push((group, replicas));
        other
    }

    /// The same with other weights.
    pub(super) fn with_shares(&self, stage: StageId, weights: Vec<u32>) -> Self {
        let mut other = self.clone();
        other.shares.retain(|(known, _)| *known != stage);
        other.shares.push((stage, weights));
        other
    }

    /// The same with another size of parcels.
    pub(super) fn with_batch(&self, batch: usize) -> Self {
        Present { batch: Some(batch), ..self.clone() }
    }

    /// The same with another capacity before a stage, or everywhere.
    ///
    /// # Errors
    /// What is wrong with that, in words.
    pub(super) fn with_buffers(&self, before: Option<StageId>, capacity: u32) -> Result<Self, String> {
        let program = self.program.clone();
        let program = match before {
            Some(stage) => {
                let buffers = program.buffer_capacities().clone().before(stage, capacity);
                program.with_buffers(buffers)
            }
            None => program.buffers(capacity),
        };
        let capacities = program.capacities_before_tasks().map_err(|errors| errors.to_string())?;
        let capacities = capacities.into_iter().map(|(_, capacity)| capacity as usize).collect();
        Ok(Present { program, capacities, has_other_buffers: true, ..self.clone() })
    }

    /// How many tasks and workers there are, replicas counted.
    pub(super) fn size(&self) -> u64 {
        self.size_with(&|_, team| u64::from(team.workers))
    }

    /// The same, if the workers of one stage were so many.
    pub(super) fn size_with_workers(&self, stage: StageId, workers: u64) -> u64 {
        self.size_with(&|id, team| if id == stage { workers } else { u64::from(team.workers) })
    }

    fn size_with(&self, workers: &dyn Fn(StageId, &TeamStage) -> u64) -> u64 {
        let tree = self.tree();
        size(&tree, tree.root(), workers)
    }
}

fn size(tree: &Tree, id: StageId, workers: &dyn Fn(StageId, &TeamStage) -> u64) -> u64 {
    match tree.stage(id) {
        Stage::Task(_) => 1,
        Stage::Team(team) => workers(id, team),
        Stage::Pipe(stages) => {
            stages.iter().map(|&stage| size(tree, stage, workers)).fold(0, u64::saturating_add)
        }
        Stage::Replicated { replicas, worker, .. } => {
            size(tree, *worker, workers).saturating_mul(u64::from(*replicas))
        }
    }
}
