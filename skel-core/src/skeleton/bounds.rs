//! How large a skeleton may be.

/// The most tasks that a skeleton may have, replicas counted.
pub const MOST_TASKS: u64 = 2_000;

/// The most phases of an Erlang time.
pub const MOST_ERLANG_PHASES: u32 = 1_000;

/// The most phases of a hyperexponential time, and of one that is given by a matrix.
pub const MOST_PHASES: usize = 64;

/// The largest shape of a Weibull time, and 1 over the least.
pub(super) const WEIBULL_SHAPES: i64 = 100;

/// The most moves that the graph of a skeleton may have, and the most activities that the definitions of its
/// tasks may have.
pub const MOST_MOVES: u64 = 200_000;
