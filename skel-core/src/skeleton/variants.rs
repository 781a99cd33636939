//! Variants of a skeleton and of a program: other numbers of replicas, other times, a part of it.
//!
//! Nodes are numbered anew in a variant, as a task with several replicas becomes a farm. So each variant is
//! made of the original.

use crate::number::Ratio;
use crate::skeleton::lowering::capacities::is_first;
use crate::skeleton::program::Program;
use crate::skeleton::tree::{Replication, Stage, StageId, StateInput, TeamKind, TeamStage, Tree};
use crate::time::ServiceTime;

impl Tree {
    /// The same skeleton with other numbers of replicas at the places that are named. A deal or farm has as
    /// many replicas as it is given; a task or a team becomes a farm of as many, and stays what it is if
    /// there is one.
    ///
    /// # Panics
    /// If a count is 0.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::text::parse;
    /// let tree = parse("pipe(task(1), deal(3, 2), task(4));").into_tree()?;
    /// let places = tree.replicable();
    /// let other = tree.with_replicas(&[(places[0], 2), (places[1], 5), (places[2], 1)]);
    /// assert_eq!(other.to_string(), "pipe(3);\nfarm(2, 1.0);\ndeal(5, 2.0);\ntask(4.0);\n");
    /// # Ok::<(), skel_core::text::Rejected>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn with_replicas(&self, counts: &[(StageId, u32)]) -> Tree {
        self.part(&[self.root()], &changes(counts)).0
    }

    /// The same skeleton with other numbers of workers in the maps, the fault-tolerant stages and the maps
    /// with state that are named. Other stages stay as they are.
    ///
    /// # Panics
    /// If a count is 0 or, in a fault-tolerant stage, even or less than 3.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::text::parse;
    /// let tree = parse("pipe(task(1), map(3, 2));").into_tree()?;
    /// let larger = tree.with_workers(&[(tree.tasks()[1], 5)]);
    /// assert_eq!(larger.to_string(), "pipe(2);\ntask(1.0);\nmap(5, 2.0);\n");
    /// # Ok::<(), skel_core::text::Rejected>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn with_workers(&self, counts: &[(StageId, u32)]) -> Tree {
        let mut tree = self.clone();
        for &(id, workers) in counts {
            if let Stage::Team(team) = &mut tree.stages[id.index()] {
                let can_vote = workers >= 3 && workers % 2 == 1;
                let is_sound = !matches!(team.kind, TeamKind::FaultTolerant { .. }) || can_vote;
                assert!(workers > 0 && is_sound, "{workers} workers of a {}", team.word().noun());
                team.workers = workers;
            }
        }
        tree
    }

    /// The same skeleton with another time for a state, and another number of items for each, in a map with
    /// state. Any other stage stays as it is.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{number::ratio, skeleton::{text::parse, StateInput}, time::ServiceTime};
    /// let tree = parse("map_with_state(2, 1, state(3, 10));").into_tree()?;
    /// let time = ServiceTime::exponential(&ratio(4, 1));
    /// let other = tree.with_state(tree.root(), StateInput { time, items: ratio(5, 2) });
    /// assert_eq!(other.to_string(), "map_with_state(2, 1.0, state(4.0, 2.5));\n");
    /// # Ok::<(), skel_core::text::Rejected>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn with_state(&self, id: StageId, state: StateInput) -> Tree {
        let mut tree = self.clone();
        if let Stage::Team(TeamStage { kind: TeamKind::MapWithState(old), .. }) = &mut tree.stages[id.index()]
        {
            *old = state;
        }
        tree
    }

    /// The same skeleton with one more replica of a stage. A task or a team becomes a stage of two replicas,
    /// of the kind that is asked for; a deal or farm becomes of that kind too.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn with_one_more(&self, id: StageId, kind: Replication) -> Tree {
        let now = match self.stage(id) {
            Stage::Replicated { replicas, .. } => *replicas,
            Stage::Task(_) | Stage::Team(_) | Stage::Pipe(_) => 1,
        };
        let change = Change { at: id, replicas: now + 1, replication: Some(kind) };
        self.part(&[self.root()], &[change]).0
    }

    /// The deal or farm that a node is, or whose worker it is; none for any other node.
    ///
    /// # Panics
    /// If the tree has no such node.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn replicated_at(&self, id: StageId) -> Option<StageId> {
        let has_worker = |above: &Stage| matches!(above, Stage::Replicated { worker, .. } if *worker == id);
        match self.stage(id) {
            Stage::Replicated { .. } => Some(id),
            _ => self.stages.iter().position(has_worker).map(|above| StageId(above as u32)),
        }
    }

    /// The number of tasks, replicas counted: as many as [`Self::tasks`] has, without a list of them.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn task_count(&self) -> u64 {
        self.tasks_below(self.root())
    }

    #[cfg_attr(debug_assertions, inline)]
    fn tasks_below(&self, id: StageId) -> u64 {
        match self.stage(id) {
            Stage::Task(_) | Stage::Team(_) => 1,
            Stage::Pipe(stages) => {
                stages.iter().fold(0, |sum: u64, &stage| sum.saturating_add(self.tasks_below(stage)))
            }
            Stage::Replicated { replicas, worker, .. } => {
                self.tasks_below(*worker).saturating_mul(u64::from(*replicas))
            }
        }
    }

    /// The same skeleton with other times of its tasks: `change` has the node of each and its time. A map
    /// with state has two.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{number::ratio, skeleton::text::parse};
    /// let tree = parse("pipe(task(1), task(4));").into_tree()?;
    /// let last = tree.tasks()[1];
    /// let slower = tree.with_times(&|task, time| if task == last { time.longer_by(&ratio(2, 1)) } else { time.clone() });
    /// assert_eq!(slower.to_string(), "pipe(2);\ntask(1.0);\ntask(2.0);\n");
    /// # Ok::<(), skel_core::text::Rejected>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn with_times(&self, change: &dyn Fn(StageId, &ServiceTime) -> ServiceTime) -> Tree {
        self.with_each_time(&|task, time| Some(change(task, time)))
    }

    /// The same skeleton with another rate of one task, the shape of whose time stays. In a map with state
    /// that is the rate of a worker for items, and the time for a state stays as it is.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{number::ratio, skeleton::text::parse};
    /// let tree = parse("map_with_state(2, erlang(2, 1), state(3, 10));").into_tree()?;
    /// let faster = tree.with_rate(tree.root(), &ratio(4, 1));
    /// assert_eq!(faster.to_string(), "map_with_state(2, erlang(2, 0.25), state(3.0, 10));\n");
    /// # Ok::<(), skel_core::text::Rejected>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn with_rate(&self, task: StageId, rate: &Ratio) -> Tree {
        let mut tree = self.clone();
        if let Some(time) = tree.stages[task.index()].times_mut().first_mut() {
            **time = time.longer_by(&(time.rate() / rate));
        }
        tree
    }

    /// Some nodes one behind the other with other numbers of replicas, and for each node its number in this
    /// one.
    #[cfg_attr(debug_assertions, inline)]
    fn part(&self, stages: &[StageId], changes: &[Change]) -> (Tree, Vec<Option<StageId>>) {
        let mut part = Part { tree: Tree { stages: Vec::new() }, numbers: vec![None; self.stages.len()] };
        match stages {
            [stage] => drop(part.copy(self, *stage, changes)),
            _ => {
                part.tree.stages.push(Stage::Pipe(Vec::new()));
                let copies = stages.iter().map(|&stage| part.copy(self, stage, changes)).collect();
                part.tree.stages[0] = Stage::Pipe(copies);
            }
        }
        (part.tree, part.numbers)
    }
}

impl Program<Tree> {
    /// The same with other numbers of replicas, as in [`Tree::with_replicas`]; what is said of a stage stays
    /// with the stage. Rates of single links, buffers between two tasks and processors belong to tasks by
    /// their numbers, which are those of the new skeleton.
    ///
    /// # Panics
    /// If a count is 0.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{farm, pipe, task, Buffers, Skeleton, Structured};
    /// let stages = pipe((task(2.0), task(1.0), task(2.0)));
    /// let (middle, last) = (stages.stage::<1>().id(), stages.stage::<2>().id());
    /// let program = stages.tree()?.communicating(100.0).with_buffers(Buffers::default().before(last, 4));
    /// let text = program.with_replicas(&[(middle, 3)]).lower()?.to_string();
    /// assert!(text.contains("Buffer_any1_4[4]"), "{text}");
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn with_replicas(&self, counts: &[(StageId, u32)]) -> Program<Tree> {
        self.part(&[self.skeleton().root()], counts)
    }

    /// Some of its stages one behind the other, alone, with other numbers of replicas as in
    /// [`Self::with_replicas`]. The first of them always has an item, and the last one never waits.
    ///
    /// # Panics
    /// If there is no stage, or a count is 0.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{farm, pipe, task, Skeleton};
    /// let program = pipe((task(1.0), farm(3, 2.0), task(4.0))).tree()?.communicating(10.0);
    /// let stages = program.skeleton().top_level();
    /// let window = program.part(&stages[1..], &[(stages[1], 2)]);
    /// assert_eq!(window.skeleton().to_string(), "pipe(2);\nfarm(2, 2.0);\ntask(4.0);\n");
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn part(&self, stages: &[StageId], counts: &[(StageId, u32)]) -> Program<Tree> {
        let (tree, numbers) = self.skeleton().part(stages, &changes(counts));
        // There is no buffer before the first stage.
        let number = |stage: StageId| {
            let new = numbers.get(stage.index()).copied().flatten();
            new.filter(|&new| !is_first(&tree, new))
        };
        let buffers = self.buffer_capacities().renumbered(&number);
        self.with_skeleton(tree).with_buffers(buffers)
    }
}

/// Another number of replicas at a node and, if it is named, another kind.
struct Change {
    at: StageId,
    replicas: u32,
    replication: Option<Replication>,
}

/// Other numbers of replicas, of the same kinds.
#[cfg_attr(debug_assertions, inline)]
fn changes(counts: &[(StageId, u32)]) -> Vec<Change> {
    assert!(counts.iter().all(|(_, count)| *count > 0), "a stage has a replica");
    counts.iter().map(|&(at, replicas)| Change { at, replicas, replication: None }).collect()
}

/// A part of a skeleton that is being copied.
struct Part {
    tree: Tree,
    /// The number of each copied node.
    numbers: Vec<Option<StageId>>,
}

impl Part {
    #[cfg_attr(debug_assertions, inline)]
    fn copy(&mut self, of: &Tree, id: StageId, changes: &[Change]) -> StageId {
        let here = StageId(self.tree.stages.len() as u32);
        let below = StageId(here.0 + 1);
        self.numbers[id.index()] = Some(here);
        let change = changes.iter().find(|change| change.at == id);
        match (of.stage(id), change) {
            (Stage::Task(_) | Stage::Team(_), None | Some(Change { replicas: 1, .. })) => {
                self.tree.stages.push(of.stage(id).clone());
            }
            (Stage::Task(_) | Stage::Team(_), Some(&Change { replicas, replication, .. })) => {
                let replication = replication.unwrap_or(Replication::Farm);
                self.tree.stages.push(Stage::Replicated { replication, replicas, worker: below });
                self.tree.stages.push(of.stage(id).clone());
            }
            (Stage::Pipe(stages), _) => {
                self.tree.stages.push(Stage::Pipe(Vec::new()));
                let copies = stages.iter().map(|&stage| self.copy(of, stage, changes)).collect();
                self.tree.stages[here.index()] = Stage::Pipe(copies);
            }
            (&Stage::Replicated { replication, replicas, worker }, change) => {
                let replicas = change.map_or(replicas, |change| change.replicas);
                let replication = change.and_then(|change| change.replication).unwrap_or(replication);
                self.tree.stages.push(Stage::Replicated { replication, replicas, worker: below });
                self.copy(of, worker, changes);
            }
        }
        here
    }
}
