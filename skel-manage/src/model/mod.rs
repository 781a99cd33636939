//! The program with its measured times, and what it would do with other numbers of workers.

mod ends;
mod leaf;
mod line;
mod numbers;
mod plan;
mod reduction;
mod team;
mod variants;
mod whole;

use std::cell::RefCell;
use std::collections::HashMap;

use skel_core::skeleton::{Program, StageId, Tree};
use skel_run::report::time_of;

use crate::behaviour::formula;
use crate::measure::Measures;
use crate::quantity::ServiceTime;
use ends::Ends;
use leaf::Leaf;
use line::{Budget, Line};
use numbers::Numbers;
use reduction::{Reduced, Reduction};

/// A program with its measured times.
#[derive(Clone, Debug)]
pub struct Model {
    program: Program<Tree>,
    leaves: Vec<Leaf>,
    /// How many services of each leaf were measured.
    services: HashMap<StageId, u64>,
    ends: Ends,
    /// The capacity of the buffer before each leaf.
    buffers: HashMap<StageId, u32>,
    /// What was predicted before.
    known: RefCell<HashMap<Numbers, Prediction>>,
}

/// By which prediction a manager decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Consult {
    /// The Markov chain, with buffers and measured variation.
    #[default]
    Chain,
    /// The paper's formula, which leaves variation out.
    Formula,
}

/// What a model predicts. The measured service time stands beside it in a [`Decision`](crate::Decision), so
/// that there are always three figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// By the paper's formula: the largest of the times of all stages.
    pub formula: ServiceTime,
    /// By the Markov chain, corrected as the method says.
    pub chain: ServiceTime,
    /// How `chain` was found.
    pub method: Method,
}

/// How the service time of a chain was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// The steady state of the chain with the measured variation.
    Chain,
    /// Between the chain with exponential times and the formula, which is the limit of constant times, linear
    /// in the standard deviation.
    Interpolated,
    /// Chains of a few neighbouring stages each, since the whole is beyond the limits: too short, if
    /// anything.
    Neighbours,
    /// A chain in which deals are taken for farms, and workers that are pipes for tasks of the same service
    /// time, since that of the program is beyond the limits.
    Reduced,
    /// The formula, since no chain is within the limits.
    Formula,
}

/// What a plan should reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// The service time that should not be exceeded.
    pub service_time: ServiceTime,
    /// By which prediction.
    pub consult: Consult,
    /// By what factor service times turned out longer than predicted before; 1 for a model that was right.
    pub correction: f64,
    /// The most workers that there may be in all.
    pub most: u32,
}

/// The least numbers of replicas that reach a goal.
#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    /// These numbers: a farm, a deal or a team, and its replicas or workers. The present ones, if they are
    /// already the least.
    Replicas {
        /// Each place whose number may change, with its number.
        replicas: Vec<(StageId, u32)>,
        /// What is predicted then.
        predicted: Prediction,
        /// How many predictions it took.
        tried: u32,
    },
    /// No numbers reach it.
    Impossible(Obstacle),
}

/// Why no number of workers reaches a goal.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Obstacle {
    /// A task without replicas takes longer.
    Task {
        /// Its name.
        name: String,
        /// Its time.
        time: ServiceTime,
    },
    /// Tasks without replicas that follow one another: each is fast enough, but their times vary, and one
    /// waits for the other.
    Neighbours {
        /// Their names, in the order of the program.
        names: Vec<String>,
        /// The service time of these alone.
        time: ServiceTime,
    },
    /// Items arrive more slowly.
    Arrival(ServiceTime),
    /// The output takes them more slowly.
    Output(ServiceTime),
    /// It would take more workers than there may be.
    TooMany {
        /// The best that so many reach.
        reached: ServiceTime,
        /// How many there may be.
        most: u32,
    },
}

/// The most states of a chain that is made from the model of the program, which takes longer than one of
/// counts.
const MOST_STATES: u64 = 1_500;

impl Model {
    /// The program with the times of a window.
    ///
    /// Moves take no time in it: what threads take to hand over items of some milliseconds is below a
    /// thousandth of that.
    #[must_use]
    pub fn calibrated(program: &Program<Tree>, measures: &Measures) -> Self {
        let tree = program.skeleton();
        let known = measures.stages.iter().filter(|stage| tree.leaves().any(|id| id == stage.id));
        let mut leaves: Vec<Leaf> = known.map(|stage| Leaf::of(tree, stage)).collect();
        let services = measures.stages.iter().map(|stage| (stage.id, stage.services)).collect();
        let numbers = Numbers::of(tree);
        let ends = Ends::of(&mut leaves, tree, &numbers, measures);
        let buffers = program.capacities_before_tasks().unwrap_or_default().into_iter().collect();
        let measured =
            whole::program(program, &leaves, &numbers, &|mean, scv, _| time_of(mean, Some(scv), u64::MAX));
        Model { program: measured, leaves, services, ends, buffers, known: RefCell::default() }
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &Program<Tree> {
        &self.program
    }

    /// What the program does with these numbers of replicas or workers, and its present ones where nothing is
    /// said. Without workers it takes infinitely long.
    ///
    /// The answer is kept, and not computed twice.
    #[must_use]
    pub fn predict(&self, replicas: &[(StageId, u32)]) -> Prediction {
        self.prediction(&self.numbers(replicas))
    }

    fn numbers(&self, replicas: &[(StageId, u32)]) -> Numbers {
        let tree = self.program.skeleton();
        Numbers::of(tree).with(tree, replicas)
    }

    fn prediction(&self, numbers: &Numbers) -> Prediction {
        if let Some(known) = self.known.borrow().get(numbers) {
            return known.clone();
        }
        let formula = ServiceTime::of_seconds(self.formula(numbers));
        let (chain, method) =
            if numbers.are_positive() { self.chain(numbers) } else { (f64::INFINITY, Method::Formula) };
        let found = Prediction { formula, chain: ServiceTime::of_seconds(chain), method };
        self.known.borrow_mut().insert(numbers.clone(), found.clone());
        found
    }

    /// The largest of the times of all stages, and of source and output.
    fn formula(&self, numbers: &Numbers) -> f64 {
        self.slowest(numbers, Leaf::formula)
    }

    /// What no chain is faster than.
    fn least(&self, numbers: &Numbers) -> f64 {
        self.slowest(numbers, Leaf::least)
    }

    fn slowest(&self, numbers: &Numbers, time: fn(&Leaf, u32) -> f64) -> f64 {
        let tree = self.program.skeleton();
        let of = |leaf: &Leaf| {
            let replicas = numbers.replicas(tree, leaf.id);
            match (replicas, numbers.at(leaf.id)) {
                (0, _) | (_, 0) => f64::INFINITY,
                (replicas, workers) => leaf.visits * formula::farm(&time(leaf, workers), &(replicas as f64)),
            }
        };
        self.leaves.iter().map(of).fold(self.ends.slowest(), f64::max)
    }

    fn reduction<'a>(&'a self, numbers: &'a Numbers) -> Reduction<'a> {
        Reduction {
            tree: self.program.skeleton(),
            leaves: &self.leaves,
            services: &self.services,
            buffers: &self.buffers,
            numbers,
        }
    }

    fn chain(&self, numbers: &Numbers) -> (f64, Method) {
        let reduced = self.reduction(numbers).whole();
        let visits = self.leaves.first().map_or(1.0, |leaf| leaf.visits);
        let (service_time, method) = self.of_line(&reduced, numbers);
        ((visits * service_time).max(self.ends.slowest()), method)
    }

    fn of_line(&self, reduced: &Reduced, numbers: &Numbers) -> (f64, Method) {
        if !reduced.is_exact
            && let Some(found) = self.of_whole(&reduced.line, numbers)
        {
            return found;
        }
        let line = &reduced.line;
        match line.solve(Budget::OF_A_PREDICTION) {
            Some(solved) if !reduced.is_exact => (solved.service_time, Method::Reduced),
            Some(solved) if solved.is_chain => (solved.service_time, Method::Chain),
            Some(solved) => (solved.service_time, Method::Interpolated),
            None => match line.neighbours(Budget::OF_A_PREDICTION) {
                Some(longest) => (longest, Method::Neighbours),
                None => (line.least(), Method::Formula),
            },
        }
    }

    /// By the chain of the program itself or, if that is too large, by the one with exponential times.
    fn of_whole(&self, line: &Line, numbers: &Numbers) -> Option<(f64, Method)> {
        let with = |time: &dyn Fn(f64, f64, &Leaf) -> skel_core::time::ServiceTime| {
            whole::service_time(&whole::program(&self.program, &self.leaves, numbers, time), MOST_STATES)
        };
        if let Some(found) = with(&|mean, scv, _| time_of(mean, Some(scv), u64::MAX)) {
            return Some((found, Method::Chain));
        }
        let exponential = with(&|mean, _, _| time_of(mean, None, 1))?;
        Some((line.interpolated(exponential), Method::Interpolated))
    }
}

impl Prediction {
    /// The service time by this prediction.
    #[must_use]
    pub fn by(&self, consult: Consult) -> ServiceTime {
        match consult {
            Consult::Chain => self.chain,
            Consult::Formula => self.formula,
        }
    }
}
