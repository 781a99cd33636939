//! A program in virtual time, and what can be done to it.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use skel_core::skeleton::{Buffers, Program, Stage, StageId, TeamKind, TeamStage, Tree};
use skel_core::time::ServiceTime;
use skel_run::monitor::{Snapshot, TaskFigures};

use super::load::Load;
use super::network::{Network, Surroundings};
use super::replica::span;
use super::services::{Draws, Source, Split};
use super::times::Times;
use crate::action::{Action, Actuators, Refusal};
use crate::placement::Placement;

/// The capacity of buffers of a program that says nothing of them, as in a run.
const CAPACITY: u32 = 4;

/// How many items a source makes ahead, and how many can wait before an output, at least.
const OUTSIDE: u32 = 64;

/// What one worker costs: the processor time of a new thread.
const COST_OF_A_WORKER: Duration = Duration::from_micros(42);

/// A program in virtual time: what it would do, item by item, without running.
///
/// Service times are drawn from the distributions of the program, each task from a stream of its own, so that
/// a seed says everything that happens. Items move without taking time; the rates of moves have no part in
/// it. Replicas that are added begin at once, and one that is removed ends the item in its hands. Results of
/// a farm pass on as they come, as in the model; behind a deal they are in order. Its snapshots are those of
/// a run.
///
/// 5 to 8 million services take a second of processor time.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use skel_core::skeleton::{text::parse, Skeleton};
/// use skel_manage::simulate::Simulation;
///
/// let tree = parse("pipe(task(100), farm(8, 12.5), task(100));").into_tree()?;
/// let mut simulation = Simulation::of(&tree.communicating(1e6).buffers(4))?.seed(1);
/// simulation.run_until(Duration::from_secs(600));
/// let service_time = 1.0 / simulation.snapshot().throughput();
/// assert!((service_time - 0.01176).abs() < 0.0002); // the formula says 0.01
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Simulation {
    pub(super) program: Program<Tree>,
    seed: u64,
    loads: BTreeMap<StageId, Load>,
    arrivals: Option<ServiceTime>,
    output: Option<ServiceTime>,
    /// How many times as fast as said the workers of a map are.
    speeds: BTreeMap<StageId, Vec<f64>>,
    /// Where tasks are, if that is known.
    pub(super) placement: Option<Placement>,
    cost_of_a_worker: Duration,
    pub(super) network: Network,
    pub(super) draws: Draws,
}

/// Everything of a program that cannot be simulated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotSimulated(Vec<String>);

impl Simulation {
    /// A program at the beginning, with seed 0, without a load, with items that are always there and an
    /// output that is never full.
    ///
    /// # Errors
    /// Maps with state and fault-tolerant stages that pass on early; buffers that a running program cannot
    /// have.
    pub fn of(program: &Program<Tree>) -> Result<Self, NotSimulated> {
        let tree = program.skeleton();
        let problems: Vec<String> = tree.ids().filter_map(|id| not_simulated(tree, id)).collect();
        if !problems.is_empty() {
            return Err(NotSimulated(problems));
        }
        let program = if program.buffer_capacities().are_unstated() {
            program.clone().buffers(CAPACITY)
        } else {
            program.clone()
        };
        let capacities =
            program.capacities_before_tasks().map_err(|error| NotSimulated(vec![error.to_string()]))?;
        let network = Network::new(tree, &surroundings(&capacities, false, false));
        let simulation = Simulation {
            program,
            seed: 0,
            loads: BTreeMap::new(),
            arrivals: None,
            output: None,
            speeds: BTreeMap::new(),
            placement: None,
            cost_of_a_worker: COST_OF_A_WORKER,
            network,
            draws: Draws(Vec::new()),
        };
        Ok(simulation.anew())
    }

    /// The same from the beginning with other random times.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Simulation { seed, ..self }.anew()
    }

    /// The same from the beginning with a load on a task, or on the worker of a map, by its node.
    #[must_use]
    pub fn load(mut self, task: StageId, load: Load) -> Self {
        self.loads.insert(task, load);
        self.anew()
    }

    /// The same from the beginning with items that come one by one, each so long after the one before, `T_A`.
    /// Items wait until the first task takes them, up to 64 of them; then the next one waits to come.
    #[must_use]
    pub fn arrivals(self, time: &ServiceTime) -> Self {
        Simulation { arrivals: Some(time.clone()), ..self }.anew()
    }

    /// The same from the beginning with an output that takes so long for each item, `T_D`. Up to 64 items
    /// wait for it.
    #[must_use]
    pub fn output(self, time: &ServiceTime) -> Self {
        Simulation { output: Some(time.clone()), ..self }.anew()
    }

    /// The same from the beginning with workers of a map that are so many times as fast as said, in their
    /// order; those behind them are as fast as said. Workers that come into the place of another are as fast
    /// as that one.
    #[must_use]
    pub fn speeds(mut self, map: StageId, speeds: impl IntoIterator<Item = f64>) -> Self {
        let positive = |speed: f64| if speed > 0.0 && speed.is_finite() { speed } else { 1.0 };
        self.speeds.insert(map, speeds.into_iter().map(positive).collect());
        self.anew()
    }

    /// The same with tasks that are there on a platform, so that one without replicas can move: it is as much
    /// faster there as the processor is.
    #[must_use]
    pub fn placed(self, placement: Placement) -> Self {
        Simulation { placement: Some(placement), ..self }
    }

    /// The same with another cost of a worker that is added: for so long the program makes less, by what
    /// [`Actuators::cost`] says.
    #[must_use]
    pub fn cost_of_a_worker(self, cost: Duration) -> Self {
        Simulation { cost_of_a_worker: cost, ..self }
    }

    /// Lets everything happen until this moment.
    pub fn run_until(&mut self, at: Duration) {
        self.network.run_until(at.as_nanos() as u64, &mut self.draws);
    }

    /// What was done until now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let tree = self.program.skeleton();
        let is_task = |place: &usize| self.network.places[*place].id.index() < tree.stages().len();
        let places: Vec<usize> = (0..self.network.places.len()).filter(is_task).collect();
        let task = |(number, &place): (usize, &usize)| {
            let id = self.network.places[place].id;
            let (items, queued) = self.network.queue(place);
            TaskFigures {
                id,
                name: tree.name(id),
                queue: (number > 0).then_some(items),
                queued: if number > 0 { span(queued) } else { Duration::ZERO },
                replicas: self
                    .network
                    .replicas(place)
                    .map(|(replica, worker)| replica.figures(worker, self.network.now))
                    .collect(),
            }
        };
        Snapshot {
            from: Duration::ZERO,
            at: span(self.network.now),
            tasks: places.iter().enumerate().map(task).collect(),
        }
    }

    /// The program as it is at this moment by truth: with its present numbers of replicas, and with the load
    /// in its times. What a perfect measurement would find.
    #[must_use]
    pub fn truth(&self) -> Program<Tree> {
        let now = span(self.network.now);
        let tree = self.program.skeleton().with_times(&|task, time| {
            let factor = self.loads.get(&task).map_or(1.0, |load| load.factor(now));
            match skel_core::number::decimal(&format!("{factor:.9}")) {
                Ok(factor) if factor != skel_core::number::ratio(1, 1) => time.longer_by(&factor),
                _ => time.clone(),
            }
        });
        self.program.with_skeleton(tree)
    }

    /// How many services have ended until now.
    #[must_use]
    pub fn services(&self) -> u64 {
        self.network.events
    }

    /// The beginning.
    fn anew(self) -> Self {
        let tree = self.program.skeleton();
        let capacities = self.program.capacities_before_tasks().unwrap_or_default();
        let around = surroundings(&capacities, self.arrivals.is_some(), self.output.is_some());
        let network = Network::new(tree, &around);
        let draws = network.places.iter().map(|place| match tree.stages().get(place.id.index()) {
            Some(_) => self.source(place.id),
            None => None,
        });
        let of_task: Vec<Option<Source>> = draws.collect();
        let places = of_task.len();
        let draws = of_task.into_iter().enumerate().map(|(place, source)| {
            let outside = if place + 1 == places && place > 0 { &self.output } else { &self.arrivals };
            source.or_else(|| outside.as_ref().map(|time| self.outside(time, place)))
        });
        let draws = Draws(draws.flatten().collect());
        Simulation { network, draws, ..self }
    }

    fn source(&self, id: StageId) -> Option<Source> {
        let tree = self.program.skeleton();
        let split = match tree.stage(id) {
            Stage::Team(TeamStage { kind: TeamKind::Map, workers, .. }) => Split::Parts(*workers, Vec::new()),
            _ => Split::Whole,
        };
        let load = self.loads.get(&id).cloned().unwrap_or_default();
        let times = Times::of(tree.time(id)?);
        let speeds = self.speeds.get(&id).cloned().unwrap_or_default();
        Some(Source::new(times, split, load, self.seed, u64::from(id.0)).with_speeds(speeds))
    }

    fn outside(&self, time: &ServiceTime, place: usize) -> Source {
        let stream = u64::from(u32::MAX) + place as u64;
        Source::new(Times::of(time), Split::Whole, Load::none(), self.seed, stream)
    }

    pub(super) fn set_replicas(&mut self, stage: StageId, to: u32) -> Result<(), Refusal> {
        let tree = self.program.skeleton();
        let problem = match tree.stages().get(stage.index()) {
            None => Some(format!("the program has no stage {}", stage.0)),
            _ if to == 0 => Some(format!("{} cannot have 0 replicas; 1 is the least", tree.name(stage))),
            Some(Stage::Task(_) | Stage::Pipe(_)) => {
                Some(format!("`{}` is not replicated: write a farm of it to have replicas", tree.name(stage)))
            }
            Some(Stage::Team(TeamStage { kind: TeamKind::FaultTolerant { .. }, .. }))
                if to < 3 || to.is_multiple_of(2) =>
            {
                Some(format!("`{}` votes: it has an odd number of workers, from 3 on", tree.name(stage)))
            }
            Some(Stage::Team(_) | Stage::Replicated { .. }) => None,
        };
        if let Some(problem) = problem {
            return Err(Refusal(problem));
        }
        if matches!(tree.stage(stage), Stage::Team(_)) {
            let tree = tree.with_workers(&[(stage, to)]);
            self.program = self.program.with_skeleton(tree);
            self.network.set_workers(stage, to);
            self.share(stage, Vec::new());
        } else {
            let tree = tree.clone();
            self.network.set_replicas(&tree, stage, to, &mut self.draws);
            self.program = self.program.with_replicas(&[(stage, to)]);
        }
        Ok(())
    }

    fn set_buffers(&mut self, to: u32) {
        self.network.set_capacity(to as usize, &mut self.draws);
        self.program = self.program.clone().with_buffers(Buffers::everywhere(to));
    }
}

impl Actuators for Simulation {
    fn program(&self) -> Program<Tree> {
        self.program.clone()
    }

    fn perform(&mut self, action: &Action) -> Result<(), Refusal> {
        match action {
            Action::SetReplicas { stage, to, .. } => self.set_replicas(*stage, *to),
            Action::SetBuffers { to, .. } => {
                self.set_buffers(*to);
                Ok(())
            }
            Action::Repartition { stage, shares } => self.repartition(*stage, shares),
            Action::Nest { stage, worker, workers } => self.nest(*stage, *worker, *workers),
            Action::Move { stage, to, .. } => self.move_to(action, *stage, *to),
            Action::Report { .. } => Ok(()),
            other => Err(Refusal(format!("a simulated program cannot do this: {other:?}"))),
        }
    }

    fn cost(&self, action: &Action) -> Duration {
        match action {
            Action::SetReplicas { from, to, .. } => self.cost_of_a_worker * to.saturating_sub(*from),
            Action::Nest { workers, .. } => self.cost_of_a_worker * workers.saturating_sub(1),
            _ => Duration::ZERO,
        }
    }

    fn can(&self, action: &Action) -> bool {
        match action {
            Action::SetReplicas { .. } | Action::SetBuffers { .. } | Action::Report { .. } => true,
            Action::Repartition { stage, .. } | Action::Nest { stage, .. } => {
                self.workers_of_map(*stage).is_ok()
            }
            Action::Move { .. } => self.placement.is_some(),
            Action::SetBatch { .. } => false,
        }
    }
}

fn surroundings(capacities: &[(StageId, u32)], has_source: bool, has_output: bool) -> Surroundings {
    let capacities: Vec<usize> = capacities.iter().map(|&(_, capacity)| capacity as usize).collect();
    let outside = capacities.iter().copied().fold(OUTSIDE as usize, usize::max);
    Surroundings { capacities, ahead: has_source.then_some(outside), behind: has_output.then_some(outside) }
}

fn not_simulated(tree: &Tree, id: StageId) -> Option<String> {
    let Stage::Team(team) = tree.stage(id) else { return None };
    match team.kind {
        TeamKind::Map | TeamKind::FaultTolerant { early: false } => None,
        TeamKind::FaultTolerant { early: true } => Some(format!(
            "`{}` passes on its result early, which is not simulated; without `early` it is",
            tree.name(id)
        )),
        TeamKind::MapWithState(_) => {
            Some(format!("`{}` is a map with state, which is not simulated", tree.name(id)))
        }
    }
}

impl fmt::Display for NotSimulated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for NotSimulated {}
