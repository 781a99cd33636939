//! The move of a replica to another processor, and what it gains.

use skel_core::skeleton::{Replication, Stage, StageId, Tree};
use skel_plan::ProcessorId;

use crate::action::Action;
use crate::measure::Measures;

/// The move of a task's replica, or a team's worker, to a faster processor.
/// [`Placement::relocation`](super::Placement::relocation) makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Relocation {
    pub(super) stage: StageId,
    pub(super) replica: usize,
    pub(super) from: ProcessorId,
    pub(super) to: ProcessorId,
    /// The powers of the processors of all replicas before it.
    pub(super) powers: Vec<f64>,
    /// The power of the other processor.
    pub(super) power: f64,
}

impl Relocation {
    /// The task or team.
    #[must_use]
    pub fn stage(&self) -> StageId {
        self.stage
    }

    /// Which of its replicas or workers, from 0.
    #[must_use]
    pub fn replica(&self) -> u32 {
        self.replica as u32
    }

    /// Where it is.
    #[must_use]
    pub fn from(&self) -> ProcessorId {
        self.from
    }

    /// Where it moves.
    #[must_use]
    pub fn to(&self) -> ProcessorId {
        self.to
    }

    /// How many times as fast it is there: the ratio of the powers, above 1.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.power / self.powers[self.replica]
    }

    /// The action.
    #[must_use]
    pub fn action(&self) -> Action {
        Action::Move { stage: self.stage, replica: self.replica(), to: self.to }
    }

    /// What is to be measured after it, if times are inversely proportional to powers. A model calibrated
    /// with it predicts the service time.
    ///
    /// The mean time of a task with replicas changes with the mean of all. Where each takes equally many
    /// items, as in a deal, that is the mean of the times. In a farm each takes items as fast as it can, so
    /// it is their harmonic mean. What a map with state takes for its states is left as it is.
    #[must_use]
    pub fn applied(&self, measures: &Measures, tree: &Tree) -> Measures {
        let mut measures = measures.clone();
        let Some(stage) = measures.stages.iter_mut().find(|stage| stage.id == self.stage) else {
            return measures;
        };
        let workers = stage.worker_times.len();
        if workers < 2 {
            let factor = self.factor(1, self.takes_equally_many(tree));
            stage.time *= factor;
            stage.worker_times.iter_mut().for_each(|time| *time *= factor);
        } else {
            let before: f64 = stage.worker_times.iter().sum();
            stage.worker_times[self.replica % workers] *= self.factor(workers, true);
            stage.time *= stage.worker_times.iter().sum::<f64>() / before;
        }
        measures
    }

    /// By what factor the mean time changes of those that are counted together: every so many of the
    /// replicas.
    fn factor(&self, every: usize, takes_equally_many: bool) -> f64 {
        let first = self.replica % every;
        let before: Vec<f64> = self.powers.iter().skip(first).step_by(every).copied().collect();
        let mut after = before.clone();
        after[self.replica / every] = self.power;
        let speed = |powers: &[f64]| -> f64 {
            match takes_equally_many {
                true => 1.0 / powers.iter().map(|power| 1.0 / power).sum::<f64>(),
                false => powers.iter().sum(),
            }
        };
        speed(&before) / speed(&after)
    }

    fn takes_equally_many(&self, tree: &Tree) -> bool {
        let above = tree.replicated_by(self.stage).map(|above| tree.stage(above));
        matches!(above, Some(Stage::Replicated { replication: Replication::Deal, .. }))
    }
}
