//! Random skeletons.

use skel_core::skeleton::{Program, Replication, Skeleton, Stage, StageId, TeamKind, Tree, text};

use super::Random;

/// What the workers do together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Map,
    Vote { early: bool },
    WithState,
}

/// The workers of a task.
#[derive(Clone, Copy, Debug)]
pub struct Team {
    pub id: StageId,
    pub kind: Kind,
    pub workers: u32,
}

/// A skeleton.
#[derive(Clone, Debug)]
pub enum Shape {
    Task,
    Pipe(Vec<Shape>),
    Farm(u32, Box<Shape>),
    Deal(u32, Box<Shape>),
    Team(Kind, u32),
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

    /// The same with teams in the place of some tasks, if chance has it. A map with state has to be outside
    /// of deals and farms.
    pub fn with_teams(self, random: &mut Random, is_inside: bool) -> Shape {
        match self {
            Shape::Task if random.one_in(2) => Shape::team(random, is_inside),
            Shape::Pipe(stages) => {
                Shape::Pipe(stages.into_iter().map(|stage| stage.with_teams(random, is_inside)).collect())
            }
            Shape::Farm(replicas, worker) => Shape::Farm(replicas, Box::new(worker.with_teams(random, true))),
            Shape::Deal(replicas, worker) => Shape::Deal(replicas, Box::new(worker.with_teams(random, true))),
            other => other,
        }
    }

    pub fn team(random: &mut Random, is_inside: bool) -> Shape {
        let few = 1 + random.below(4) as u32;
        match random.below(if is_inside { 4 } else { 6 }) {
            0 => Shape::Team(Kind::Map, few),
            1 => Shape::Team(Kind::Vote { early: false }, 3),
            2 => Shape::Team(Kind::Vote { early: true }, 3),
            3 => Shape::Team(Kind::Vote { early: random.one_in(2) }, 5),
            _ => Shape::Team(Kind::WithState, few),
        }
    }

    /// The number of threads that it has at most.
    pub fn threads(&self) -> u64 {
        match self {
            Shape::Task => 1,
            // An early majority has a leader besides.
            Shape::Team(_, workers) => u64::from(*workers) + 1,
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
            Shape::Team(Kind::Map, workers) => format!("map({workers}, 1)"),
            Shape::Team(Kind::Vote { early }, workers) => {
                format!("fault_tolerant({workers}, 1{})", if *early { ", early" } else { "" })
            }
            Shape::Team(Kind::WithState, workers) => format!("map_with_state({workers}, 1, state(1, 4))"),
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

/// The deals and farms around each task, the outermost first, and its workers if several serve an item
/// together. The tasks are in the order in which items meet them.
pub fn tasks(tree: &Tree) -> Vec<(Vec<Around>, Option<Team>)> {
    let mut found = Vec::new();
    collect(tree, tree.root(), &mut Vec::new(), &mut found);
    found
}

fn collect(tree: &Tree, id: StageId, around: &mut Vec<Around>, found: &mut Vec<(Vec<Around>, Option<Team>)>) {
    match tree.stage(id) {
        Stage::Task(_) => found.push((around.clone(), None)),
        Stage::Pipe(stages) => stages.iter().for_each(|&stage| collect(tree, stage, around, found)),
        Stage::Team(team) => {
            let kind = match team.kind {
                TeamKind::Map => Kind::Map,
                TeamKind::FaultTolerant { early } => Kind::Vote { early },
                TeamKind::MapWithState(_) => Kind::WithState,
            };
            found.push((around.clone(), Some(Team { id, kind, workers: team.workers })));
        }
        &Stage::Replicated { replication, replicas, worker } => {
            around.push(Around { id, kind: replication, replicas });
            collect(tree, worker, around, found);
            around.pop();
        }
    }
}
