//! How the tasks of a skeleton run on threads.

mod crew;
mod fused;
mod place;
mod station;

pub(crate) use crew::{Crew, Refused};
pub use fused::{FusedPart, Line};
pub(crate) use fused::{FusedTasks, Gate};
pub use place::Plan;
pub(crate) use place::Shop;
pub(crate) use station::Station;
