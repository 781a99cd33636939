//! What was timed between two machines.

use crate::quantity::{Bytes, Time};

/// What a timed run between two machines was.
///
/// The first six of these are the runs of T. Kielmann and others, *Network performance-aware collective
/// communication for clustered wide area systems*, Parallel Computing 27, 2001, and of D. Culler and others,
/// *LogP*, Communications of the ACM 39, 1996.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Measured {
    /// Half of the time there and back of a message, with a reply of the same size: the time of one message.
    HalfRoundTrip,
    /// The time there and back of a message with an empty reply.
    EmptyReply,
    /// How long the sender of a message is busy with it (`o_s`).
    SendOverhead,
    /// How long the receiver of a message is busy with it (`o_r`).
    ReceiveOverhead,
    /// From the start of the first of several messages in a row to the end of the last.
    Burst {
        /// How many messages there were.
        messages: u32,
    },
    /// From the start of one message to the start of the next on one port (`g`).
    Gap,
}

/// One timed run between two machines.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// The machine that sent.
    pub from: String,
    /// The machine that received.
    pub to: String,
    /// What was timed.
    pub measured: Measured,
    /// The size of each message.
    pub size: Bytes,
    /// How long it took.
    pub time: Time,
}
