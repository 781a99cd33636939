//! Communication models: what is known of a message between two machines.
//!
//! | model | time of a message of `m` bytes |
//! |---|---|
//! | [`Hockney`] | `alpha + m / beta` |
//! | [`LogP`] | `L + 2o + (n-1) max(g, o)` in `n` packets |
//! | [`LogGp`] | `L + 2o + (m-1) G` |
//! | [`LoGpc`] | `L + 2o + (m-1) gamma G`, with a measured contention factor |
//! | [`PLogP`] | `L + g(m)`, with a measured table |

mod any;
pub(crate) mod check;
mod display;
mod hockney;
mod kind;
mod loggp;
mod logp;
mod logpc;
mod plogp;
mod table;

use std::fmt;

use crate::quantity::{Bytes, Time};

pub use any::Model;
pub use hockney::Hockney;
pub use kind::{Kind, KnowledgeTable, Properties};
pub use loggp::LogGp;
pub use logp::LogP;
pub use logpc::LoGpc;
pub use plogp::PLogP;
pub use table::GapTable;

/// What a message costs on one link.
///
/// | | |
/// |---|---|
/// | [`time`](CommunicationModel::time) `T(m)` | from the start of sending to the end of receiving |
/// | [`gap`](CommunicationModel::gap) `g(m)` | from the start of one message to the start of the next on one port |
/// | [`latency`](CommunicationModel::latency) `L(m) = T(m) - g(m)` | how each model is seen by the collective operations, as pLogP sees it |
/// | [`train`](CommunicationModel::train) `T(m) + (k-1) g(m)` | several messages in a row |
pub trait CommunicationModel: fmt::Debug + Send + Sync {
    /// The name of the model in the literature, such as `LogGP`.
    fn name(&self) -> &'static str;

    /// From the start of sending to the end of receiving.
    ///
    /// # Errors
    /// The size is outside of a table of the model.
    fn time(&self, size: Bytes) -> Result<Time, OutsideTable>;

    /// From the start of one message to the start of the next on one port.
    ///
    /// # Errors
    /// The size is outside of a table of the model.
    fn gap(&self, size: Bytes) -> Result<Time, OutsideTable>;

    /// How long the processor of the sender is busy with a message.
    ///
    /// # Errors
    /// The size is outside of a table of the model.
    fn sender_busy(&self, size: Bytes) -> Result<Time, OutsideTable>;

    /// How long the processor of the receiver is busy with a message.
    ///
    /// # Errors
    /// The size is outside of a table of the model.
    fn receiver_busy(&self, size: Bytes) -> Result<Time, OutsideTable>;

    /// The time of a message less its gap: from the start of sending to the arrival of the first byte, as
    /// pLogP has it.
    ///
    /// # Errors
    /// The size is outside of a table of the model.
    fn latency(&self, size: Bytes) -> Result<Time, OutsideTable> {
        Ok(self.time(size)? - self.gap(size)?)
    }

    /// The time of several messages in a row on one port. No message takes no time.
    ///
    /// # Errors
    /// The size is outside of a table of the model.
    fn train(&self, size: Bytes, messages: u32) -> Result<Time, OutsideTable> {
        let Some(others) = messages.checked_sub(1) else { return Ok(Time::ZERO) };
        Ok(self.time(size)? + self.gap(size)? * f64::from(others))
    }
}

/// A size of a message that a table of a model does not cover. Inside of a table, models interpolate; they
/// never extrapolate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsideTable {
    /// The size that was asked for.
    pub size: Bytes,
    /// The smallest size of the table.
    pub least: Bytes,
    /// The largest size of the table.
    pub most: Bytes,
}

impl fmt::Display for OutsideTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OutsideTable { size, least, most } = self;
        write!(
            f,
            "a message of {} bytes is outside of the table, which covers {} to {} bytes",
            size.get(),
            least.get(),
            most.get()
        )
    }
}

impl std::error::Error for OutsideTable {}
