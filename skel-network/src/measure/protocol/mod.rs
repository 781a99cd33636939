//! What two sides say to each other, and the ports over which they say it.

pub(super) mod port;
pub(super) mod wire;
