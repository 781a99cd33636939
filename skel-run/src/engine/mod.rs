//! How the tasks of a skeleton run on threads.

mod chain;
mod crew;
mod fused;
mod gate;
mod place;
mod pull;
mod refused;
mod station;
mod threads;

pub(crate) use chain::Supplied;
pub use chain::{Chain, Traits};
pub(crate) use crew::Crew;
pub(crate) use gate::Gate;
pub(crate) use place::{Plan, Shop};
pub(crate) use pull::FusedTasks;
pub use refused::Refused;
pub(crate) use threads::{NoThread, Threads};
