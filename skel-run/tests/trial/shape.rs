//! Random skeletons.

use skel_core::skeleton::{Program, Replication, Skeleton, Stage, StageId, Tree, text};

use super::Random;

/// A skeleton.
#[derive(Clone, Debug)]
pub enum Shape {
    Task,
    Pipe(Vec<Shape>),
    Farm(u32, Box<Shape>),
    Deal(u32, Box<Shape>),
}

impl Shape {
    /// A skeleton of at most so many tasks and so deep; with deals only if they are allowed.
    pub fn random(random: &mut Random, tasks: u64, depth: u32, deals: bool) -> Shape {
        let whole = Shape::part(random, tasks, depth, deals, true);
        match whole {
            Shape::Task => Shape::Pipe(vec![Shape::Task, Shape::Task]),
            other => other,
        }
    }

    fn part(random: &mut Random, tasks: u64, depth: u32, deals: bool, pipe: bool) -> Shape {
        if depth == 0 || tasks == 0 {
            return Shape::Task;
        }
        match random.below(8) {
            0..4 if pipe && tasks >= 2 => {
                let stages = 2 + random.below(3.min(tasks - 1));
                let each = tasks / stages;
                let stage = |_| Shape::part(random, each.max(1), depth - 1, deals, false);
                Shape::Pipe((0..stages).map(stage).collect())
            }
            4..6 if deals => Shape::Deal(
                1 + random.below(3) as u32,
                Box::new(Shape::part(random, tasks, depth - 1, deals, true)),
            ),
            0..7 => Shape::Farm(
                1 + random.below(3) as u32,
                Box::new(Shape::part(random, tasks, depth - 1, deals, true)),
            ),
            _ => Shape::Task,
        }
    }

    /// The number of threads that it has at most.
    pub fn threads(&self) -> u64 {
        match self {
            Shape::Task => 1,
            Shape::Pipe(stages) => stages.iter().map(Shape::threads).sum(),
            Shape::Farm(replicas, worker) | Shape::Deal(replicas, worker) => {
                u64::from(*replicas) * worker.threads()
            }
        }
    }

    /// As a `.skel` text.
    pub fn text(&self) -> String {
        format!("{};", self.expression(true))
    }

    fn expression(&self, is_whole: bool) -> String {
        match self {
            Shape::Task if is_whole => "task(1)".to_owned(),
            Shape::Task => "1".to_owned(),
            Shape::Pipe(stages) => {
                let stages: Vec<String> = stages.iter().map(|stage| stage.expression(true)).collect();
                format!("pipe({})", stages.join(", "))
            }
            Shape::Farm(replicas, worker) => format!("farm({replicas}, {})", worker.expression(false)),
            Shape::Deal(replicas, worker) => format!("deal({replicas}, {})", worker.expression(false)),
        }
    }
}

/// The program of a text.
pub fn program(text: &str) -> Program<Tree> {
    text::parse(text).into_tree().unwrap_or_else(|problems| panic!("{text}: {problems:?}")).communicating(1e6)
}

/// A deal or farm around a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Around {
    pub id: StageId,
    pub kind: Replication,
    pub replicas: u32,
}

/// The deals and farms around each task, the outermost first, in the order in which items meet the tasks.
pub fn tasks(tree: &Tree) -> Vec<Vec<Around>> {
    let mut found = Vec::new();
    collect(tree, tree.root(), &mut Vec::new(), &mut found);
    found
}

fn collect(tree: &Tree, id: StageId, around: &mut Vec<Around>, found: &mut Vec<Vec<Around>>) {
    match tree.stage(id) {
        Stage::Task(_) => found.push(around.clone()),
        Stage::Pipe(stages) => stages.iter().for_each(|&stage| collect(tree, stage, around, found)),
        Stage::Team(_) => unreachable!("no shape here has workers that serve one item together"),
        &Stage::Replicated { replication, replicas, worker } => {
            around.push(Around { id, kind: replication, replicas });
            collect(tree, worker, around, found);
            around.pop();
        }
    }
}
