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
            Limit::Memory(bytes) => write!(f, "stopped at the limit of {} of memory", of_bytes(*bytes)),
            Limit::Time(time) => write!(f, "stopped at the limit of {} s", time.as_secs_f64()),
            Limit::Cancelled => f.write_str("cancelled"),
        }
    }
}

/// A number of bytes in the largest unit of which it is a whole number, as a person would write it; or rounded.
fn of_bytes(bytes: u64) -> String {
    const UNITS: [(&str, u64); 6] = [
        ("GiB", 1 << 30),
        ("GB", 1_000_000_000),
        ("MiB", 1 << 20),
        ("MB", 1_000_000),
        ("KiB", 1 << 10),
        ("kB", 1000),
    ];
    // A number that is whole by chance would have too many digits.
    let is_whole =
        |&&(_, size): &&(&str, u64)| bytes.is_multiple_of(size) && (1..100_000).contains(&(bytes / size));
    match (UNITS.iter().find(is_whole), bytes) {
        (Some((unit, size)), _) => format!("{} {unit}", bytes / size),
        (None, ..1024) => counted(bytes, "byte"),
        (None, 1024..0x10_0000) => format!("{:.1} KiB", bytes as f64 / f64::from(1 << 10)),
        (None, _) => format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20)),
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

#[cfg(test)]
mod tests {
    use super::of_bytes;

    #[test]
    fn bytes_are_written_as_a_person_would() {
        let written = [
            (1, "1 byte"),
            (1000, "1 kB"),
            (1023, "1023 bytes"),
            (1500, "1.5 KiB"),
            (8192, "8 KiB"),
            (19_000, "19 kB"),
            (1 << 20, "1 MiB"),
            (1_234_567, "1.2 MiB"),
            (20_000_000, "20 MB"),
            (500 << 20, "500 MiB"),
            (3_000_000_000, "3 GB"),
            (24 << 30, "24 GiB"),
            (u64::MAX, "17592186044416.0 MiB"),
        ];
        for (bytes, expected) in written {
            assert_eq!(of_bytes(bytes), expected);
        }
    }
}
