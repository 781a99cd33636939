//! Actions on single workers: other parts for those of a map, several in the place of one, and a task on
//! another processor.

use skel_core::number::Number;
use skel_core::skeleton::{Stage, StageId, TeamKind, TeamStage};
use skel_plan::ProcessorId;
use skel_run::functions::Shares;

use super::services::{Source, Split};
use super::simulation::Simulation;
use crate::action::{Action, Refusal};

impl Simulation {
    /// Where the times of a task or team come from.
    fn source_of(&mut self, stage: StageId) -> Option<&mut Source> {
        let place = self.network.places.iter().position(|place| place.id == stage)?;
        self.draws.0.get_mut(place)
    }

    /// Gives the workers of a map these parts; equal ones if there are none.
    pub(super) fn share(&mut self, stage: StageId, parts: Vec<u32>) {
        if let Some(Source { split: Split::Parts(_, shares), .. }) = self.source_of(stage) {
            *shares = parts;
        }
    }

    /// How many workers a map has.
    pub(super) fn workers_of_map(&self, stage: StageId) -> Result<u32, Refusal> {
        match self.program.skeleton().stages().get(stage.index()) {
            Some(Stage::Team(TeamStage { kind: TeamKind::Map, workers, .. })) => Ok(*workers),
            _ => Err(no_parts()),
        }
    }

    pub(super) fn repartition(&mut self, stage: StageId, shares: &[u32]) -> Result<(), Refusal> {
        let workers = self.workers_of_map(stage)? as usize;
        if shares.len() != workers || shares.iter().all(|share| *share == 0) {
            return Err(Refusal(format!(
                "a map of {workers} workers takes {workers} parts, one of which is above 0, and not {shares:?}"
            )));
        }
        self.share(stage, shares.to_vec());
        Ok(())
    }

    /// So many workers in the place of one, each as fast as it was, which have its part in equal parts.
    pub(super) fn nest(&mut self, stage: StageId, worker: u32, into: u32) -> Result<(), Refusal> {
        let workers = self.workers_of_map(stage)?;
        if worker >= workers || into == 0 {
            return Err(Refusal(format!(
                "{into} workers cannot take the place of worker {worker} of a map of {workers}"
            )));
        }
        let (place, all) = (worker as usize, workers as usize);
        let source = self.source_of(stage).ok_or_else(no_parts)?;
        let Split::Parts(_, shares) = &source.split else { return Err(no_parts()) };
        let before = if shares.len() == all { shares.clone() } else { vec![1; all] };
        let parts = Shares::weighted(before).split(place, into as usize).weights().to_vec();
        source.speeds.resize(all, 1.0);
        let speed = source.speeds[place];
        source.speeds.splice(place..=place, std::iter::repeat_n(speed, into as usize));
        self.set_replicas(stage, workers + into - 1)?;
        self.share(stage, parts);
        Ok(())
    }

    /// Moves a task without replicas.
    pub(super) fn move_to(
        &mut self,
        action: &Action,
        stage: StageId,
        to: ProcessorId,
    ) -> Result<(), Refusal> {
        let is_alone = self.program.skeleton().replicated_by(stage).is_none();
        let Some(placement) = self.placement.as_mut().filter(|_| is_alone) else {
            return Err(Refusal(
                "a simulated task moves if it has no replicas and its place is known".to_owned(),
            ));
        };
        let &[from] = placement.processors_of(stage) else {
            return Err(Refusal("only a task moves in a simulated program".to_owned()));
        };
        if !placement.platform().contains(to) {
            return Err(Refusal(format!("the platform has no processor {to}")));
        }
        let power = |id: ProcessorId| placement.platform().power(id).to_float();
        let ratio = power(to) / power(from);
        placement.note(action, self.program.skeleton());
        if let Some(source) = self.source_of(stage) {
            let speed = source.speeds.first().copied().unwrap_or(1.0);
            source.speeds = vec![speed * ratio];
        }
        Ok(())
    }
}

fn no_parts() -> Refusal {
    Refusal("only the workers of a map have parts of an item".to_owned())
}
