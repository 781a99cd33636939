//! What a manager can do to a running program.

use std::fmt;
use std::time::Duration;

use skel_core::skeleton::{Program, StageId, Tree};
use skel_plan::ProcessorId;

/// What a manager does.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Action {
    /// Another number of replicas of a farm or deal, or of workers of a map or another team.
    SetReplicas {
        /// The farm, deal or team.
        stage: StageId,
        /// How many there were.
        from: u32,
        /// How many there will be.
        to: u32,
    },
    /// Other parts of each item for the workers of a map.
    Repartition {
        /// The map.
        stage: StageId,
        /// The part of each worker is its number by the sum of all.
        shares: Vec<u32>,
    },
    /// Several workers serve the part of one worker of a map.
    Nest {
        /// The map.
        stage: StageId,
        /// Which worker.
        worker: u32,
        /// How many serve its part from now on.
        workers: u32,
    },
    /// A replica of a task moves to another processor.
    Move {
        /// The task.
        stage: StageId,
        /// Which replica.
        replica: u32,
        /// Where to.
        to: ProcessorId,
    },
    /// Another capacity of all buffers.
    SetBuffers {
        /// How many items a buffer holds.
        from: u32,
        /// How many it will hold.
        to: u32,
    },
    /// Another number of items that travel together.
    SetBatch {
        /// How many travel together.
        from: u32,
        /// How many will.
        to: u32,
    },
    /// The contract is broken and nothing helps, or a rule says so.
    Report {
        /// The reason, a sentence.
        reason: String,
    },
}

/// What carries out the actions: the handle of a run, a simulated program, or nothing.
pub trait Actuators {
    /// The program as it is now, with its present numbers of replicas.
    fn program(&self) -> Program<Tree>;

    /// Carries an action out.
    ///
    /// # Errors
    /// Why it was not; the program is then as it was.
    fn perform(&mut self, action: &Action) -> Result<(), Refusal>;

    /// For how long the program makes less than before, if this action is carried out.
    fn cost(&self, action: &Action) -> Duration;

    /// Whether an action of this kind can be carried out at all.
    fn can(&self, action: &Action) -> bool;
}

/// Why an action was not carried out, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}
