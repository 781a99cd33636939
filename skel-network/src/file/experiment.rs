//! Timed collective operations: the base of experiments.

use crate::collective::{Algorithm, Operation};
use crate::quantity::{Bytes, Time};

/// One timed run of a collective operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// What was done.
    pub operation: Operation,
    /// How it was done.
    pub algorithm: Algorithm,
    /// How many processes took part, the root included.
    pub processes: u32,
    /// The size of the message, or of one process's block.
    pub size: Bytes,
    /// The segments in which the message was cut, if it was.
    pub segment: Option<Bytes>,
    /// How long it took.
    pub time: Time,
    /// A machine of the cluster in which it was run. Without one it holds for any cluster of so many
    /// processes.
    pub at: Option<String>,
}
