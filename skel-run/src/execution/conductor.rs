//! What starts the engines of a run, and answers the requests of its handle.

use std::time::Duration;

use skel_core::skeleton::{Program, StageId, Tree};

use crate::control::Attached;
use crate::engine::{Chain, Crew, FusedTasks, Gate, NoThread, Plan, Shop, Supplied, Threads};
use crate::execution::present::Present;
use crate::execution::requests;
use crate::execution::state::{Common, State};
use crate::functions::Cause;
use crate::network::{Connection, Inlet, Layout, Place, Registry};
use crate::progress::{FailedItem, Who};
use crate::report::Execution;
use crate::settings::{Engine, has_deal, needs_threads};
use crate::source::{Reader, Shelf, Source};
use crate::sync::mpsc::channel;
use crate::sync::thread::Scope;
use crate::sync::{Arc, Mutex, lock};
use crate::team::{Spawn, Staff};
use crate::tuning::{Tuning, service_times};

/// How a run was executed in the end.
pub(crate) struct How {
    pub(crate) execution: Execution,
    pub(crate) batch: usize,
    pub(crate) reason: String,
    /// The program as it was in the end.
    pub(crate) program: Program<Tree>,
    /// The tasks that get items in order, although those before them pass them on in any order.
    pub(crate) in_order: Vec<StageId>,
}

/// Starts one engine after the other.
pub(crate) struct Conductor<'scope, 'env, C, I> {
    scope: &'scope Scope<'scope, 'env>,
    functions: &'env C,
    common: &'env Common,
    shelf: Shelf<I>,
    state: Arc<Mutex<State<'scope, 'env>>>,
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
        present: Present,
        shelf: Shelf<I>,
    ) -> Self {
        let execution = match common.settings.engine {
            Engine::Pull(threads) => Execution::Pull(threads),
            Engine::Automatic | Engine::Threads => Execution::Threads,
        };
        let tuning = Arc::new(Tuning::new(Arc::clone(&common.monitors), None, false));
        let state = State { crew: None, execution, tuning, present };
        Conductor { scope, functions, common, shelf, state: Arc::new(Mutex::new(state)) }
    }

    /// Starts the first engine, and listens to requests. The answer is where the results come.
    pub(crate) fn begin(&self) -> Option<Inlet<'scope, C::Out>> {
        if let Some(control) = &self.common.settings.control {
            let (sender, received) = channel();
            let progress = Arc::clone(&self.common.progress);
            let monitors = Arc::clone(&self.common.monitors);
            control.attach(Attached { progress, monitors, requests: sender });
            let (state, common) = (Arc::clone(&self.state), self.common);
            self.scope.spawn(move || requests::execute(&received, &state, common));
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
            Execution::Threads if !state.present.needs_threads() => Execution::Pull(self.sharing()),
            _ => Execution::Threads,
        };
        let batch = state.tuning.batch();
        self.start(&mut state, batch)
    }

    /// How many threads share fine tasks: as many as there are processors, and no more than there are
    /// workers.
    fn sharing(&self) -> usize {
        self.common.cores.min(self.common.tree.tasks().len()).max(1)
    }

    fn start(&self, state: &mut State<'scope, 'env>, batch: usize) -> Option<Inlet<'scope, C::Out>> {
        let common = self.common;
        let is_open = common.settings.engine == Engine::Automatic && !state.present.needs_threads();
        let chooses_engine = is_open && state.execution == Execution::Threads && !needs_threads(&common.tree);
        let batch_said = state.present.batch().or(common.tree.has_team().then_some(1));
        let tuning = match batch_said {
            Some(batch) => Tuning::new(Arc::clone(&common.monitors), Some(batch), chooses_engine),
            None => Tuning::new(Arc::clone(&common.monitors), None, chooses_engine).beginning_with(batch),
        };
        state.tuning = Arc::new(tuning);
        let reader =
            Reader::new(Arc::clone(&self.shelf), Arc::clone(&common.progress), Arc::clone(&state.tuning));
        let supply = Inlet::Supply(Box::new(reader));
        let started = match state.execution {
            Execution::Pull(threads) => self.start_pull(state, threads, supply),
            _ => self.start_threads(state, supply),
        };
        started.unwrap_or_else(|NoThread(reason)| {
            common.progress.fail(FailedItem {
                who: Who::System,
                place: 0,
                cause: Cause::Error(reason.into()),
            });
            None
        })
    }

    fn shop(&self, layout: Layout, present: &Present) -> Shop {
        let staff = |place: &Place| Some(Arc::new(Staff::new(present.shares(place.team?.id)?)));
        let staff = layout.places.iter().map(staff).collect();
        let registry = Arc::new(Registry::new(layout, self.common.settings.window));
        let monitors = Arc::clone(&self.common.monitors);
        Shop { registry, monitors, progress: Arc::clone(&self.common.progress), staff }
    }

    fn threads(&self) -> Arc<Threads<'scope, 'env>> {
        Threads::new(self.scope, Arc::clone(&self.common.progress))
    }

    fn start_threads(
        &self,
        state: &mut State<'scope, 'env>,
        supply: Inlet<'scope, C::In>,
    ) -> Result<Option<Inlet<'scope, C::Out>>, NoThread> {
        let threads = self.threads();
        let shop = self.shop(self.common.layout(&state.present), &state.present);
        let mut plan = Plan::new(shop, spawner(&threads));
        let last = self.functions.place(&mut plan, Supplied(supply));
        let results = last.0.inlet(&[]).ok();
        state.crew = Some(Crew::start(threads, plan)?);
        Ok(results)
    }

    fn start_pull(
        &self,
        state: &State<'scope, 'env>,
        sharing: usize,
        supply: Inlet<'scope, C::In>,
    ) -> Result<Option<Inlet<'scope, C::Out>>, NoThread> {
        let threads = self.threads();
        let shop = self.shop(Layout::of_farm(sharing as u32), &state.present);
        let groups = Layout::new(&self.common.tree, state.present.capacities(), &|_| false).places;
        let gate = |place: Place| place.groups.is_empty().then(Gate::default);
        let gates = groups.into_iter().map(gate).collect();
        let inlet = Connection::new(0, &shop.registry, Some(supply));
        let outlet = Connection::new(1, &shop.registry, None);
        let results = outlet.inlet(&[]).ok();
        let mut plan = Plan::new(shop.clone(), spawner(&threads));
        plan.places.push(Box::new(FusedTasks { chain: self.functions, shop, gates, inlet, outlet }));
        Crew::start(threads, plan)?;
        Ok(results)
    }

    /// How the run was executed.
    pub(crate) fn how(&self) -> How {
        let state = lock(&self.state);
        let batch = state.tuning.batch();
        let reason = reason(self.common, &state.present, state.execution, batch);
        let (program, in_order) = (state.present.program(), self.common.in_order(&state.present));
        How { execution: state.execution, batch, reason, program, in_order }
    }
}

/// What gives a job of a task a thread of the run.
fn spawner<'scope>(threads: &Arc<Threads<'scope, '_>>) -> Spawn<'scope> {
    let threads = Arc::clone(threads);
    Arc::new(move |task, job| threads.hire(task, job))
}

/// Why the run was executed so.
fn reason(common: &Common, present: &Present, execution: Execution, batch: usize) -> String {
    let times = service_times(&common.monitors.snapshot()).unwrap_or_default();
    let all = in_words(times.iter().sum());
    let longest = in_words(times.iter().max().copied().unwrap_or_default());
    let needs_threads = execution == Execution::Threads && present.needs_threads();
    let engine = match (common.settings.engine, execution) {
        (Engine::Automatic | Engine::Pull(_), _) if needs_threads => {
            "the replicas or buffers that were asked for need a thread for each replica".to_owned()
        }
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
    match (present.batch(), batch) {
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
