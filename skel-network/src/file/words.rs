//! The words of network files, for their reader and their writer.

use crate::measurement::Measured;

/// What is timed, but for bursts, which have a number of messages besides.
pub(super) const MEASURED: [Measured; 5] = [
    Measured::HalfRoundTrip,
    Measured::EmptyReply,
    Measured::SendOverhead,
    Measured::ReceiveOverhead,
    Measured::Gap,
];

/// The word of a burst.
pub(super) const BURST: &str = "burst";

/// The word of what is timed.
pub(super) fn of_measured(measured: Measured) -> &'static str {
    match measured {
        Measured::HalfRoundTrip => "half_round_trip",
        Measured::EmptyReply => "empty_reply",
        Measured::SendOverhead => "send_overhead",
        Measured::ReceiveOverhead => "receive_overhead",
        Measured::Burst { .. } => BURST,
        Measured::Gap => "gap",
    }
}
