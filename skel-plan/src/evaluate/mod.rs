//! From mappings to their throughputs, and from those to a ranking.

mod job;
mod parallel;
mod planner;
mod progress;
mod ranking;
mod shared_space;
mod slopes;
mod throughputs;
mod warm_starts;

pub(crate) use job::Job;
pub use planner::{Evaluation, Planner};
pub use progress::Progress;
pub(crate) use ranking::to_nine_digits;
pub use ranking::{Ranked, Ranking};
pub(crate) use shared_space::SharedSpace;
pub(crate) use slopes::Slopes;
pub(crate) use throughputs::Throughputs;
pub(crate) use warm_starts::WarmStarts;
