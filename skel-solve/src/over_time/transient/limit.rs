//! The distribution in the long run, for what is left of a transient distribution once it is near.

use crate::error::Error;
use crate::limits::{Limit, Limits, Watch};
use crate::space::StateSpace;
use crate::steady::Options;
use crate::steady::solution::{self, Question};

/// The distribution in the long run; none where it depends on a start that is not the initial state, or is
/// not to be had within the memory that is left. Nothing is proved about it here: its distance is.
pub(crate) fn long_run(
    space: &StateSpace,
    is_initial: bool,
    limits: &Limits,
    taken: u64,
    watch: &Watch<'_>,
) -> Result<Option<Vec<f64>>, Error> {
    let limits = Limits {
        memory: limits.memory.saturating_sub(taken),
        time: limits.time.map(|time| time.saturating_sub(watch.elapsed())),
        ..limits.clone()
    };
    match solution::in_floats(Question::LongRun, space, None, &limits, &Options::default()) {
        Ok(solution) if is_initial || solution.classification().recurrent.len() == 1 => {
            Ok(Some(solution.probabilities().to_vec()))
        }
        Ok(_) | Err(Error::NotConverged(_)) => Ok(None),
        Err(Error::Stopped(stopped)) if matches!(stopped.limit, Limit::Memory(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
