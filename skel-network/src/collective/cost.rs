//! What one message costs, as the collective operations see it.

use std::fmt;

use crate::model::{CommunicationModel, OutsideTable};
use crate::quantity::{Bytes, Time};

/// The two values of a message of one size that the collective operations need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cost {
    /// How long a port is busy with it.
    pub(crate) gap: Time,
    /// From the start of sending to the first byte. It is below 0 where a model's gap exceeds the time of a
    /// message.
    pub(crate) latency: Time,
}

/// When a receiving port is free that has received nothing yet. Where latencies are below 0, that is before
/// the start.
pub(crate) const NEVER_BUSY: Time = Time::microseconds(f64::NEG_INFINITY);

impl Cost {
    /// What a model says of a message.
    pub(crate) fn of(model: &dyn CommunicationModel, size: Bytes) -> Result<Cost, CostError> {
        let outside = |error| CostError::OutsideTable { model: model.name(), outside: error };
        let gap = model.gap(size).map_err(outside)?;
        let cost = Cost { gap, latency: model.latency(size).map_err(outside)? };
        match [("gap", cost.gap), ("time", cost.time())].into_iter().find(|(_, value)| !is_time(*value)) {
            None => Ok(cost),
            Some((what, value)) => Err(CostError::NotATime { model: model.name(), what, size, value }),
        }
    }

    /// From the start of sending to the end of receiving.
    pub(crate) fn time(self) -> Time {
        self.latency + self.gap
    }

    /// From the start of one message to the start of one that waits for it and for the port: the time, or the
    /// gap where it is longer.
    pub(crate) fn round(self) -> Time {
        self.time().max(self.gap)
    }

    /// When a message counts as arrived that was sent at a time: no earlier than that, even where the latency
    /// is below 0.
    pub(crate) fn arrival(self, sent: Time) -> Time {
        sent.max(sent + self.latency)
    }

    /// When a message is received that was sent at a time, where the receiving port is busy until another.
    pub(crate) fn received(self, sent: Time, port_free: Time) -> Time {
        (sent + self.latency).max(port_free) + self.gap
    }
}

/// Finite and not below 0.
pub(crate) fn is_time(value: Time) -> bool {
    let value = value.as_microseconds();
    value.is_finite() && value >= 0.0
}

/// Why a model does not say what a message costs.
#[derive(Clone, Debug, PartialEq)]
pub enum CostError {
    /// The model has a table, which does not cover the size.
    OutsideTable {
        /// The name of the model.
        model: &'static str,
        /// The size, and what is covered.
        outside: OutsideTable,
    },
    /// The model's value is below 0, infinite or not a number.
    NotATime {
        /// The name of the model.
        model: &'static str,
        /// Which value: `gap` or `time`.
        what: &'static str,
        /// The size of the message.
        size: Bytes,
        /// The value.
        value: Time,
    },
}

impl fmt::Display for CostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CostError::OutsideTable { model, outside } => write!(f, "{model}: {outside}"),
            CostError::NotATime { model, what, size, value } => {
                write!(
                    f,
                    "{model}: the {what} of a message of {} bytes is {value}, which is no time",
                    size.get()
                )
            }
        }
    }
}

impl std::error::Error for CostError {}
