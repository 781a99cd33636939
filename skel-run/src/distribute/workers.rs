//! How many workers a loop has, and how fast they are.

use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};
use skel_distribute::RelativePerformance;
use skel_distribute::simulate::MOST_MACHINES;

/// The workers of a loop: so many equal ones, or some of a relative performance. See
/// [`Loop::over`](super::Loop::over).
///
/// # Examples
/// ```
/// use skel::distribute::RelativePerformance;
/// use skel::run::distribute::Workers;
///
/// let performance = RelativePerformance::of_times([1.0, 1.6, 8.0])?;
/// let workers: [Workers; 2] = [4.into(), (&performance).into()];
/// # Ok::<(), skel::model::BuildErrors>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Workers(Kind);

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Equal(usize),
    Unequal(RelativePerformance),
}

impl Workers {
    /// As many as threads can run at a time.
    pub(super) fn of_machine() -> Workers {
        Workers(Kind::Equal(std::thread::available_parallelism().map_or(1, usize::from)))
    }

    /// Their relative performance.
    ///
    /// # Errors
    /// If there is none, or more than can be simulated.
    pub(super) fn performance(&self) -> Result<RelativePerformance, BuildErrors> {
        let workers = match &self.0 {
            Kind::Equal(workers) => *workers,
            Kind::Unequal(performance) => performance.machines(),
        };
        if !(1..=MOST_MACHINES).contains(&workers) {
            let message = format!("there are {workers} workers");
            let help = format!("there may be from 1 to {MOST_MACHINES}, each of which is a thread");
            return Err(BuildErrors(vec![BuildError { code: Code::OutOfRange, message, help }]));
        }
        match &self.0 {
            Kind::Equal(workers) => RelativePerformance::equal(*workers),
            Kind::Unequal(performance) => Ok(performance.clone()),
        }
    }
}

impl From<usize> for Workers {
    fn from(workers: usize) -> Workers {
        Workers(Kind::Equal(workers))
    }
}

impl From<RelativePerformance> for Workers {
    fn from(performance: RelativePerformance) -> Workers {
        Workers(Kind::Unequal(performance))
    }
}

impl From<&RelativePerformance> for Workers {
    fn from(performance: &RelativePerformance) -> Workers {
        Workers(Kind::Unequal(performance.clone()))
    }
}
