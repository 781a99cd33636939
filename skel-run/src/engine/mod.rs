//! How the tasks of a skeleton run on threads.

mod chain;
mod crew;
mod fused;
mod gate;
#[cfg(feature = "affinity")]
mod pinning;
mod place;
mod pull;
mod refused;
mod station;
mod threads;

pub(crate) use chain::Supplied;
pub use chain::{Chain, Traits};
pub(crate) use crew::Crew;
pub(crate) use gate::Gate;
#[cfg(feature = "affinity")]
pub(crate) use pinning::Pinning;
pub(crate) use place::{Plan, Shop};
pub(crate) use pull::FusedTasks;
pub use refused::Refused;
pub(crate) use threads::{NoThread, Threads};
