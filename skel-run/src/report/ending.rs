//! How a run ended, and how it was executed.

use std::fmt;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// The source ended, and every item was served.
    Completed,
    /// It was asked to take no more items, and served those that it had.
    Drained,
    /// It was asked to stop at once. Items that were inside are gone.
    Cancelled,
    /// An item could not be served. Items before it in the source were served, and those behind it were not.
    Failed,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ending::Completed => "completed",
            Ending::Drained => "drained",
            Ending::Cancelled => "cancelled",
            Ending::Failed => "failed",
        })
    }
}

/// How the threads of a run shared its tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Execution {
    /// A thread for each replica of each task.
    Threads,
    /// So many threads, each of which takes an item through all tasks.
    Pull(usize),
}

impl fmt::Display for Execution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Execution::Threads => f.write_str("a thread for each replica"),
            Execution::Pull(1) => f.write_str("one thread that takes an item through all tasks"),
            Execution::Pull(threads) => {
                write!(f, "{threads} threads that each take an item through all tasks")
            }
        }
    }
}
