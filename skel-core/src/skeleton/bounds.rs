//! How large a skeleton may be.

/// The most tasks that a skeleton may have, replicas counted.
pub const MOST_TASKS: u64 = 2_000;

/// The most moves that the graph of a skeleton may have, and the most activities that the definitions of its tasks may have.
pub const MOST_MOVES: u64 = 200_000;
