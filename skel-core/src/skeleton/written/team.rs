//! Stages whose workers serve one item together, as they are written.

use crate::rate::Rate;
use crate::skeleton::word::TeamWord;
use crate::skeleton::written::{Value, Written, WrittenTime};

/// `map(workers, worker)`, `fault_tolerant(workers, worker)` or
/// `map_with_state(workers, worker, state(time, items))`
#[derive(Clone, Debug)]
pub struct WrittenTeam<S> {
    /// Which of the three.
    pub word: TeamWord,
    /// How many workers there are.
    pub workers: Value<i128, S>,
    /// The worker: a task, or something that cannot be one.
    pub worker: Written<S>,
    /// Whether a fault-tolerant stage passes on the result as soon as the majority have replied.
    pub early: bool,
    /// How the workers of a map with state take their states.
    pub state: Option<WrittenState<S>>,
    /// The place of the whole.
    pub span: S,
}

/// `state(time, items)`
#[derive(Clone, Debug)]
pub struct WrittenState<S> {
    /// How long a worker takes for a new state: a rate or a distribution.
    pub time: WrittenTime<S>,
    /// How many items there are for each state, on average.
    pub items: Value<Rate, S>,
}
