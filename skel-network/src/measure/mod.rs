//! Messages between this process and others, timed.
//!
//! ```text
//! Plan (sizes, rounds, repetitions)  --\
//!                                       runs over a port (TCP, or two threads) -> Series -> Measurement
//! Listener on the other side: answers --/
//! ```
//!
//! All times are taken on one clock, so no clocks need to agree. This process sends, and the other one
//! answers as it is asked to:
//!
//! | what is timed | how |
//! |---|---|
//! | [`HalfRoundTrip`](Measured::HalfRoundTrip) | half of the time until a message of the same size is back |
//! | [`EmptyReply`](Measured::EmptyReply) | the time until an empty message is back |
//! | [`SendOverhead`](Measured::SendOverhead) | the time of the call that sends |
//! | [`ReceiveOverhead`](Measured::ReceiveOverhead) | the time of the call that receives, on the other side, made when the message has had time to arrive |
//! | [`Burst`](Measured::Burst) | the time until an empty message is back behind the last of `k` messages in a row, less half of an empty round trip |
//! | [`Gap`](Measured::Gap) | the same for a number of messages that is doubled until the time of each changes by less than a part in a hundred; less an empty round trip, and divided by that number |
//!
//! A message of `m` bytes is `m + 1` bytes on the wire: the byte before the data has the number of the
//! message, as an envelope has it in MPI, so an empty message is a byte. TCP is told not to wait for more
//! data (`TCP_NODELAY`). Between threads, the sender copies a message into a buffer that goes through a
//! channel, and the receiver copies it out.
//!
//! Each time is repeated. The repetitions are spread over rounds through all sizes, so that what else the
//! machines do falls on all sizes alike, and each [`Series`] has the median and the median absolute deviation
//! of all of them.
//!
//! # What a stranger can do
//! A [`Listener`] answers whoever connects and speaks the protocol. It allocates one message of at most
//! [`Limits::largest`], it serves one session at a time, and a session ends after [`Limits::session`]. Who
//! does not greet within two seconds is cut off. It connects to others only if these were allowed by name, or
//! if both sides are this machine.
//!
//! # References
//! T. Kielmann, H. Bal and K. Verstoep, *Fast measurement of LogP parameters for message passing platforms*,
//! IPDPS workshops, 2000. D. Culler, L. Liu, R. Martin and C. Yoshikawa, *Assessing fast network interfaces*,
//! IEEE Micro 16, 1996.

mod answer;
mod ask;
mod control;
mod error;
mod listener;
mod peer;
mod plan;
mod protocol;
mod relay;
mod rounds;
mod series;

#[cfg(doc)]
use crate::measurement::Measured;

pub use control::{Control, Progress};
pub use error::MeasureError;
pub use listener::{Event, Limits, Listener};
pub use peer::Peer;
pub use plan::{LARGEST, Plan};
pub use relay::between_peers;
pub use series::Series;
