//! What a simulation ends with.

use std::fmt;

use skel_core::model::BuildErrors;
use skel_core::number::Number;

use crate::schedule::Chunk;

/// When the work ended, and who did how much of it. Times are in seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome<N = f64> {
    pub(super) makespan: N,
    pub(super) chunks: u64,
    pub(super) items_given: u64,
    pub(super) loads: Vec<Load<N>>,
}

/// What one machine did.
#[derive(Clone, Debug, PartialEq)]
pub struct Load<N = f64> {
    /// How many items it finished.
    pub items: u64,
    /// How many chunks it was given.
    pub chunks: u64,
    /// How long it worked, with work that was lost.
    pub busy: N,
    /// How long it did not work until the end of all work or until it was lost: waiting for the master, or
    /// without anything to do.
    pub idle: N,
    /// Whether it was lost before all work had ended.
    pub is_lost: bool,
}

impl<N: Number> Outcome<N> {
    /// When the last item was finished.
    #[must_use]
    pub fn makespan(&self) -> &N {
        &self.makespan
    }

    /// How many chunks were given out, with those that were given out again.
    #[must_use]
    pub fn chunks(&self) -> u64 {
        self.chunks
    }

    /// How many items were given out, with those that were given out again.
    #[must_use]
    pub fn items_given(&self) -> u64 {
        self.items_given
    }

    /// What each machine did.
    #[must_use]
    pub fn loads(&self) -> &[Load<N>] {
        &self.loads
    }
}

/// A chunk from the request for it to its end: a bar of a Gantt chart. Times are in seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece<N = f64> {
    /// The machine, from 0.
    pub machine: usize,
    /// The items.
    pub chunk: Chunk,
    /// When the machine asked for them.
    pub asked: N,
    /// When the master took the request up.
    pub taken: N,
    /// When the machine began to work.
    pub started: N,
    /// When it finished, or when it was lost.
    pub ended: N,
    /// Whether it finished.
    pub is_finished: bool,
}

/// Why a simulation has no outcome.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Unfinished {
    /// Every machine was lost before all work was done.
    AllLost {
        /// How many items were left.
        left: u64,
    },
    /// More chunks than a simulation gives out.
    TooManyChunks {
        /// The most chunks.
        most: u64,
    },
    /// A schedule whose parameters cannot be.
    Schedule(BuildErrors),
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfinished::AllLost { left: 1 } => {
                f.write_str("every machine was lost, and one item was not done")
            }
            Unfinished::AllLost { left } => {
                write!(f, "every machine was lost, and {left} items were not done")
            }
            Unfinished::TooManyChunks { most } => {
                write!(f, "more than {most} chunks, which are too many to simulate")
            }
            Unfinished::Schedule(errors) => errors.fmt(f),
        }
    }
}

impl std::error::Error for Unfinished {}

impl From<BuildErrors> for Unfinished {
    fn from(errors: BuildErrors) -> Self {
        Unfinished::Schedule(errors)
    }
}
