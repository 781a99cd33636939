//! What one worker of a loop did.

use std::fmt;

/// What one worker of a loop did. Times are in seconds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct WorkerReport {
    /// How many items it finished whose results count.
    pub items: u64,
    /// How many chunks it was given.
    pub chunks: u64,
    /// How long its function worked, with work that was lost.
    pub work: f64,
    /// How long its function worked on the items whose results count.
    pub counted_work: f64,
    /// How long it took from the ends of its chunks to the beginnings of the next ones: the overhead of all
    /// its chunks, with waits for other workers that asked at the same time.
    pub overhead: f64,
    /// How long it was idle: it had asked for items, there were none, and other workers were still at work.
    pub idle: f64,
    /// Why it was lost, if it was.
    pub loss: Option<Loss>,
}

impl WorkerReport {
    /// How long it took for an item. None if it has finished none.
    #[must_use]
    pub fn seconds_per_item(&self) -> Option<f64> {
        (self.items > 0).then(|| self.counted_work / self.items as f64)
    }
}

/// When and why a worker was lost.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Loss {
    /// When, in seconds since the loop began.
    pub at: f64,
    /// Why.
    pub cause: LossCause,
}

/// Why a worker was lost.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LossCause {
    /// The function panicked, with this message.
    Panicked(String),
    /// It worked longer on a chunk than the loop allows, see
    /// [`Loop::lost_after`](crate::distribute::Loop::lost_after).
    TookTooLong,
    /// The system refused to start its thread, for this reason.
    NotStarted(String),
}

impl fmt::Display for LossCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LossCause::Panicked(message) => write!(f, "it panicked: {message}"),
            LossCause::TookTooLong => f.write_str("it worked on a chunk for too long"),
            LossCause::NotStarted(reason) => write!(f, "the system refused to start its thread: {reason}"),
        }
    }
}
