//! Programs in virtual time: a contract is tried before anything runs.
//!
//! A [`Simulation`] is a program whose replicas serve items one by one, with times that are drawn from its
//! distributions. It makes the same snapshots as a run, and a manager can act on it as on a run. An hour
//! passes in a second or less.
//!
//! ```text
//! Program -> layout (who shares buffers) -> network (replicas and buffers, event by event) -> Snapshot
//!                     times, load -> services (how long each takes) ---^
//! ```

mod layout;
mod load;
mod network;
mod part;
mod random;
mod replica;
mod services;
mod simulation;
mod times;
mod workers;

pub use load::Load;
pub use simulation::{NotSimulated, Simulation};
