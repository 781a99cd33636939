//! Why a mapping is as fast as it is: what is busy, and what is the bottleneck.
//!
//! An activity that is done `X` times a second at the rate `r`, and so takes `1 / r` on average, is under way
//! with the probability `X / r`. That is Little's law, which holds for times of any distribution. The
//! *utilisation* of a processor is the part of its power that is used. Each of its `n` tasks has a share of
//! `1/n` of the power, and uses its share while it computes. The utilisation of a link is the mean number of
//! moves that are under way on it. This number may be above one, since the network of the model carries
//! several moves at the same time. The *bottleneck* is the activity that is under way most of the time.

use skel_core::number::Number;

use super::resource::Resource;
use crate::evaluate::{Evaluation, Planner};
use crate::platform::ProcessorId;
use crate::program::Mapping;

/// What a task or a move does under a mapping.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Activity {
    /// Where it takes place.
    pub resource: Resource,
    /// Its rate: how often per second it would be done if it were always under way. It is one over the mean
    /// of its time.
    pub rate: f64,
    /// How often it is done, per second.
    pub throughput: f64,
    /// The probability that it is under way.
    pub busy: f64,
}

/// How busy tasks, moves, processors and links are under a mapping.
///
/// # Examples
/// ```
/// use skel_plan::*;
/// let processors = [10, 10].map(|power| Processor::new(Power::per_second(power)));
/// let bandwidth = Bandwidth::bytes_per_second;
/// let platform = Platform::new(processors, &Links::everywhere(bandwidth(1)).within(bandwidth(10_000)))?;
/// let stages = [1, 1, 1].map(|work| Stage::new(Work::units(work)));
/// let planner = Planner::new(Application::pipeline(stages, Data::bytes(1))?, platform);
/// let explanation = planner.evaluate(&Mapping::new([1, 1, 2]))?.explain(&planner);
/// assert_eq!(explanation.bottleneck().resource.to_string(), "link 1-2");
/// assert!(explanation.utilisation(Resource::Processor(1.into())) < explanation.bottleneck().busy);
/// # Ok::<(), skel_solve::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    tasks: Vec<Activity>,
    moves: Vec<Activity>,
    loads: Vec<(ProcessorId, usize)>,
}

impl Evaluation {
    /// How busy everything is. The planner must be the one that made the evaluation.
    #[must_use]
    pub fn explain(&self, planner: &Planner) -> Explanation {
        let Evaluation { mapping, rates, throughputs, .. } = self;
        let activity = |resource: Resource, rate: f64, throughput: f64| Activity {
            resource,
            rate,
            throughput,
            busy: throughput / rate,
        };
        let tasks = mapping.processors().iter().zip(&rates.tasks).zip(&throughputs.tasks);
        let tasks =
            tasks.map(|((&host, rate), &flow)| activity(Resource::Processor(host), rate.to_float(), flow));
        let moves = planner.application().moves().zip(&rates.moves).zip(&throughputs.moves);
        let moves = moves.map(|(((from, to), rate), &flow)| {
            activity(
                Resource::Link(mapping.processor_at(from), mapping.processor_at(to)),
                rate.to_float(),
                flow,
            )
        });
        Explanation { tasks: tasks.collect(), moves: moves.collect(), loads: loads(mapping) }
    }
}

/// The processors in use, ascending, and the tasks on each.
fn loads(mapping: &Mapping) -> Vec<(ProcessorId, usize)> {
    let mut ids = mapping.processors().to_vec();
    ids.sort_unstable();
    ids.dedup();
    ids.into_iter().map(|id| (id, mapping.load(id))).collect()
}

impl Explanation {
    /// The tasks, in their order.
    #[must_use]
    pub fn tasks(&self) -> &[Activity] {
        &self.tasks
    }

    /// The moves, in their order; those of a pipeline begin with its input and end with its output.
    #[must_use]
    pub fn moves(&self) -> &[Activity] {
        &self.moves
    }

    /// The activity that is under way most of the time. If there are several, it is the first of them, and
    /// tasks come before moves. Probabilities whose relative difference is below `1e-9` count as equal.
    #[must_use]
    pub fn bottleneck(&self) -> &Activity {
        const ROUNDING: f64 = 1e-9;
        let mut all = self.tasks.iter().chain(&self.moves);
        let first = all.next().expect("a program has a task");
        all.fold(first, |most, one| if one.busy > most.busy * (1.0 + ROUNDING) { one } else { most })
    }

    /// The processors and links in use, in order.
    #[must_use]
    pub fn resources(&self) -> Vec<Resource> {
        let mut used: Vec<Resource> = self.tasks.iter().chain(&self.moves).map(|one| one.resource).collect();
        used.sort_unstable();
        used.dedup();
        used
    }

    /// The part of a processor's power that is used, or the mean number of moves that are under way on a
    /// link. It is zero for a processor or a link that the mapping does not use.
    #[must_use]
    pub fn utilisation(&self, resource: Resource) -> f64 {
        let all = self.tasks.iter().chain(&self.moves);
        let busy: f64 = all.filter(|one| one.resource == resource).map(|one| one.busy).sum();
        let load = self.loads.iter().find(|(id, _)| Resource::Processor(*id) == resource);
        load.map_or(busy, |(_, tasks)| busy / *tasks as f64)
    }
}
