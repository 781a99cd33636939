//! What the conditions of rules ask for, at one stage. What the model has to say is found when it is asked
//! for.

use std::cell::OnceCell;

use skel_core::skeleton::{Program, Stage, StageId, Tree};

use super::settings::Settings;
use crate::contract::Contract;
use crate::measure::{Measures, StageMeasures};
use crate::model::{Model, Prediction};
use crate::placement::Placement;
use crate::quantity::ServiceTime;
use crate::rule::{Facts, Measure};

/// What is known when a manager looks at a window.
pub(super) struct Look<'l> {
    pub(super) contract: &'l Contract,
    pub(super) settings: &'l Settings,
    pub(super) program: &'l Program<Tree>,
    pub(super) measures: Measures,
    pub(super) model: Model,
    /// The service time beyond which something is done: that of the contract with its tolerance, and without
    /// it while the contract is being restored.
    pub(super) limit: ServiceTime,
    /// By what factor predictions are corrected.
    pub(super) correction: f64,
    /// How long the run is still to go on, in seconds.
    pub(super) left: f64,
    /// Where everything is, if the platform is known.
    pub(super) placement: Option<Placement>,
    /// The last half of the window.
    pub(super) recent: Option<Measures>,
    now: OnceCell<Prediction>,
}

/// The facts at one stage.
pub(super) struct AtStage<'l> {
    pub(super) look: &'l Look<'l>,
    pub(super) stage: usize,
}

impl<'l> Look<'l> {
    pub(super) fn new(
        contract: &'l Contract,
        settings: &'l Settings,
        program: &'l Program<Tree>,
        measures: Measures,
        limit: ServiceTime,
    ) -> Self {
        let model = Model::calibrated(program, &measures);
        Look {
            contract,
            settings,
            program,
            measures,
            model,
            limit,
            correction: 1.0,
            left: f64::INFINITY,
            placement: None,
            recent: None,
            now: OnceCell::new(),
        }
    }

    /// What is predicted for the program as it is.
    pub(super) fn now(&self) -> &Prediction {
        self.now.get_or_init(|| self.model.predict(&[]))
    }

    /// A prediction, corrected.
    pub(super) fn corrected(&self, prediction: &Prediction) -> ServiceTime {
        prediction.by(self.settings.consult).times(self.correction)
    }

    /// Whether the measured service time is beyond the limit by so many standard errors. Of its logarithm, as
    /// the error is in proportion to the service time.
    pub(super) fn is_beyond(&self, errors: f64) -> bool {
        let measured = self.measures.service_time.seconds();
        (measured / self.limit.seconds()).ln() > errors * self.measures.error
    }

    /// The places of the stages, the slowest first.
    pub(super) fn slowest_first(&self) -> Vec<usize> {
        let mut stages: Vec<usize> = (0..self.measures.stages.len()).collect();
        let time = |&stage: &usize| stage_time(&self.measures.stages[stage]);
        stages.sort_by(|one, other| time(other).total_cmp(&time(one)));
        stages
    }

    pub(super) fn all_workers(&self) -> u32 {
        self.measures.stages.iter().map(|stage| stage.replicas * stage.workers).sum()
    }
}

/// f(T_W, n): the time of a stage for each item.
pub(super) fn stage_time(stage: &StageMeasures) -> f64 {
    stage.worker_times.iter().copied().fold(stage.time, f64::max) / f64::from(stage.replicas.max(1))
}

/// The farm, deal or team whose number of replicas or workers a rule about this task changes; none of a task
/// alone.
pub(super) fn place_of(tree: &Tree, task: StageId) -> Option<StageId> {
    match tree.stage(task) {
        Stage::Team(_) if tree.replicated_by(task).is_none() => Some(task),
        _ => tree.replicated_by(task),
    }
}

/// The number of replicas or workers there.
pub(super) fn number_at(tree: &Tree, place: StageId) -> u32 {
    match tree.stage(place) {
        Stage::Replicated { replicas, .. } => *replicas,
        Stage::Team(team) => team.workers,
        Stage::Task(_) | Stage::Pipe(_) => 1,
    }
}

impl AtStage<'_> {
    fn measures(&self) -> &StageMeasures {
        &self.look.measures.stages[self.stage]
    }

    fn neighbour(&self, stage: Option<usize>) -> f64 {
        stage.and_then(|stage| self.look.measures.stages.get(stage)).map_or(0.0, stage_time)
    }

    fn with_fewer(&self) -> f64 {
        let tree = self.look.program.skeleton();
        let Some(place) = place_of(tree, self.measures().id) else { return f64::INFINITY };
        match number_at(tree, place) {
            0 | 1 => f64::INFINITY,
            number => {
                let prediction = self.look.model.predict(&[(place, number - 1)]);
                self.look.corrected(&prediction).seconds()
            }
        }
    }

    fn buffer(&self) -> f64 {
        let capacities = self.look.program.capacities_before_tasks().unwrap_or_default();
        let here = capacities.iter().find(|(id, _)| *id == self.measures().id);
        here.map_or(0.0, |&(_, capacity)| f64::from(capacity))
    }

    fn imbalance(&self) -> f64 {
        let times = &self.measures().worker_times;
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        if times.len() < 2 || mean <= 0.0 { 1.0 } else { times.iter().copied().fold(0.0, f64::max) / mean }
    }

    fn has_faster_processor(&self) -> bool {
        let placement = self.look.placement.as_ref();
        placement.is_some_and(|placement| placement.relocation(self.measures().id).is_some())
    }

    fn can_grow(&self) -> bool {
        place_of(self.look.program.skeleton(), self.measures().id).is_some()
            && self.look.all_workers() < self.look.settings.most_workers
    }
}

impl Facts for AtStage<'_> {
    fn value(&self, measure: Measure) -> f64 {
        let (look, stage) = (self.look, self.measures());
        let seconds = |time: Option<ServiceTime>| time.map_or(0.0, ServiceTime::seconds);
        let yes = |is: bool| f64::from(u8::from(is));
        match measure {
            Measure::ServiceTime => look.measures.service_time.seconds(),
            Measure::Contract => look.contract.goal().seconds(),
            Measure::Limit => look.limit.seconds(),
            Measure::Predicted => look.corrected(look.now()).seconds(),
            Measure::PredictedWithFewer => self.with_fewer(),
            Measure::ArrivalTime => seconds(look.measures.arrival_time),
            Measure::OutputTime => seconds(look.measures.output_time),
            Measure::DispatchTime => self.neighbour(self.stage.checked_sub(1)),
            Measure::CollectTime => self.neighbour(Some(self.stage + 1)),
            Measure::WorkerTime => stage.time,
            Measure::StageTime => stage_time(stage),
            Measure::SlowestTime => look.measures.stages.iter().map(stage_time).fold(0.0, f64::max),
            Measure::Workers => f64::from(stage.replicas.max(stage.workers)),
            Measure::AllWorkers => f64::from(look.all_workers()),
            Measure::Variation => stage.scv.unwrap_or(0.0),
            Measure::Imbalance => self.imbalance(),
            Measure::Queue => stage.queue.unwrap_or(0) as f64,
            Measure::Buffer => self.buffer(),
            Measure::Batch => look.measures.items_in_a_parcel,
            Measure::Busy => stage.busy,
            Measure::Starved => stage.starved,
            Measure::Blocked => stage.blocked,
            Measure::Waiting => stage.waiting,
            Measure::Services => stage.services as f64,
            Measure::TimeLeft => look.left,
            Measure::CanGrow => yes(self.can_grow()),
            Measure::IsMap => yes(stage.workers > 1),
            Measure::FasterProcessor => yes(self.has_faster_processor()),
        }
    }
}
