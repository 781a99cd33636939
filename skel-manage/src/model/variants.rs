//! Models of a program that differs from the measured one in more than numbers of replicas.

use skel_core::skeleton::{Buffers, StageId};
use skel_run::report::time_of;

use super::leaf::Leaf;
use super::numbers::Numbers;
use super::{Model, whole};

impl Model {
    /// The model with the times of one stage so many times as long, as on another processor: 0.5 on one that
    /// is twice as fast. The model is as it was where there is no such task or team, or the factor is not
    /// positive.
    #[must_use]
    pub fn with_times_longer(&self, stage: StageId, factor: f64) -> Model {
        if !(factor > 0.0 && factor.is_finite()) {
            return self.clone();
        }
        self.with_leaf(stage, |leaf| leaf.times.iter_mut().for_each(|time| *time *= factor))
    }

    /// The model of a map whose workers have other shares of each item, where `now` are those that were
    /// measured. A worker's time is proportional to its share. The model is as it was where there is no such
    /// team, or the shares are not one positive number for each worker.
    #[must_use]
    pub fn with_shares(&self, stage: StageId, now: &[u32], then: &[u32]) -> Model {
        let part = |shares: &[u32], worker: usize| {
            f64::from(shares[worker]) / shares.iter().map(|&share| f64::from(share)).sum::<f64>()
        };
        self.with_leaf(stage, |leaf| {
            let are_shares = |shares: &[u32]| shares.len() == leaf.times.len() && !shares.contains(&0);
            if leaf.may_have_other_workers() && are_shares(now) && are_shares(then) {
                for (worker, time) in leaf.times.iter_mut().enumerate() {
                    *time *= part(then, worker) / part(now, worker);
                }
            }
        })
    }

    /// The model with so many items in every buffer.
    #[must_use]
    pub fn with_buffers(&self, capacity: u32) -> Model {
        let program = self.program.clone().with_buffers(Buffers::everywhere(capacity));
        let buffers = program.capacities_before_tasks().unwrap_or_default().into_iter().collect();
        Model { program, buffers, known: Default::default(), ..self.clone() }
    }

    fn with_leaf(&self, stage: StageId, change: impl Fn(&mut Leaf)) -> Model {
        let mut leaves = self.leaves.clone();
        leaves.iter_mut().filter(|leaf| leaf.id == stage).for_each(change);
        let numbers = Numbers::of(self.program.skeleton());
        let time = |mean, scv, _: &Leaf| time_of(mean, Some(scv), u64::MAX);
        let program = whole::program(&self.program, &leaves, &numbers, &time);
        Model { program, leaves, known: Default::default(), ..self.clone() }
    }
}
