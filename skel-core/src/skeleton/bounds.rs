//! How large a skeleton may be.

/// The most tasks that a skeleton may have, replicas counted.
pub const MOST_TASKS: u64 = 2_000;

/// The most moves, or alternatives and rounds of a task, that a skeleton may stand for.
pub const MOST_MOVES: u64 = 200_000;
