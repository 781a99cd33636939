//! What a task is predicted to do with its time.

use skel_core::skeleton::StageId;

/// The parts of the time that a replica of a task is busy, starved and blocked, or waits for others, on
/// average.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Shares {
    /// The node of the task.
    pub id: StageId,
    /// The part of the time that it computes.
    pub busy: f64,
    /// The part of the time that it waits for items; none where the method does not tell it.
    pub starved: Option<f64>,
    /// The part of the time that it waits to hand items over; none where the method does not tell it.
    pub blocked: Option<f64>,
    /// The part of the time that a worker waits for the others that serve the same item; 0 in a task, and
    /// none where the method does not tell it.
    pub waiting: Option<f64>,
}
