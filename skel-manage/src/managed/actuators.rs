//! The actions of a manager on a run, by the run's handle.

use std::time::Duration;

use skel_core::skeleton::{Program, Stage, StageId, TeamKind, TeamStage, Tree};
use skel_run::monitor::TaskFigures;
use skel_run::{Control, Refused};

use crate::action::{Action, Actuators, Refusal};

/// For how long a processor is busy when a thread starts: 42 µs were measured on an x86-64 server at 2.5 GHz.
const START_OF_A_THREAD: Duration = Duration::from_micros(42);

/// A run that goes on.
#[derive(Debug)]
pub(super) struct OfRun {
    control: Control,
    /// The program as it began, for the moments at which the run is not there.
    began: Program<Tree>,
}

impl OfRun {
    /// A run of this program.
    pub(super) fn new(control: Control, began: Program<Tree>) -> Self {
        OfRun { control, began }
    }

    /// How long new queues take: items that are inside leave first, and then all threads begin again.
    fn new_queues(&self) -> Duration {
        let Some(snapshot) = self.control.snapshot() else { return Duration::ZERO };
        let threads: usize = snapshot.tasks.iter().map(TaskFigures::running).sum();
        snapshot.mean_response_time().unwrap_or_default() + START_OF_A_THREAD * threads as u32
    }

    fn is_map(&self, stage: StageId) -> bool {
        let program = self.program();
        matches!(
            program.skeleton().stages().get(stage.index()),
            Some(Stage::Team(TeamStage { kind: TeamKind::Map | TeamKind::MapWithState(_), .. }))
        )
    }

    fn has_replicas(&self, stage: StageId) -> bool {
        let program = self.program();
        let stage = program.skeleton().stages().get(stage.index());
        matches!(stage, Some(Stage::Replicated { .. } | Stage::Team(_)))
    }

    fn ask(&self, action: &Action) -> Result<(), Refused> {
        let control = &self.control;
        match action {
            Action::SetReplicas { stage, to, .. } => control.set_replicas_of(*stage, *to),
            Action::Repartition { stage, shares } => control.set_shares_of(*stage, shares),
            Action::Nest { stage, worker, workers } => {
                control.split_worker_of(*stage, *worker as usize, *workers).map(drop)
            }
            #[cfg(feature = "affinity")]
            Action::Move { stage, replica, to } => {
                control.move_replica_of(*stage, *replica as usize, to.number() as usize - 1)
            }
            Action::SetBuffers { to, .. } => control.set_buffers(*to),
            Action::SetBatch { to, .. } => control.set_batch(*to as usize),
            // The log has a report, and what a run cannot do is not asked for.
            _ => Ok(()),
        }
    }
}

impl Actuators for OfRun {
    fn program(&self) -> Program<Tree> {
        self.control.program().unwrap_or_else(|| self.began.clone())
    }

    fn perform(&mut self, action: &Action) -> Result<(), Refusal> {
        if !self.can(action) {
            return Err(Refusal("a run cannot do this".to_owned()));
        }
        self.ask(action).map_err(|refused| Refusal(refused.to_string()))
    }

    fn cost(&self, action: &Action) -> Duration {
        match action {
            Action::SetReplicas { from, to, .. } => START_OF_A_THREAD * to.saturating_sub(*from),
            Action::Nest { workers, .. } => START_OF_A_THREAD * workers.saturating_sub(1),
            Action::SetBuffers { .. } => self.new_queues(),
            _ => Duration::ZERO,
        }
    }

    fn can(&self, action: &Action) -> bool {
        match action {
            Action::SetReplicas { stage, .. } => self.has_replicas(*stage),
            Action::Repartition { stage, .. } | Action::Nest { stage, .. } => self.is_map(*stage),
            Action::Move { .. } => cfg!(feature = "affinity"),
            Action::SetBuffers { .. } | Action::SetBatch { .. } | Action::Report { .. } => true,
        }
    }
}
