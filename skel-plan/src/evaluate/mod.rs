//! From mappings to their throughputs, and to their order.

mod flows;
mod job;
mod parallel;
mod planner;
mod progress;
mod ranking;
mod slopes;
mod structure;
mod warm_starts;

pub(crate) use flows::Flows;
pub(crate) use job::Job;
pub use planner::{Evaluation, Planner};
pub use progress::Progress;
pub(crate) use ranking::comparable;
pub use ranking::{Ranked, Ranking};
pub(crate) use slopes::Slopes;
pub(crate) use structure::Structure;
pub(crate) use warm_starts::WarmStarts;
