//! How the tasks of a skeleton run on threads.

mod crew;
mod fused;
#[cfg(feature = "affinity")]
mod pinning;
mod place;
mod station;

pub(crate) use crew::Crew;
pub use crew::Refused;
pub(crate) use fused::{FusedPair, FusedPart, FusedTasks, Gate};
pub use fused::{Line, Pass};
#[cfg(feature = "affinity")]
pub(crate) use pinning::Pinning;
pub use place::Plan;
pub(crate) use place::Shop;
