//! The actions of a manager on a run, by the run's handle.

use std::time::Duration;

use skel_core::skeleton::{Program, Stage, StageId, Tree};
use skel_run::Control;

use crate::action::{Action, Actuators, Refusal};

/// For how long a processor is busy when a thread starts: 42 µs were measured on an x86-64 server at 2.5 GHz.
const START_OF_A_THREAD: Duration = Duration::from_micros(42);

/// A run that goes on.
#[derive(Debug)]
pub(super) struct OfRun {
    control: Control,
    program: Program<Tree>,
}

impl OfRun {
    /// A run of this program, which begins with its numbers of replicas.
    pub(super) fn new(control: Control, program: Program<Tree>) -> Self {
        OfRun { control, program }
    }

    fn set_replicas(&mut self, stage: StageId, to: u32) -> Result<(), Refusal> {
        self.control.set_replicas_of(stage, to).map_err(|refused| Refusal(refused.to_string()))?;
        let tree = self.program.skeleton();
        self.program = match tree.stage(stage) {
            Stage::Team(_) => self.program.with_skeleton(tree.with_workers(&[(stage, to)])),
            _ => self.program.with_replicas(&[(stage, to)]),
        };
        Ok(())
    }
}

impl Actuators for OfRun {
    fn program(&self) -> Program<Tree> {
        self.program.clone()
    }

    fn perform(&mut self, action: &Action) -> Result<(), Refusal> {
        match action {
            Action::SetReplicas { stage, to, .. } => self.set_replicas(*stage, *to),
            // The log has it.
            Action::Report { .. } => Ok(()),
            _ => Err(Refusal("a run cannot do this".to_owned())),
        }
    }

    fn cost(&self, action: &Action) -> Duration {
        match action {
            Action::SetReplicas { from, to, .. } => START_OF_A_THREAD * to.saturating_sub(*from),
            _ => Duration::ZERO,
        }
    }

    fn can(&self, action: &Action) -> bool {
        match action {
            Action::SetReplicas { stage, .. } => {
                matches!(self.program.skeleton().stage(*stage), Stage::Replicated { .. } | Stage::Team(_))
            }
            Action::Report { .. } => true,
            _ => false,
        }
    }
}
