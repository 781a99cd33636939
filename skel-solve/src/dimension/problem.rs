//! What may be changed and what it costs: the places of a skeleton, and the throughput of each stage alone.
//!
//! A task that takes the mean time `T` and has `n` replicas completes at most `n / T` items per unit of time,
//! whatever its times are distributed like and whatever the stages around it do: each replica computes at
//! most all the time, and the fraction of time in which it computes is its throughput times `T` (the
//! utilisation law). In a nest, `n` is the product of the replicas on the way to the task. So a configuration
//! keeps a target only if `n >= target * T` for every task. Workers that serve one item together are one task
//! here, of which `T` is the time that each of them works for an item.

use num_traits::ToPrimitive;
use skel_core::number::{Number, Ratio};
use skel_core::skeleton::{Program, Stage, StageId, Tree};

use super::answer::Place;

/// A program with its places, its tasks, and what replicas cost.
pub(super) struct Problem {
    pub(super) program: Program<Tree>,
    pub(super) places: Vec<Place>,
    pub(super) tasks: Vec<TaskBound>,
    /// What each replica of a node costs, where that was said.
    costs: Vec<Option<u32>>,
}

/// A task with what multiplies it.
pub(super) struct TaskBound {
    pub(super) stage: StageId,
    pub(super) name: String,
    /// Items per unit of time of one replica at the most.
    pub(super) rate: Ratio,
    /// Replicas on the way to it whose numbers stay as they are, multiplied.
    fixed: u64,
    /// The places on the way to it.
    places: Vec<usize>,
}

impl TaskBound {
    /// Whether a place multiplies it.
    pub(super) fn may_vary(&self) -> bool {
        !self.places.is_empty()
    }

    /// The place nearest to it.
    pub(super) fn place(&self) -> Option<usize> {
        self.places.last().copied()
    }

    /// Items per unit of time with one replica at each place.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn most(&self) -> Ratio {
        &self.rate * Ratio::from_integer(self.fixed.into())
    }
}

impl Problem {
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn new(program: Program<Tree>, chosen: &[StageId], costs: Vec<Option<u32>>) -> Problem {
        let mut problem = Problem { program, places: Vec::new(), tasks: Vec::new(), costs };
        let places = chosen.iter().map(|&stage| problem.place(stage)).collect();
        problem.places = places;
        problem.collect_tasks(problem.tree().root(), 1, &mut Vec::new());
        problem
    }

    /// The same with another skeleton of the same shape.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn with_tree(&self, tree: Tree) -> Problem {
        let places: Vec<StageId> = self.places.iter().map(|place| place.stage).collect();
        Problem::new(self.program.with_skeleton(tree), &places, self.costs.clone())
    }

    #[cfg_attr(debug_assertions, inline)]
    fn place(&self, stage: StageId) -> Place {
        let (kind, now) = match *self.tree().stage(stage) {
            Stage::Replicated { replication, replicas, .. } => (replication.word(), replicas),
            Stage::Team(ref team) => (team.word().text(), 1),
            _ => ("task", 1),
        };
        Place { stage, name: self.name_of(stage), path: self.tree().path_to(stage), kind, now }
    }

    /// The name of what is replicated at a node.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn name_of(&self, stage: StageId) -> String {
        match *self.tree().stage(stage) {
            Stage::Replicated { worker, .. } => self.tree().name(worker),
            _ => self.tree().name(stage),
        }
    }

    #[cfg_attr(debug_assertions, inline)]
    fn collect_tasks(&mut self, id: StageId, fixed: u64, on_the_way: &mut Vec<usize>) {
        let place = self.places.iter().position(|place| place.stage == id);
        on_the_way.extend(place);
        match self.tree().stage(id).clone() {
            Stage::Task(task) => self.add_task(id, task.rate(), fixed, on_the_way),
            Stage::Team(team) => self.add_task(id, team.least_work().recip(), fixed, on_the_way),
            Stage::Pipe(stages) => {
                stages.into_iter().for_each(|stage| self.collect_tasks(stage, fixed, on_the_way));
            }
            Stage::Replicated { replicas, worker, .. } => {
                let factor = if place.is_some() { 1 } else { u64::from(replicas) };
                self.collect_tasks(worker, fixed.saturating_mul(factor), on_the_way);
            }
        }
        on_the_way.truncate(on_the_way.len() - usize::from(place.is_some()));
    }

    #[cfg_attr(debug_assertions, inline)]
    fn add_task(&mut self, stage: StageId, rate: Ratio, fixed: u64, on_the_way: &[usize]) {
        let (name, places) = (self.tree().name(stage), on_the_way.to_vec());
        self.tasks.push(TaskBound { stage, name, rate, fixed, places });
    }

    pub(super) fn tree(&self) -> &Tree {
        self.program.skeleton()
    }

    /// The program with these numbers of replicas.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn with(&self, replicas: &[u32]) -> Program<Tree> {
        self.program.with_replicas(&self.counts(replicas))
    }

    /// The places with these numbers of replicas.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn counts(&self, replicas: &[u32]) -> Vec<(StageId, u32)> {
        self.places.iter().map(|place| place.stage).zip(replicas.iter().copied()).collect()
    }

    /// What these numbers of replicas cost in all, the tasks that stay as they are included.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn cost(&self, replicas: &[u32]) -> u64 {
        self.cost_of(self.tree().root(), replicas)
    }

    #[cfg_attr(debug_assertions, inline)]
    fn cost_of(&self, id: StageId, replicas: &[u32]) -> u64 {
        let said = self.costs[id.index()].map(u64::from);
        let count =
            self.places.iter().position(|place| place.stage == id).map(|place| u64::from(replicas[place]));
        match self.tree().stage(id) {
            Stage::Task(_) => said.unwrap_or(1).saturating_mul(count.unwrap_or(1)),
            Stage::Team(team) => {
                let each = said.unwrap_or(u64::from(team.workers));
                each.saturating_mul(count.unwrap_or(1))
            }
            Stage::Pipe(stages) => {
                stages.iter().fold(0, |sum: u64, &stage| sum.saturating_add(self.cost_of(stage, replicas)))
            }
            Stage::Replicated { replicas: now, worker, .. } => {
                let each = said.unwrap_or_else(|| self.cost_of(*worker, replicas));
                count.unwrap_or(u64::from(*now)).saturating_mul(each)
            }
        }
    }

    /// The fewest replicas at each place that keep a throughput as far as the stage alone is asked; 1 where
    /// several places multiply.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn least(&self, target: &Ratio) -> Vec<u32> {
        let mut least = vec![1; self.places.len()];
        for task in &self.tasks {
            if let [place] = task.places[..] {
                let needed = target / task.most();
                least[place] = needed.ceil().to_integer().to_u32().unwrap_or(u32::MAX).max(least[place]);
            }
        }
        least
    }

    /// The most items per unit of time that a task allows with these numbers of replicas.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn capacity_of(&self, task: &TaskBound, replicas: &[u32]) -> f64 {
        task.rate.to_float() * self.replicas_of(task, replicas)
    }

    /// How many replicas a task has in all.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn replicas_of(&self, task: &TaskBound, replicas: &[u32]) -> f64 {
        task.fixed as f64 * task.places.iter().map(|&place| f64::from(replicas[place])).product::<f64>()
    }

    /// The task that allows the fewest items, and how many.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn capacity(&self, replicas: &[u32]) -> (&TaskBound, f64) {
        let mut tasks = self.tasks.iter().map(|task| (task, self.capacity_of(task, replicas)));
        let first = tasks.next().expect("a skeleton has a task");
        tasks.fold(first, |least, other| if other.1 < least.1 { other } else { least })
    }

    /// Whether no task is multiplied by more than one place.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn is_flat(&self) -> bool {
        self.tasks.iter().all(|task| task.places.len() <= 1)
    }
}
