//! The skeleton hierarchy tree (Fig. 2 of the paper): a skeleton that has been checked.

mod team;

use std::fmt;

use crate::number::{Ratio, display_ratio};
use crate::skeleton::word::{EARLY, STATE};
use crate::time::ServiceTime;

pub use team::{StateInput, TeamKind, TeamStage};

/// A node of a [`Tree`], numbered depth first from the root, 0. A worker is one node, however many its
/// replicas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StageId(pub u32);

impl StageId {
    /// The position in the tree's table.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a replicated stage hands out items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Replication {
    /// In turn, round robin.
    Deal,
    /// To whichever replica is free.
    Farm,
}

impl Replication {
    /// `deal` or `farm`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Replication::Deal => "deal",
            Replication::Farm => "farm",
        }
    }
}

/// A task: a component that processes one item after another.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskStage {
    /// The component's name, if it was given one.
    pub name: Option<String>,
    /// How long it takes for an item, on a processor of its own.
    pub time: ServiceTime,
}

impl TaskStage {
    /// How many items per unit of time it does, on average, while it has some: 1 over the mean of its time.
    #[must_use]
    pub fn rate(&self) -> Ratio {
        self.time.rate()
    }
}

/// A node of a [`Tree`].
#[derive(Clone, Debug, PartialEq)]
pub enum Stage {
    /// A task.
    Task(TaskStage),
    /// Stages one behind the other, at least one.
    Pipe(Vec<StageId>),
    /// Equal replicas of a worker side by side, at least one.
    Replicated {
        /// How items are handed out.
        replication: Replication,
        /// How many replicas there are.
        replicas: u32,
        /// What is replicated.
        worker: StageId,
    },
    /// Workers that serve one item together: a map, a fault-tolerant stage or a map with state.
    Team(TeamStage),
}

impl Stage {
    /// The task: of a team what each of its workers does. None of a pipe, a deal or a farm.
    #[must_use]
    pub fn task(&self) -> Option<&TaskStage> {
        match self {
            Stage::Task(task) | Stage::Team(TeamStage { worker: task, .. }) => Some(task),
            Stage::Pipe(_) | Stage::Replicated { .. } => None,
        }
    }

    /// All service times in it: that of a task, and in a map with state also that for a state.
    pub(super) fn times_mut(&mut self) -> Vec<&mut ServiceTime> {
        match self {
            Stage::Task(task) => vec![&mut task.time],
            Stage::Team(team) => team.times_mut().collect(),
            Stage::Pipe(_) | Stage::Replicated { .. } => Vec::new(),
        }
    }
}

/// A checked skeleton: every pipe has a stage, every count and every rate is positive, and the number of
/// tasks is bounded. It prints in the paper's text form.
///
/// # Examples
/// ```
/// let tree = skel_core::skeleton::text::parse("pipe(2); task(1.0); farm(3, 2.0);").into_tree()?;
/// assert_eq!(tree.tasks().len(), 4);
/// assert_eq!(tree.to_string(), "pipe(2);\ntask(1.0);\nfarm(3, 2.0);\n");
/// # Ok::<(), skel_core::text::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// Parents before children, depth first.
    pub(super) stages: Vec<Stage>,
}

impl Tree {
    /// The root.
    #[must_use]
    pub fn root(&self) -> StageId {
        StageId(0)
    }

    /// The nodes, by number.
    #[must_use]
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// The numbers of the nodes, in ascending order.
    pub fn ids(&self) -> impl Iterator<Item = StageId> + use<> {
        (0..self.stages.len() as u32).map(StageId)
    }

    /// The nodes that have a time, in the order in which items meet them: tasks, and teams of workers that
    /// serve one item together. Each is there once, however many its replicas.
    pub fn leaves(&self) -> impl Iterator<Item = StageId> + '_ {
        self.ids().filter(|&id| self.time(id).is_some())
    }

    /// The deal or farm that a node is, or else that of which it is the worker.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{text::parse, StageId};
    /// let tree = parse("pipe(task(1), farm(2, farm(3, 1)));").into_tree()?;
    /// let (outer, inner, worker) = (StageId(2), StageId(3), StageId(4));
    /// assert_eq!([outer, inner, worker].map(|id| tree.replicated_by(id)), [Some(outer), Some(inner), Some(inner)]);
    /// assert_eq!(tree.replicated_by(StageId(1)), None);
    /// # Ok::<(), skel_core::text::Rejected>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn replicated_by(&self, id: StageId) -> Option<StageId> {
        let is_itself = matches!(self.stage(id), Stage::Replicated { .. });
        let has_worker =
            |above: &StageId| matches!(self.stage(*above), Stage::Replicated { worker, .. } if *worker == id);
        if is_itself { Some(id) } else { self.ids().find(has_worker) }
    }

    /// One node.
    #[must_use]
    pub fn stage(&self, id: StageId) -> &Stage {
        &self.stages[id.index()]
    }

    /// The stages of the root if it is a pipe, else the root.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn top_level(&self) -> Vec<StageId> {
        match self.stage(self.root()) {
            Stage::Pipe(stages) => stages.clone(),
            _ => vec![self.root()],
        }
    }

    /// The tasks with all replicas, numbered depth first from left to right: the node of each. Workers that
    /// serve one item together are one task.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn tasks(&self) -> Vec<StageId> {
        let mut tasks = Vec::new();
        self.collect_tasks(self.root(), &mut tasks);
        tasks
    }

    #[cfg_attr(debug_assertions, inline)]
    fn collect_tasks(&self, id: StageId, tasks: &mut Vec<StageId>) {
        match self.stage(id) {
            Stage::Task(_) | Stage::Team(_) => tasks.push(id),
            Stage::Pipe(stages) => stages.iter().for_each(|&stage| self.collect_tasks(stage, tasks)),
            Stage::Replicated { replicas, worker, .. } => {
                let first = tasks.len();
                self.collect_tasks(*worker, tasks);
                let copy = tasks[first..].to_vec();
                (1..*replicas).for_each(|_| tasks.extend_from_slice(&copy));
            }
        }
    }

    /// A task's name, or `task`; of a map, a fault-tolerant stage or a map with state without a name, its
    /// word.
    #[must_use]
    pub fn name(&self, id: StageId) -> String {
        match self.stage(id) {
            Stage::Task(task) => task.name.clone().unwrap_or_else(|| "task".to_owned()),
            Stage::Team(team) => team.worker.name.clone().unwrap_or_else(|| team.word().text().to_owned()),
            Stage::Pipe(_) => "pipe".to_owned(),
            Stage::Replicated { replication, replicas, worker } => {
                format!("{} of {replicas} × {}", replication.word(), self.name(*worker))
            }
        }
    }

    /// The time of a task, or of each worker of a team for its part of an item; none of any other node.
    #[must_use]
    pub fn time(&self, id: StageId) -> Option<&ServiceTime> {
        self.stage(id).task().map(|task| &task.time)
    }

    /// Whether the workers of some stage serve one item together.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn has_team(&self) -> bool {
        self.stages.iter().any(|stage| matches!(stage, Stage::Team(_)))
    }

    /// The same with the nearest fit of each time that is not of phases; see [`ServiceTime::nearest_fit`].
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn fitted(&self) -> Tree {
        self.with_each_time(&|_, time| time.nearest_fit())
    }

    /// The same with an exponential time of the same mean in the place of each time.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::text::parse;
    /// let tree = parse("pipe(task(erlang(4, 0.5)), task(3));").into_tree()?;
    /// assert_eq!(tree.exponential().to_string(), "pipe(2);\ntask(2.0);\ntask(3.0);\n");
    /// # Ok::<(), skel_core::text::Rejected>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn exponential(&self) -> Tree {
        self.with_each_time(&|_, time| Some(ServiceTime::exponential(&time.rate())))
    }

    /// The same with other times where `change` has one; it is given the node of each.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn with_each_time(
        &self,
        change: &dyn Fn(StageId, &ServiceTime) -> Option<ServiceTime>,
    ) -> Tree {
        let mut tree = self.clone();
        for (id, stage) in tree.stages.iter_mut().enumerate() {
            for time in stage.times_mut() {
                if let Some(other) = change(StageId(id as u32), time) {
                    *time = other;
                }
            }
        }
        tree
    }

    /// The node of a task's name, if exactly one task has it.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn task_named(&self, name: &str) -> Option<StageId> {
        let has_name =
            |&id: &StageId| self.stage(id).task().and_then(|task| task.name.as_deref()) == Some(name);
        let mut named = self.ids().filter(has_name);
        let found = named.next()?;
        named.next().is_none().then_some(found)
    }

    /// The way to a node in words, such as `stage 2, worker`; empty for the root.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn path_to(&self, id: StageId) -> String {
        let mut steps = Vec::new();
        let mut here = id;
        while let Some(parent) = (0..here.0).rev().map(StageId).find(|&above| self.has_child(above, here)) {
            steps.push(match self.stage(parent) {
                Stage::Pipe(stages) => {
                    let place = stages.iter().position(|&stage| stage == here).unwrap_or_default();
                    format!("stage {place}")
                }
                _ => "worker".to_owned(),
            });
            here = parent;
        }
        steps.reverse();
        steps.join(", ")
    }

    fn has_child(&self, parent: StageId, child: StageId) -> bool {
        match self.stage(parent) {
            Stage::Task(_) | Stage::Team(_) => false,
            Stage::Pipe(stages) => stages.contains(&child),
            Stage::Replicated { worker, .. } => *worker == child,
        }
    }

    /// Where one more replica can be added: every deal and farm, and every task and team that is not itself
    /// the worker of one. A replica of a team has all its workers.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn replicable(&self) -> Vec<StageId> {
        self.ids()
            .filter(|&id| match self.stage(id) {
                Stage::Task(_) | Stage::Team(_) => self.replicated_by(id).is_none(),
                Stage::Pipe(_) => false,
                Stage::Replicated { .. } => true,
            })
            .collect()
    }

    #[cfg_attr(debug_assertions, inline)]
    fn write(&self, id: StageId, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stage(id) {
            Stage::Task(task) => writeln!(f, "task({});", TaskArguments(task)),
            Stage::Team(team) => writeln!(f, "{team};"),
            Stage::Pipe(stages) => {
                writeln!(f, "pipe({});", stages.len())?;
                stages.iter().try_for_each(|&stage| self.write(stage, f))
            }
            Stage::Replicated { replication, replicas, worker } => match self.stage(*worker) {
                Stage::Task(task) => {
                    writeln!(f, "{}({replicas}, {});", replication.word(), TaskArguments(task))
                }
                _ => {
                    writeln!(f, "{}({replicas});", replication.word())?;
                    self.write(*worker, f)
                }
            },
        }
    }
}

impl fmt::Display for Tree {
    /// The paper's text form: depth first, from left to right, a statement for each node.
    #[cfg_attr(debug_assertions, inline)]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(self.root(), f)
    }
}

impl fmt::Display for TeamStage {
    /// As in a `.skel` text.
    #[cfg_attr(debug_assertions, inline)]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({}, {}", self.word().text(), self.workers, TaskArguments(&self.worker))?;
        match &self.kind {
            TeamKind::Map | TeamKind::FaultTolerant { early: false } => {}
            TeamKind::FaultTolerant { early: true } => write!(f, ", {EARLY}")?,
            TeamKind::MapWithState(StateInput { time, items }) => {
                write!(f, ", {STATE}({time}, {})", display_ratio(items))?;
            }
        }
        write!(f, ")")
    }
}

/// `"name", time` or `time`.
struct TaskArguments<'t>(&'t TaskStage);

impl fmt::Display for TaskArguments<'_> {
    #[cfg_attr(debug_assertions, inline)]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.0.name {
            write!(f, "\"{name}\", ")?;
        }
        write!(f, "{}", self.0.time)
    }
}
