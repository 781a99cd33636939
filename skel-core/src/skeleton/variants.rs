//! Variants of a skeleton: other numbers of replicas, other mean times, a part of it.
//!
//! Nodes are numbered anew in a variant, as a task with several replicas becomes a farm. So each variant is made of the original.

use crate::number::Ratio;
use crate::skeleton::tree::{Replication, Stage, StageId, Tree};

impl Tree {
    /// The same skeleton with other numbers of replicas at the places that are named. A deal or farm has as many replicas as it is
    /// given; a task becomes a farm of as many, and stays a task if there is one.
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
        assert!(counts.iter().all(|(_, count)| *count > 0), "a stage has a replica");
        self.part(self.root(), counts)
    }

    /// The same skeleton with the mean time of a task multiplied by a factor.
    ///
    /// # Panics
    /// If the factor is not positive.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{number::ratio, skeleton::text::parse};
    /// let tree = parse("pipe(task(1), task(4));").into_tree()?;
    /// let slower = tree.with_time_of(tree.tasks()[1], &ratio(2, 1));
    /// assert_eq!(slower.to_string(), "pipe(2);\ntask(1.0);\ntask(2.0);\n");
    /// # Ok::<(), skel_core::text::Rejected>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn with_time_of(&self, task: StageId, factor: &Ratio) -> Tree {
        assert!(factor > &Ratio::from_integer(0.into()), "a mean time is positive");
        let mut tree = self.clone();
        if let Stage::Task(slower) = &mut tree.stages[task.index()] {
            slower.rate = &slower.rate / factor;
        }
        tree
    }

    /// Some nodes one behind the other, with other numbers of replicas as in [`Self::with_replicas`]. Of one node alone, that node.
    ///
    /// # Panics
    /// If there is no node.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::text::parse;
    /// let tree = parse("pipe(task(1), farm(3, 2), task(4));").into_tree()?;
    /// let stages = tree.top_level();
    /// let window = tree.pipe_of(&stages[1..], &[(stages[1], 2)]);
    /// assert_eq!(window.to_string(), "pipe(2);\nfarm(2, 2.0);\ntask(4.0);\n");
    /// # Ok::<(), skel_core::text::Rejected>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn pipe_of(&self, stages: &[StageId], counts: &[(StageId, u32)]) -> Tree {
        let [_, _, ..] = stages else { return self.part(stages[0], counts) };
        let mut tree = Tree { stages: vec![Stage::Pipe(Vec::new())] };
        let copies = stages.iter().map(|&stage| self.copy_part(&mut tree, stage, counts)).collect();
        tree.stages[0] = Stage::Pipe(copies);
        tree
    }

    #[cfg_attr(debug_assertions, inline)]
    fn part(&self, id: StageId, counts: &[(StageId, u32)]) -> Tree {
        let mut tree = Tree { stages: Vec::new() };
        self.copy_part(&mut tree, id, counts);
        tree
    }

    #[cfg_attr(debug_assertions, inline)]
    fn copy_part(&self, tree: &mut Tree, id: StageId, counts: &[(StageId, u32)]) -> StageId {
        let here = StageId(tree.stages.len() as u32);
        let below = StageId(here.0 + 1);
        let count = counts.iter().find(|(at, _)| *at == id).map(|&(_, count)| count);
        match (self.stage(id), count) {
            (Stage::Task(task), None | Some(1)) => tree.stages.push(Stage::Task(task.clone())),
            (Stage::Task(task), Some(replicas)) => {
                tree.stages.push(Stage::Replicated { replication: Replication::Farm, replicas, worker: below });
                tree.stages.push(Stage::Task(task.clone()));
            }
            (Stage::Pipe(stages), _) => {
                tree.stages.push(Stage::Pipe(Vec::new()));
                let copies = stages.iter().map(|&stage| self.copy_part(tree, stage, counts)).collect();
                tree.stages[here.index()] = Stage::Pipe(copies);
            }
            (&Stage::Replicated { replication, replicas, worker }, count) => {
                let replicas = count.unwrap_or(replicas);
                tree.stages.push(Stage::Replicated { replication, replicas, worker: below });
                self.copy_part(tree, worker, counts);
            }
        }
        here
    }
}
