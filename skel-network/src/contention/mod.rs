//! Contention: what a message waits for because others use the same processor or the same link.
//!
//! | | what is shared |
//! |---|---|
//! | [`LoPc`] | the processors: each handles requests of others beside its own work |
//! | [`SharedLink`] | one link, by several senders |

mod lopc;
mod shared_link;

pub use lopc::{LoPc, LoPcTimes};
pub use shared_link::{MOST_SENDERS, SharedLink, Wait};
