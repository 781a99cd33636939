//! The same skeleton with another number of replicas, or with another rate of a task.

use crate::diagnostic::Code;
use crate::model::{BuildError, BuildErrors};
use crate::number::Ratio;
use crate::skeleton::bounds::MOST_TASKS;
use crate::skeleton::tree::{Stage, StageId, Tree};

impl Tree {
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

    /// The same skeleton with another number of replicas of a deal or a farm.
    ///
    /// # Errors
    /// There is no replica, or the skeleton has more tasks than a skeleton may have.
    ///
    /// # Panics
    /// If the tree has no such node, or if the node is neither a deal nor a farm.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{farm, pipe, task, Skeleton, StageId};
    /// let tree = pipe((task(1.0), farm(2, 3.0))).tree()?;
    /// assert_eq!(tree.with_replicas(StageId(2), 5)?.to_string(), "pipe(2);\ntask(1.0);\nfarm(5, 3.0);\n");
    /// assert!(tree.with_replicas(StageId(2), 5000).is_err());
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[cfg_attr(debug_assertions, inline)]
    pub fn with_replicas(&self, id: StageId, replicas: u32) -> Result<Tree, BuildErrors> {
        let mut tree = self.clone();
        match &mut tree.stages[id.index()] {
            Stage::Replicated { replicas: before, .. } => *before = replicas,
            _ => panic!("the node {} is neither a deal nor a farm", id.0),
        }
        let refused = |code, message, help: &str| {
            Err(BuildErrors(vec![BuildError { code, message, help: help.to_owned() }]))
        };
        match tree.task_count(tree.root()) {
            0 => refused(
                Code::NoReplica,
                format!("{} has 0 replicas", self.path_to(id)),
                "a deal or farm has at least one replica",
            ),
            tasks if tasks > MOST_TASKS => refused(
                Code::SkeletonTooLarge,
                format!("the skeleton has {tasks} tasks, more than {MOST_TASKS}"),
                "use fewer replicas: every task is a component of the model",
            ),
            _ => Ok(tree),
        }
    }

    /// The number of tasks below a node, replicas counted.
    #[cfg_attr(debug_assertions, inline)]
    fn task_count(&self, id: StageId) -> u64 {
        match self.stage(id) {
            Stage::Task(_) => 1,
            Stage::Pipe(stages) => {
                stages.iter().fold(0, |sum: u64, &stage| sum.saturating_add(self.task_count(stage)))
            }
            Stage::Replicated { replicas, worker, .. } => {
                self.task_count(*worker).saturating_mul(u64::from(*replicas))
            }
        }
    }

    /// The same skeleton with another rate of a task, in items per unit of time. Its service time keeps its shape.
    ///
    /// # Panics
    /// If the tree has no such node, if the node is no task, or if the rate is not positive.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{number::ratio, skeleton::{pipe, task, Skeleton, StageId}};
    /// let tree = pipe((task(1.0), task(3.0))).tree()?;
    /// assert_eq!(tree.with_rate(StageId(2), ratio(7, 2)).to_string(), "pipe(2);\ntask(1.0);\ntask(3.5);\n");
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn with_rate(&self, id: StageId, rate: Ratio) -> Tree {
        assert!(rate > num_traits::Zero::zero(), "the rate {rate} is not positive");
        let mut tree = self.clone();
        match &mut tree.stages[id.index()] {
            Stage::Task(task) => task.time = task.time.longer_by(&(task.rate() / rate)),
            _ => panic!("the node {} is no task", id.0),
        }
        tree
    }
}
