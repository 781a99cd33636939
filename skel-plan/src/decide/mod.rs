//! From throughputs to decisions: which mapping is best, why, what to buy first, and when to move.

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
