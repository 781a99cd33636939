//! Messages played one by one: a discrete-event simulation of processes with two serial ports.
//!
//! A [`Plan`] says who sends what to whom, and what has to be there first. [`run`] plays it on processes that
//! are joined by links of one [`CommunicationModel`](crate::CommunicationModel), with gap `g` and latency
//! `L`:
//!
//! - A process sends its messages in the order of the plan, each when all that it waits for is there and the
//!   port is free. Sending from `t` on holds the sending port over `[t, t + g)`.
//! - The first byte is at the receiver at `t + L`. The receiving port takes messages in order of arrival, and
//!   messages between the same two processes in the order in which they were sent, and holds each for `g`.
//!   Where a model's latency is below 0, a message arrives when it is sent, and is still received `g + L`
//!   later if the port is free.
//! - What is received may have to be combined with what is there. A process combines one message after the
//!   other, while it receives.
//!
//! [`Plan::of`] is the messages of a collective operation. The times of [`collective`](crate::collective) are
//! computed without them, by recurrences, and tests hold both equal. One run takes `O(n log n)` for `n`
//! messages.
//!
//! # Examples
//! ```
//! use skel_network::collective::{Algorithm, Collective, Operation};
//! use skel_network::simulate::{self, Plan};
//! use skel_network::{Bytes, GapTable, PLogP, Time};
//!
//! let us = Time::microseconds;
//! let link = PLogP::new(us(50.0), GapTable::new([(Bytes::new(1250), us(20.0))])?)?;
//! let broadcast = Collective::new(Operation::Broadcast, 5, Bytes::new(1250))?;
//! let transfers = simulate::run(&Plan::of(&broadcast, Algorithm::Binomial, None)?, &link)?;
//!
//! let received: Vec<(u32, Time)> = transfers.iter().map(|transfer| (transfer.message.to, transfer.received)).collect();
//! assert_eq!(received, [(4, us(70.0)), (2, us(90.0)), (1, us(110.0)), (3, us(160.0))]);
//! assert_eq!(simulate::end(&transfers), broadcast.time(Algorithm::Binomial, &link)?.time);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod events;
mod operation;
mod plan;
mod ports;
mod shapes;

pub use self::events::{Transfer, end, run};
pub use self::plan::{Message, MessageId, Plan, PlanError};
