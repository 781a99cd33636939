//! What a manager decided, and why.

use std::time::Duration;

use crate::action::{Action, Refusal};
use crate::measure::Measures;
use crate::model::Prediction;
use crate::quantity::ServiceTime;

/// Everything that a manager noted, in the order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    /// What happened.
    pub events: Vec<Event>,
}

/// What a manager noted at a moment.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// It decided on actions.
    Decided(Box<Decision>),
    /// It compared what it had predicted for its last action with what was measured then.
    Checked {
        /// When, since the start of the run.
        at: Duration,
        /// What was predicted, with the correction that held then.
        predicted: ServiceTime,
        /// What was measured.
        measured: ServiceTime,
        /// The relative standard error of what was measured.
        error: f64,
        /// By what factor predictions are corrected from now on; none if the prediction was right within the
        /// errors.
        recalibrated: Option<f64>,
    },
}

/// A decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// When, since the start of the run.
    pub at: Duration,
    /// What was measured, the service time among it.
    pub measures: Measures,
    /// What is predicted for the program as it is.
    pub now: Prediction,
    /// What is predicted for the program after the actions.
    pub then: Option<Prediction>,
    /// The rule that asked for it.
    pub rule: String,
    /// What is done, in this order.
    pub actions: Vec<Action>,
    /// Why, a sentence or two.
    pub reason: String,
    /// For how long the program makes less than before, by what is known of such actions.
    pub cost: Duration,
    /// How long it took to decide.
    pub decided_in: Duration,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a decision.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// It was carried out.
    Done,
    /// It was noted alone, as a dry run or a replay does.
    Noted,
    /// An action was refused, and those behind it were left out.
    Refused {
        /// Which action, from 0.
        action: usize,
        /// Why.
        refusal: Refusal,
    },
}
