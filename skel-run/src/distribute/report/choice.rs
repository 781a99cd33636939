//! Why a loop has its schedule.

use std::fmt;

use skel_distribute::Schedule;

use crate::report::numbers::time;

/// Why a loop that learns has its schedule. It prints in words.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Choice {
    /// The program said it.
    Given,
    /// Nothing has been measured with so many workers: the schedule is one that measures each of them early.
    First,
    /// It ended first in the simulation of schedules with what was measured in an earlier iteration.
    Simulated {
        /// After how many seconds it should end: as simulated, times how much longer than simulated schedules
        /// of this kind took before.
        expected: f64,
        /// How many schedules were simulated.
        among: usize,
        /// The schedule that should end next, and after how many seconds.
        next: Option<(Schedule, f64)>,
    },
    /// It is that of the last iteration: to choose again would have taken too long beside the time of an
    /// iteration.
    Kept,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Choice::Given => f.write_str("the program said so"),
            Choice::First => f.write_str("nothing was measured before, and it measures every worker early"),
            Choice::Simulated { expected, among, next } => {
                let expected = time(*expected);
                write!(
                    f,
                    "of {among} schedules simulated with what was measured before, it should end first, after {expected}"
                )?;
                match next {
                    Some((schedule, seconds)) => write!(f, "; next {schedule}, after {}", time(*seconds)),
                    None => Ok(()),
                }
            }
            Choice::Kept => f.write_str(
                "it is that of the last iteration, since iterations are too short to choose for each anew",
            ),
        }
    }
}
