//! How the tasks of a skeleton run on threads.

mod chain;
mod crew;
mod fused;
mod gate;
#[cfg(feature = "affinity")]
mod pinning;
mod place;
mod pull;
mod station;

pub(crate) use chain::Supplied;
pub use chain::{Chain, Traits};
pub use crew::Refused;
pub(crate) use crew::{Crew, spawner};
pub(crate) use gate::Gate;
#[cfg(feature = "affinity")]
pub(crate) use pinning::Pinning;
pub(crate) use place::{Plan, Shop};
pub(crate) use pull::FusedTasks;
