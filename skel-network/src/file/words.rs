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

/// The word by which a network file names what is timed; a burst has its number of messages beside it.
///
/// # Examples
/// ```
/// use skel_network::{Measured, file::word_of};
/// assert_eq!(word_of(Measured::HalfRoundTrip), "half_round_trip");
/// ```
#[must_use]
pub fn of_measured(measured: Measured) -> &'static str {
    match measured {
        Measured::HalfRoundTrip => "half_round_trip",
        Measured::EmptyReply => "empty_reply",
        Measured::SendOverhead => "send_overhead",
        Measured::ReceiveOverhead => "receive_overhead",
        Measured::Burst { .. } => BURST,
        Measured::Gap => "gap",
    }
}
