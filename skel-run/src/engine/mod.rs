//! How the tasks of a skeleton run on threads.

mod crew;
mod fused;
mod place;
mod station;

pub(crate) use crew::Crew;
pub use crew::Refused;
pub(crate) use fused::{FusedPair, FusedPart, FusedTasks, Gate};
pub use fused::{Line, Pass};
pub use place::Plan;
pub(crate) use place::Shop;
