//! The error of work that reached a limit: which limit, and how far the work came.

use std::fmt;
use std::time::Duration;

/// The limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Limit {
    /// [`Limits::states`](super::Limits::states).
    States(u64),
    /// [`Limits::memory`](super::Limits::memory), in bytes; or the machine has less.
    Memory(u64),
    /// [`Limits::time`](super::Limits::time).
    Time(Duration),
    /// [`Limits::cancellation`](super::Limits::cancellation).
    Cancelled,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::States(states) => write!(f, "stopped at the limit of {}", counted(*states, "state")),
            Limit::Memory(bytes) => {
                let (unit, size) = match *bytes {
                    0..1024 => {
                        return write!(f, "stopped at the limit of {} of memory", counted(*bytes, "byte"));
                    }
                    1024..0x10_0000 => ("KiB", 1 << 10),
                    _ => ("MiB", 1 << 20),
                };
                write!(f, "stopped at the limit of {:.1} {unit} of memory", *bytes as f64 / f64::from(size))
            }
            Limit::Time(time) => write!(f, "stopped at the limit of {} s", time.as_secs_f64()),
            Limit::Cancelled => f.write_str("cancelled"),
        }
    }
}

/// A limit that was reached, and how far the work came.
#[derive(Clone, Debug, PartialEq)]
pub struct Stopped {
    /// Which limit.
    pub limit: Limit,
    /// What had been done.
    pub reached: Reached,
}

/// How far the work came before it was stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reached {
    /// While exploring.
    Exploring {
        /// States found.
        states: u64,
        /// Transitions found.
        transitions: u64,
        /// States found and not yet explored.
        waiting: u64,
        /// The states without lumping that the explored ones stand for; none where nothing is lumped, or
        /// beyond 128 bits.
        unlumped: Option<u128>,
    },
    /// While parting states, for a quotient.
    Refining {
        /// Blocks by then.
        blocks: u64,
        /// States in all.
        states: u64,
    },
    /// While eliminating states.
    Eliminating {
        /// States eliminated.
        done: u64,
        /// States in all.
        of: u64,
    },
    /// Before exploring, since the number of states is known.
    Foreseen {
        /// States in all; the largest number where it is beyond 128 bits.
        states: u128,
    },
    /// Before eliminating exactly, since what would come up does not fit.
    TooDense {
        /// States in all.
        states: u64,
    },
    /// While finding exact fractions, digit by digit.
    Lifting {
        /// Decimal digits that a numerator and its denominator may have had together.
        digits: u64,
    },
    /// While iterating.
    Iterating {
        /// Iterations done.
        iterations: u64,
        /// The relative residual by then.
        residual: f64,
    },
    /// While stepping through time.
    Stepping {
        /// Steps done.
        steps: u64,
        /// Steps in all, unless a limit is reached before.
        of: u64,
    },
    /// While preparing a solution.
    Preparing,
    /// While solving one model after the other.
    Solving {
        /// Models solved.
        solved: u64,
    },
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.limit)?;
        match self.reached {
            Reached::Exploring { states, transitions, waiting, unlumped } => {
                let explored = states - waiting;
                let (states, transitions) = (counted(states, "state"), counted(transitions, "transition"));
                let waiting = counted(waiting, "state");
                write!(f, "{states} and {transitions} found, {waiting} still to explore")?;
                unlumped.map_or(Ok(()), |all| {
                    write!(f, "; the {explored} explored ones stand for {all} without lumping")
                })
            }
            Reached::Foreseen { states: u128::MAX } => f.write_str("the model has more than can be counted"),
            Reached::Foreseen { states } => write!(f, "the model has {states} states"),
            Reached::Refining { blocks, states } => {
                write!(f, "{} parted into {}", counted(states, "state"), counted(blocks, "block"))
            }
            Reached::Eliminating { done, of } => write!(f, "{done} of {} eliminated", counted(of, "state")),
            Reached::TooDense { states } => write!(
                f,
                "the exact solution of {} would take more; lump what is interchangeable, or solve in `f64`",
                counted(states, "state")
            ),
            Reached::Lifting { digits } => {
                write!(f, "the exact fractions have more than {} in all", counted(digits, "digit"))
            }
            Reached::Iterating { iterations, residual } => {
                write!(f, "{} done, at the residual {residual:.1e}", counted(iterations, "iteration"))
            }
            Reached::Stepping { steps, of } => write!(f, "{steps} of {} done", counted(of, "step")),
            Reached::Preparing => f.write_str("while setting up the equations"),
            Reached::Solving { solved } => write!(f, "{} solved", counted(solved, "model")),
        }
    }
}

/// `1 state`, `2 states`
pub(crate) fn counted(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}
