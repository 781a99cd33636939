//! The program with its measured times, and what it would do with other numbers of workers.

use skel_core::skeleton::{Program, StageId, Tree};

use crate::measure::Measures;
use crate::quantity::ServiceTime;

/// A program with its measured times.
#[derive(Clone, Debug)]
pub struct Model {
    program: Program<Tree>,
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

/// What a model predicts. The measured service time stands beside it in a [`Decision`](crate::Decision), so that there are always three figures.
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
    /// Between the chain with exponential times and the formula, which is the limit of constant times, linear in the standard deviation.
    Interpolated,
    /// Chains of a few neighbouring stages each, since the whole is beyond the limits: too short, if anything.
    Neighbours,
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
    /// These numbers: a farm, a deal or a team, and its replicas or workers. The present ones, if they are already the least.
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

impl Model {
    /// The program with the times of a window.
    #[must_use]
    pub fn calibrated(program: &Program<Tree>, measures: &Measures) -> Self {
        let _ = measures;
        Model { program: program.clone() }
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &Program<Tree> {
        &self.program
    }

    /// What the program does with these numbers of replicas or workers, and its present ones where nothing is said.
    #[must_use]
    pub fn predict(&self, replicas: &[(StageId, u32)]) -> Prediction {
        let _ = replicas;
        let none = ServiceTime::of_seconds(f64::NAN);
        Prediction { formula: none, chain: none, method: Method::Formula }
    }

    /// The least numbers of replicas that reach a goal.
    #[must_use]
    pub fn plan(&self, goal: &Goal) -> Plan {
        let _ = goal;
        Plan::Impossible(Obstacle::Arrival(ServiceTime::of_seconds(f64::NAN)))
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
