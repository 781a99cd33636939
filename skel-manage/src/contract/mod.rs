//! What is promised: a service time that a running program should have.

mod split;

use std::fmt;

use skel_core::number::Number;
use skel_core::skeleton::Tree;
use skel_core::time::IntoMean;

use crate::quantity::{ServiceTime, Throughput};

pub use split::{Part, Split};

/// The service time that a program should have while it runs, and how far above it is still accepted.
///
/// # Examples
/// ```
/// use skel_core::time::TimeUnits;
/// use skel_manage::Contract;
///
/// let contract = Contract::service_time(12.ms()).tolerance(0.05);
/// assert_eq!(contract.goal().to_string(), "12 ms");
/// assert_eq!(contract.limit().to_string(), "12.6 ms");
/// assert_eq!(Contract::throughput(50.0).goal().to_string(), "20 ms");
/// contract.check()?;
///
/// let errors = Contract::throughput(-1.0).tolerance(f64::NAN).check().unwrap_err();
/// assert_eq!(errors.to_string(), "\
/// a contract of -1 items/s: a throughput has to be a positive number of items per second
/// a tolerance of NaN: it is a part of the service time, from 0 to 1, such as 0.05");
/// # Ok::<(), skel_manage::ContractErrors>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contract {
    goal: ServiceTime,
    is_throughput: bool,
    tolerance: f64,
}

/// How far above its contract a service time is accepted, unless it is said.
const TOLERANCE: f64 = 0.05;

/// Everything that is wrong with a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractErrors(pub(crate) Vec<String>);

impl Contract {
    /// An item takes at most this time: a `Duration` such as `12.ms()`, or `mean(0.012)` in seconds.
    #[must_use]
    pub fn service_time(time: impl IntoMean) -> Self {
        let seconds = time.into_mean().exact().map_or(f64::NAN, Number::to_float);
        Contract { goal: ServiceTime::of_seconds(seconds), is_throughput: false, tolerance: TOLERANCE }
    }

    /// At least this number of items leave the program in each second.
    #[must_use]
    pub fn throughput(items: f64) -> Self {
        let goal = Throughput::per_second_of(items).service_time();
        Contract { goal, is_throughput: true, tolerance: TOLERANCE }
    }

    /// The same with another tolerance: the part by which a service time may be longer before the contract
    /// counts as broken. 0.05 unless this is said. A manager plans for the service time itself, and acts when
    /// it is beyond the tolerance. The longer a window of measurements is, the less of the tolerance is left,
    /// since it is for what a short one cannot know. So a program is *above the contract* if it takes longer
    /// than the goal, in all experiments and records.
    #[must_use]
    pub fn tolerance(self, part: f64) -> Self {
        Contract { tolerance: part, ..self }
    }

    /// The service time that is promised.
    #[must_use]
    pub fn goal(&self) -> ServiceTime {
        self.goal
    }

    /// The part of the goal by which a service time may be longer.
    #[must_use]
    pub fn tolerated(&self) -> f64 {
        self.tolerance
    }

    /// The longest service time that does not break the contract.
    #[must_use]
    pub fn limit(&self) -> ServiceTime {
        self.goal.times(1.0 + self.tolerance)
    }

    /// What each part of a program has to take at most, so that the whole keeps the contract: the goal,
    /// without tolerance.
    ///
    /// | skeleton of service time `T` | each part |
    /// |---|---|
    /// | pipe | each stage `T`, since all items pass through all stages |
    /// | farm or deal of `n` | its worker `n T`, since `n` items are served at once |
    /// | map | each worker `T` for its part, since all have to be done |
    /// | fault-tolerant, all replies | each worker `T`; of an early one, each worker of the fastest majority |
    /// | map with state, `m` items for each | each worker `(m T - T_I) / (m + 1)`, from `T = T_W + (T_I + T_W) / m` |
    ///
    /// That every part takes no longer is necessary, and sufficient where times do not vary. With varying
    /// times the program is slower than its slowest part: how much is what a [`Model`](crate::Model)
    /// predicts.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{skeleton::text::parse, time::TimeUnits};
    /// use skel_manage::Contract;
    ///
    /// let tree = parse("pipe(task(\"read\", 100), farm(7, \"sharpen\", 20), map_with_state(4, \"match\", 99, state(10, 10)));").into_tree()?;
    /// let split = Contract::service_time(12.ms()).split(&tree);
    /// assert_eq!(split.to_string(), "\
    /// 12 ms for each item of the program
    ///   pipe: 12 ms
    ///     `read`: 12 ms, since every item passes through every stage of a pipe
    ///     farm of 7 × sharpen: 12 ms, since every item passes through every stage of a pipe
    ///       `sharpen`: 84 ms, since its 7 replicas serve as many items at once
    ///     `match`: 12 ms, since every item passes through every stage of a pipe
    ///       each of its 4 workers: 1.82 ms, since 100 ms for a state are spread over its 10 items, and so is a part that is under way");
    /// # Ok::<(), skel_core::text::Rejected>(())
    /// ```
    #[must_use]
    pub fn split(&self, tree: &Tree) -> Split {
        Split::of(self.goal, tree)
    }

    /// Whether it can be kept by any program.
    ///
    /// # Errors
    /// A goal that is not positive and finite; a tolerance that is no part from 0 to 1.
    pub fn check(&self) -> Result<(), ContractErrors> {
        let mut errors = Vec::new();
        let seconds = self.goal.seconds();
        if !(seconds > 0.0 && seconds.is_finite()) {
            errors.push(match self.is_throughput {
                true => format!(
                    "a contract of {} items/s: a throughput has to be a positive number of items per second",
                    1.0 / seconds
                ),
                false => format!(
                    "a contract of {seconds} s: a service time has to be a positive number of seconds for each item"
                ),
            });
        }
        if !(0.0..=1.0).contains(&self.tolerance) {
            errors.push(format!(
                "a tolerance of {}: it is a part of the service time, from 0 to 1, such as 0.05",
                self.tolerance
            ));
        }
        if errors.is_empty() { Ok(()) } else { Err(ContractErrors(errors)) }
    }
}

/// In the words in which it was given.
impl fmt::Display for Contract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_throughput {
            true => write!(f, "{}", self.goal.throughput())?,
            false => write!(f, "{}", self.goal)?,
        }
        write!(f, ", {} % tolerated", self.tolerance * 100.0)
    }
}

impl fmt::Display for ContractErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for ContractErrors {}
