//! Workers that serve one item together: those of a map, a fault-tolerant stage or a map with state.
//!
//! To the rest of the network they are one thread, the leader: it takes an item, gives each of the other
//! workers its part, serves a part itself, waits for all, and passes on what they made. So each item begins
//! with all workers idle, as it does in the model: a map takes the longest of the times of its workers, and
//! none of them begins with the next item before.

mod bench;
mod hands;
mod members;
mod panel;
mod shared_item;
mod shares;
mod staff;

pub(crate) use bench::Duty;
pub use hands::Hands;
pub(crate) use hands::{Job, Spawn};
pub(crate) use members::Members;
pub(crate) use panel::Panel;
pub(crate) use shared_item::SharedItem;
pub use shares::Shares;
pub(crate) use staff::Staff;
