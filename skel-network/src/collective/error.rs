//! Why an operation has no prediction.

use std::fmt;

use super::cost::CostError;
use super::operation::{Algorithm, Operation};
use crate::quantity::Bytes;

/// Why the time of an operation by an algorithm cannot be predicted. Its text says what was asked, what is
/// wrong and what to do instead.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectiveError {
    /// The operation that was asked for.
    pub operation: Operation,
    /// How many processes take part.
    pub processes: u32,
    /// The size that was asked for.
    pub size: Bytes,
    /// The algorithm that was asked for.
    pub algorithm: Algorithm,
    /// What is wrong.
    pub problem: Problem,
}

impl fmt::Display for CollectiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CollectiveError { operation, processes, size, algorithm, problem } = self;
        let plural = if *processes == 1 { "process" } else { "processes" };
        write!(f, "{operation} of {size} over {processes} {plural} by {algorithm}: {problem}")?;
        write!(f, "; help: {}", problem.help(*operation))
    }
}

impl std::error::Error for CollectiveError {}

/// What is wrong with a question for the time of an operation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Problem {
    /// The algorithm does not carry out the operation.
    WrongAlgorithm,
    /// Recursive doubling needs a power of two of processes.
    NotAPowerOfTwo,
    /// A segment of 0 bytes, or one that is larger than the message.
    BadSegment(Bytes),
    /// A segment for an algorithm that has none.
    Unsegmented,
    /// The paper prints a formula for the four broadcasts alone.
    NotPrinted,
    /// A message of several blocks has more bytes than 64 bits can count.
    TooManyBytes {
        /// How many blocks the message has.
        blocks: u32,
    },
    /// The time is more than a 64-bit float can hold.
    TooLong,
    /// More messages than are simulated.
    TooManyMessages {
        /// How many there would be.
        messages: u128,
        /// How many can be.
        limit: usize,
    },
    /// The model does not say what a message costs.
    Cost(CostError),
}

impl Problem {
    /// Whether the model's table does not cover a size.
    pub(super) fn is_outside_of_a_table(&self) -> bool {
        matches!(self, Problem::Cost(CostError::OutsideTable { .. }))
    }

    /// What to do instead.
    fn help(&self, operation: Operation) -> String {
        match self {
            Problem::WrongAlgorithm => {
                let names: Vec<&str> =
                    operation.algorithms().iter().map(|algorithm| algorithm.name()).collect();
                format!("the algorithms of {operation} are {}", names.join(", "))
            }
            Problem::Unsegmented => "only a broadcast by chain has segments".to_owned(),
            Problem::NotPrinted => "ask for the exact time".to_owned(),
            Problem::NotAPowerOfTwo => "bruck does the same for any number of processes".to_owned(),
            Problem::BadSegment(_) => {
                "a segment has at least 1 byte, and at most those of the message".to_owned()
            }
            Problem::TooManyBytes { .. } => "ask for smaller blocks or fewer processes".to_owned(),
            Problem::TooLong => "look at the model's parameters, which are in microseconds".to_owned(),
            Problem::TooManyMessages { .. } => {
                "ask for the recurrence, whose cost does not grow so".to_owned()
            }
            Problem::Cost(CostError::OutsideTable { .. }) => {
                "measure this size too, or ask for a size inside".to_owned()
            }
            Problem::Cost(CostError::NotATime { .. }) => "correct the model's parameters".to_owned(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::WrongAlgorithm => write!(f, "this algorithm does not carry out this operation"),
            Problem::NotAPowerOfTwo => write!(f, "the number of processes is not a power of two"),
            Problem::BadSegment(segment) if segment.get() == 0 => write!(f, "a segment of 0 bytes"),
            Problem::BadSegment(segment) => {
                write!(f, "a segment of {segment}, which is larger than the message")
            }
            Problem::Unsegmented => write!(f, "a segment was given, but this algorithm sends whole messages"),
            Problem::NotPrinted => write!(f, "the paper prints no formula of it"),
            Problem::TooManyBytes { blocks } => {
                write!(f, "a message of {blocks} blocks has 2^64 bytes or more")
            }
            Problem::TooLong => write!(f, "its time is more than a 64-bit float can hold"),
            Problem::TooManyMessages { messages, limit } => {
                write!(f, "it has {messages} messages, and at most {limit} are simulated")
            }
            Problem::Cost(error) => error.fmt(f),
        }
    }
}

impl From<CostError> for Problem {
    fn from(error: CostError) -> Self {
        Problem::Cost(error)
    }
}
