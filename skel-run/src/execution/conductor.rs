//! What starts the engines of a run, and answers the requests of its handle.

use std::time::Duration;

use skel_core::skeleton::{Stage, StageId, TeamKind, TeamStage, Tree};

use crate::control::{Attached, Request, Wanted};
use crate::engine::{Chain, Crew, FusedTasks, Gate, Plan, Refused, Shop, Supplied, spawner};
use crate::monitor::Monitors;
use crate::network::{Connection, Inlet, Layout, Place, Registry};
use crate::progress::Progress;
use crate::report::Execution;
use crate::settings::{Engine, Settings, has_deal, needs_threads};
use crate::source::{Reader, Shelf, Source};
use crate::sync::mpsc::{Receiver, channel};
use crate::sync::thread::Scope;
use crate::sync::{Arc, Mutex, lock};
use crate::tuning::{Tuning, service_times};

/// What the engines of a run have in common.
pub(crate) struct Common {
    pub(crate) settings: Settings,
    /// The skeleton as it was in the beginning.
    pub(crate) tree: Tree,
    /// How many parcels can wait before each task.
    pub(crate) capacities: Vec<usize>,
    pub(crate) monitors: Arc<Monitors>,
    pub(crate) progress: Arc<Progress>,
    /// The processors of the machine.
    pub(crate) cores: usize,
}

/// How a run was executed in the end.
pub(crate) struct How {
    pub(crate) execution: Execution,
    pub(crate) batch: usize,
    pub(crate) reason: String,
    /// The replicas that were asked for while it went on, and the workers of stages where several serve an item together.
    pub(crate) replicas: Vec<(StageId, u32)>,
    pub(crate) workers: Vec<(StageId, u32)>,
}

/// Starts one engine after the other.
pub(crate) struct Conductor<'scope, 'env, C, I> {
    scope: &'scope Scope<'scope, 'env>,
    functions: &'env C,
    common: &'env Common,
    shelf: Shelf<I>,
    state: Arc<Mutex<State<'scope, 'env>>>,
}

/// The engine at work.
struct State<'scope, 'env> {
    /// The threads, if there is one for each replica.
    crew: Option<Crew<'scope, 'env>>,
    execution: Execution,
    tuning: Arc<Tuning>,
    /// The replicas that were asked for, and the workers of stages where several serve an item together.
    replicas: Vec<(StageId, u32)>,
    workers: Vec<(StageId, u32)>,
}

impl<C, I> Clone for Conductor<'_, '_, C, I> {
    fn clone(&self) -> Self {
        let (shelf, state) = (Arc::clone(&self.shelf), Arc::clone(&self.state));
        Conductor { scope: self.scope, functions: self.functions, common: self.common, shelf, state }
    }
}

impl<'scope, 'env, C: Chain, I> Conductor<'scope, 'env, C, I>
where
    I: Source<Item = C::In> + 'env,
{
    /// For these functions, and a source.
    pub(crate) fn new(
        scope: &'scope Scope<'scope, 'env>,
        functions: &'env C,
        common: &'env Common,
        shelf: Shelf<I>,
    ) -> Self {
        let execution = match common.settings.engine {
            Engine::Pull(threads) => Execution::Pull(threads),
            Engine::Automatic | Engine::Threads => Execution::Threads,
        };
        let tuning = Arc::new(Tuning::new(Arc::clone(&common.monitors), None, false));
        let state = State { crew: None, execution, tuning, replicas: Vec::new(), workers: Vec::new() };
        Conductor { scope, functions, common, shelf, state: Arc::new(Mutex::new(state)) }
    }

    /// Starts the first engine, and listens to requests. The answer is where the results come.
    pub(crate) fn begin(&self) -> Option<Inlet<'scope, C::Out>> {
        if let Some(control) = &self.common.settings.control {
            let (sender, requests) = channel();
            let progress = Arc::clone(&self.common.progress);
            let monitors = Arc::clone(&self.common.monitors);
            control.attach(Attached { progress, monitors, requests: sender });
            let (state, common) = (Arc::clone(&self.state), self.common);
            self.scope.spawn(move || answer_requests(&requests, &state, common));
        }
        self.start(&mut lock(&self.state), 1)
    }

    /// Starts another engine, if the one before ended for that. Which one, follows from what it was.
    pub(crate) fn go_on(&self) -> Option<Inlet<'scope, C::Out>> {
        let mut state = lock(&self.state);
        if !self.common.progress.has_switched() {
            return None;
        }
        state.crew = None;
        state.execution = match state.execution {
            // Only with a thread for each replica their number means something.
            Execution::Threads if state.replicas.is_empty() => Execution::Pull(self.threads()),
            _ => Execution::Threads,
        };
        let batch = state.tuning.batch();
        self.start(&mut state, batch)
    }

    /// How many threads share fine tasks: as many as there are processors, and no more than there are workers.
    fn threads(&self) -> usize {
        self.common.cores.min(self.common.tree.tasks().len()).max(1)
    }

    fn start(&self, state: &mut State<'scope, 'env>, batch: usize) -> Option<Inlet<'scope, C::Out>> {
        let common = self.common;
        let is_open = common.settings.engine == Engine::Automatic && state.replicas.is_empty();
        let chooses_engine = is_open && state.execution == Execution::Threads && !needs_threads(&common.tree);
        let batch_said = common.settings.batch.or(common.tree.has_team().then_some(1));
        let tuning = match batch_said {
            Some(batch) => Tuning::new(Arc::clone(&common.monitors), Some(batch), chooses_engine),
            None => Tuning::new(Arc::clone(&common.monitors), None, chooses_engine).beginning_with(batch),
        };
        state.tuning = Arc::new(tuning);
        let reader =
            Reader::new(Arc::clone(&self.shelf), Arc::clone(&common.progress), Arc::clone(&state.tuning));
        let supply = Inlet::Supply(Box::new(reader));
        match state.execution {
            Execution::Pull(threads) => self.start_pull(threads, supply),
            _ => self.start_threads(state, supply),
        }
    }

    fn shop(&self, layout: Layout) -> Shop {
        let at_first = |place: &Place| place.team.as_ref().map_or(0, |team| team.workers as usize);
        let workers = layout.places.iter().map(|place| Arc::new(at_first(place).into())).collect();
        let registry = Arc::new(Registry::new(layout, self.common.settings.window));
        let monitors = Arc::clone(&self.common.monitors);
        Shop {
            registry,
            monitors,
            progress: Arc::clone(&self.common.progress),
            workers,
            #[cfg(feature = "affinity")]
            pinning: self.common.settings.is_pinned.then(|| Arc::new(crate::engine::Pinning::new())),
        }
    }

    fn start_threads(
        &self,
        state: &mut State<'scope, 'env>,
        supply: Inlet<'scope, C::In>,
    ) -> Option<Inlet<'scope, C::Out>> {
        let common = self.common;
        let tree = common.tree.with_replicas(&state.replicas);
        let is_unordered = |farm| common.settings.is_unordered(&tree, farm);
        let layout = Layout::new(&tree, &common.capacities, &is_unordered);
        let shop = self.shop(layout);
        let spawn = spawner(self.scope, &shop);
        let mut plan = Plan::new(shop, spawn);
        let last = self.functions.place(&mut plan, Supplied(supply));
        let results = last.0.inlet(&[]).ok();
        state.crew = Some(Crew::start(self.scope, plan));
        results
    }

    fn start_pull(&self, threads: usize, supply: Inlet<'scope, C::In>) -> Option<Inlet<'scope, C::Out>> {
        let tree = &self.common.tree;
        let shop = self.shop(Layout::of_farm(threads as u32));
        let groups = Layout::new(tree, &self.common.capacities, &|_| false).places;
        let gate = |place: Place| place.groups.is_empty().then(Gate::default);
        let gates = groups.into_iter().map(gate).collect();
        let inlet = Connection::new(0, &shop.registry, Some(supply));
        let outlet = Connection::new(1, &shop.registry, None);
        let results = outlet.inlet(&[]).ok();
        let mut plan = Plan::new(shop.clone(), spawner(self.scope, &shop));
        plan.places.push(Box::new(FusedTasks { chain: self.functions, shop, gates, inlet, outlet }));
        Crew::start(self.scope, plan);
        results
    }

    /// How the run was executed.
    pub(crate) fn how(&self) -> How {
        let state = lock(&self.state);
        let batch = state.tuning.batch();
        let reason = reason(self.common, state.execution, batch);
        How {
            execution: state.execution,
            batch,
            reason,
            replicas: state.replicas.clone(),
            workers: state.workers.clone(),
        }
    }
}

impl Common {
    /// The tasks that get items in order, although those before them pass them on in any order.
    pub(crate) fn in_order(&self) -> Vec<StageId> {
        let is_unordered = |farm| self.settings.is_unordered(&self.tree, farm);
        let layout = Layout::new(&self.tree, &self.capacities, &is_unordered);
        let places = self.tree.leaves().zip(&layout.between);
        places.filter(|(_, before)| before.is_ordered).map(|(id, _)| id).collect()
    }
}

/// Answers requests until the handle is detached.
fn answer_requests(requests: &Receiver<Request>, state: &Mutex<State<'_, '_>>, common: &Common) {
    for Request { stage, wanted, answer } in requests {
        let result = set_replicas(&mut lock(state), common, stage, wanted);
        // Whoever asked may not wait for the answer.
        let _ = answer.send(result);
    }
}

fn set_replicas(
    state: &mut State<'_, '_>,
    common: &Common,
    stage: StageId,
    wanted: Wanted,
) -> Result<u32, Refused> {
    let (group, at_first) = group(&common.tree, stage).ok_or(Refused::NotReplicated(stage))?;
    let mut all = state.replicas.iter().chain(&state.workers);
    let known = all.find(|(known, _)| *known == group);
    let present = known.map_or(at_first, |&(_, replicas)| replicas);
    let replicas = match wanted {
        Wanted::Exactly(replicas) => replicas,
        Wanted::OneMore => present + 1,
        Wanted::OneFewer => present - 1,
    };
    if replicas == 0 {
        return Err(Refused::NoReplica);
    }
    if let Stage::Team(team) = common.tree.stage(group) {
        return set_workers(state, group, team, replicas);
    }
    match &mut state.crew {
        Some(crew) if !common.progress.is_switching() => crew.set_replicas(group, replicas)?,
        // From here on there is a thread for each replica.
        None if matches!(state.execution, Execution::Pull(_)) => common.progress.switch(),
        // The engine that begins next has so many.
        _ => {}
    }
    state.replicas.retain(|(known, _)| *known != group);
    state.replicas.push((group, replicas));
    Ok(replicas)
}

/// Sets how many workers serve an item together.
fn set_workers(
    state: &mut State<'_, '_>,
    stage: StageId,
    team: &TeamStage,
    workers: u32,
) -> Result<u32, Refused> {
    if let TeamKind::FaultTolerant { .. } = team.kind {
        if workers < 3 || workers.is_multiple_of(2) {
            return Err(Refused::NoMajority(workers));
        }
        if workers > team.workers {
            return Err(Refused::NoFunctions { workers, functions: team.workers });
        }
    }
    let crew = state.crew.as_ref().ok_or(Refused::Ended)?;
    crew.set_workers(stage, workers);
    state.workers.retain(|(known, _)| *known != stage);
    state.workers.push((stage, workers));
    Ok(workers)
}

/// The stage whose number is meant, and its number in the beginning: a map, whose workers are, or a deal or farm that the stage is, or
/// whose worker it is. None also if the tree has no such stage: the handle may be one of another skeleton.
fn group(tree: &Tree, stage: StageId) -> Option<(StageId, u32)> {
    tree.stages().get(stage.0 as usize)?;
    if let Stage::Team(team) = tree.stage(stage) {
        return Some((stage, team.workers));
    }
    let group = tree.replicated_by(stage)?;
    match *tree.stage(group) {
        Stage::Replicated { replicas, .. } => Some((group, replicas)),
        _ => None,
    }
}

/// Why the run was executed so.
fn reason(common: &Common, execution: Execution, batch: usize) -> String {
    let times = service_times(&common.monitors.snapshot()).unwrap_or_default();
    let all = in_words(times.iter().sum());
    let longest = in_words(times.iter().max().copied().unwrap_or_default());
    let engine = match (common.settings.engine, execution) {
        (Engine::Automatic, Execution::Pull(_)) => format!("the tasks take {all} for an item, all together"),
        (Engine::Automatic, _) if has_deal(&common.tree) => {
            "a deal needs a thread for each replica of its tasks".to_owned()
        }
        (Engine::Automatic, _) if common.tree.has_team() => {
            "workers that serve an item together need a thread each".to_owned()
        }
        (Engine::Automatic, _) => format!("the tasks take {all} for an item, all together"),
        _ => "this engine was asked for".to_owned(),
    };
    match (common.settings.batch, batch) {
        (Some(_), _) => format!("{engine}; this batch was asked for"),
        (None, _) if common.tree.has_team() => {
            format!("{engine}, and wait for each other at each item, so items travel one at a time")
        }
        (None, 1) => format!("{engine}; the longest takes {longest}, so items travel one at a time"),
        (None, _) => {
            format!("{engine}; the longest takes {longest}, so {batch} items travel together at most")
        }
    }
}

/// A time with three digits.
fn in_words(time: Duration) -> String {
    format!("{time:.2?}")
}
