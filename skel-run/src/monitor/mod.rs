//! What each replica of each task did: how many items, how long it was busy, starved and blocked.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use skel_core::skeleton::StageId;

/// The monitors of a run: for each task those of its replicas.
#[derive(Debug)]
pub struct Monitors {
    tasks: Vec<TaskMonitor>,
}

#[derive(Debug)]
struct TaskMonitor {
    id: StageId,
    name: String,
    replicas: Mutex<Vec<Arc<Recorder>>>,
}

/// Where one replica records what it does. Only the replica's thread writes it.
#[derive(Debug, Default)]
pub(crate) struct Recorder {}

/// The clock of a replica's thread. Between two of its calls the thread did one thing: it was starved, busy or blocked.
pub(crate) struct Watch<'a> {
    _recorder: &'a Recorder,
    _last: Instant,
}

impl Monitors {
    /// Monitors for these tasks.
    pub(crate) fn of(tasks: impl IntoIterator<Item = (StageId, String)>) -> Arc<Self> {
        let task = |(id, name)| TaskMonitor { id, name, replicas: Mutex::default() };
        Arc::new(Monitors { tasks: tasks.into_iter().map(task).collect() })
    }

    /// The recorder of another replica of a task, by the number of the task in the order of the skeleton.
    pub(crate) fn replica(&self, task: usize) -> Arc<Recorder> {
        let recorder = Arc::new(Recorder::default());
        self.tasks[task].replicas.lock().expect("no thread panics with it").push(Arc::clone(&recorder));
        recorder
    }

    /// What was done until now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let task =
            |task: &TaskMonitor| TaskFigures { id: task.id, name: task.name.clone(), replicas: Vec::new() };
        Snapshot { at: Duration::ZERO, tasks: self.tasks.iter().map(task).collect() }
    }
}

impl<'a> Watch<'a> {
    pub(crate) fn new(recorder: &'a Recorder) -> Self {
        Watch { _recorder: recorder, _last: Instant::now() }
    }

    /// So many items were taken. If the thread waited for them, it was starved since the last call.
    pub(crate) fn took(&mut self, _items: usize, _has_waited: bool) {}

    /// So many items were served: the thread was busy since the last call.
    pub(crate) fn served(&mut self, _items: usize) {}

    /// So many items were handed over. If the thread waited for room, it was blocked since the last call.
    pub(crate) fn gave(&mut self, _items: usize, _has_waited: bool) {}

    /// An item failed for good, and was left out.
    pub(crate) fn skipped(&mut self) {}

    /// A failed item is tried again.
    pub(crate) fn retried(&mut self) {}

    /// The worker panicked, and another took its place.
    pub(crate) fn replaced(&mut self) {}
}

/// What was done until a moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// How long after the start of the run.
    pub at: Duration,
    /// The tasks in the order of the skeleton.
    pub tasks: Vec<TaskFigures>,
}

/// What one task did.
#[derive(Clone, Debug)]
pub struct TaskFigures {
    /// Its node in the tree.
    pub id: StageId,
    /// Its name.
    pub name: String,
    /// Each of its replicas, those that have left as well.
    pub replicas: Vec<ReplicaFigures>,
}

/// What one replica of a task did.
#[derive(Clone, Debug)]
pub struct ReplicaFigures {
    /// The parcels that it served: what the model calls an item.
    pub served: u64,
    /// The items in them.
    pub items: u64,
    /// How long it was busy.
    pub busy: Duration,
    /// How long it waited for items.
    pub starved: Duration,
    /// How long it waited to hand items over.
    pub blocked: Duration,
    /// The squared coefficient of variation of its service times; none of fewer than two.
    pub scv: Option<f64>,
    /// Items that failed for good and were left out.
    pub skipped: u64,
    /// Attempts after failures.
    pub retried: u64,
    /// Workers that panicked and were replaced.
    pub replaced: u64,
    /// When it began, since the start of the run.
    pub began: Duration,
    /// When it left; none while it runs.
    pub left: Option<Duration>,
}
