//! From throughputs to decisions: which mapping is best, why, what to buy first, and when to move.

mod explanation;
mod replan;
mod resource;
mod search;
mod sensitivity;

pub use explanation::{Activity, Why};
pub use replan::{Change, Migration, Replanner};
pub use resource::Resource;
pub use search::{Ends, Found, Method, Search};
pub use sensitivity::Sensitivity;
