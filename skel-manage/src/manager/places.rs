//! What rules ask for that is about places and parts: another processor, other parts of items, several
//! workers in the place of one.

use super::choice::{Choice, Intent, act};
use super::facts::Look;
use crate::action::Action;
use crate::measure::Measures;
use crate::model::Model;
use crate::placement::{Placement, repartitioned, split};

impl Look<'_> {
    /// The slowest task moves to a faster processor.
    pub(super) fn migrate(&self, placement: Option<&Placement>) -> Choice {
        let tree = self.program.skeleton();
        let Some(relocation) = placement.and_then(|placement| placement.relief(&self.measures, tree)) else {
            return Choice::Nothing;
        };
        let then = self.predicted_with(&relocation.applied(&self.measures, tree));
        let reason = format!(
            "`{}` is the slowest stage and has no replicas; processor {} is free and {:.2} times as fast as processor {}",
            tree.name(relocation.stage()),
            relocation.to(),
            relocation.ratio(),
            relocation.from(),
        );
        Choice::Act(Intent { actions: vec![relocation.action()], then, reason })
    }

    /// Parts by the speeds of the workers of a map.
    pub(super) fn repartition(&self, stage: usize, shares: &[u32]) -> Choice {
        let stage = &self.measures.stages[stage];
        let Some(found) = repartitioned(shares, &stage.worker_times) else { return Choice::Nothing };
        let mut after = self.measures.clone();
        for of in after.stages.iter_mut().filter(|of| of.id == stage.id) {
            of.time = found.slowest;
            of.worker_times.fill(found.slowest);
        }
        let then = self.predicted_with(&after);
        let reason = format!(
            "the workers of `{}` differ in speed; with parts to match, the slowest is as fast as the others",
            stage.name
        );
        let actions = vec![Action::Repartition { stage: stage.id, shares: found.shares }];
        Choice::Act(Intent { actions, then, reason })
    }

    /// So many workers for the part of the slowest worker of a map.
    pub(super) fn nest(&self, stage: usize, shares: &[u32], workers: u32) -> Choice {
        let stage = &self.measures.stages[stage];
        let Some(found) = split(shares, &stage.worker_times, workers) else { return Choice::Nothing };
        let reason =
            format!("worker {} of `{}` is the slowest; {workers} serve its part", found.worker, stage.name);
        act(Action::Nest { stage: stage.id, worker: found.worker, workers }, reason)
    }

    fn predicted_with(&self, measures: &Measures) -> Option<crate::model::Prediction> {
        Some(Model::calibrated(self.program, measures).predict(&[]))
    }
}
