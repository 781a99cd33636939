//! Why a search ended before it had its answer.

use std::fmt;

use crate::limits::Limit;

/// Why a search ended before it had its answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Stop {
    /// A limit of the whole search: its time is over, or it was cancelled.
    Limit(Limit),
    /// So many chains of whole programs were solved.
    Solutions(usize),
    /// There are more configurations of this cost than are looked at.
    Configurations(u64),
    /// No configuration of this cost that is left could be solved, for the reason that is given.
    TooLarge(u64, String),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Limit(limit) => write!(f, "{limit}"),
            Stop::Solutions(1) => f.write_str("stopped after 1 solution"),
            Stop::Solutions(solved) => write!(f, "stopped after {solved} solutions"),
            Stop::Configurations(cost) => {
                write!(f, "there are too many configurations of cost {cost} to look at each")
            }
            Stop::TooLarge(cost, why) => write!(f, "a chain of cost {cost} was not solved: {why}"),
        }
    }
}
