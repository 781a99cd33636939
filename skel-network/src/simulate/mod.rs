//! Messages played one by one: a discrete-event simulation of processes with two serial ports.
//!
//! A [`Plan`] says who sends what to whom, and what has to be there first. [`run`] plays it on processes that are joined by links of
//! one [`CommunicationModel`](crate::CommunicationModel), with gap `g` and latency `L`:
//!
//! - A process sends its messages in the order of the plan, each when all that it waits for is there and the port is free. Sending from `t`
//!   on holds the sending port over `[t, t + g)`.
//! - The first byte is at the receiver at `t + L`. The receiving port takes messages in order of arrival, and messages between the same two
//!   processes in the order in which they were sent, and holds each for `g`. Where a model's latency is below 0, a message arrives
//!   when it is sent, and is still received `g + L` later if the port is free.
//! - What is received may have to be combined with what is there. A process combines one message after the other, while it receives.
//!
//! [`Plan::of`] is the messages of a collective operation. The times of [`collective`](crate::collective) are computed without them, by
//! recurrences, and tests hold both equal. One run takes `O(n log n)` for `n` messages.
//!
//! # Examples
//! ```
//! use skel_network::collective::{Algorithm, Collective, Operation};
//! use skel_network::simulate::{self, Plan};
//! use skel_network::{Bytes, CommunicationModel, OutsideTable, Time};
//!
//! # #[derive(Debug)]
//! # struct Link;
//! # impl CommunicationModel for Link {
//! #     fn name(&self) -> &'static str { "example" }
//! #     fn gap(&self, m: Bytes) -> Result<Time, OutsideTable> { Ok(Time::microseconds(10.0 + m.as_f64() / 125.0)) }
//! #     fn time(&self, m: Bytes) -> Result<Time, OutsideTable> { Ok(self.gap(m)? + Time::microseconds(50.0)) }
//! #     fn sender_busy(&self, m: Bytes) -> Result<Time, OutsideTable> { self.gap(m) }
//! #     fn receiver_busy(&self, m: Bytes) -> Result<Time, OutsideTable> { self.gap(m) }
//! # }
//! // `Link` has a latency of 50 us and a gap of 10 us + m / 125.
//! let broadcast = Collective::new(Operation::Broadcast, 5, Bytes::new(1250)).unwrap();
//! let plan = Plan::of(&broadcast, Algorithm::Binomial, None).unwrap();
//! let transfers = simulate::run(&plan, &Link).unwrap();
//!
//! let to: Vec<u32> = transfers.iter().map(|transfer| transfer.message.to).collect();
//! assert_eq!(to, [4, 2, 1, 3]);
//! let last = simulate::end(&transfers);
//! assert_eq!(last, broadcast.time(Algorithm::Binomial, &Link).unwrap().time);
//! ```

mod events;
mod operation;
mod plan;
mod ports;
mod shapes;

pub use self::events::{Transfer, end, run};
pub use self::plan::{Message, MessageId, Plan, PlanError};
