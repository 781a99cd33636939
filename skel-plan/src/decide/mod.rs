//! Decisions: which mapping is best, why it is, what to buy first, and when a running program had better
//! move.

mod explanation;
mod replan;
mod resource;
mod search;
mod sensitivity;

pub use explanation::{Activity, Explanation};
pub use replan::{Migration, Reassessment, Replanner};
pub use resource::Resource;
pub use search::{Ends, Search, SearchMethod, SearchResult};
pub use sensitivity::Sensitivity;
