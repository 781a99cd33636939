//! What is simulated: the work, the machines, and what happens to them.

use num_traits::{One, Zero};
use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};
use skel_core::number::{Ratio, display_ratio};
use skel_core::rate::{Rate, RateProblem};

use crate::performance::RelativePerformance;

/// The most machines of a scenario.
pub const MOST_MACHINES: usize = 4096;

/// From a time on, a machine takes another time for an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The machine, from 0.
    pub machine: usize,
    /// From when on, in seconds.
    pub at: Ratio,
    /// How many times the original time an item takes.
    pub factor: Ratio,
}

/// A machine is lost at a time, and does not come back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The machine, from 0.
    pub machine: usize,
    /// When, in seconds.
    pub at: Ratio,
}

/// Work that is given to machines by a master. See the [module](super) for what is simulated.
///
/// All numbers are exact: a float stands for the decimal that one writes for it. Times are in seconds.
///
/// # Examples
/// ```
/// use skel_distribute::{Scenario, Schedule};
///
/// let scenario = Scenario::new(1000, [0.011, 0.013, 0.017])?.with_overhead(0.0007)?.with_loss(2, 1.5)?;
/// let outcome = scenario.simulate(&Schedule::Factoring)?;
/// assert_eq!(outcome.loads().iter().map(|load| load.items).sum::<u64>(), 1000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    items: u64,
    seconds: Vec<Ratio>,
    performance: RelativePerformance,
    overhead: Ratio,
    /// By machine, then by time.
    changes: Vec<Change>,
    /// By time, then by machine.
    losses: Vec<Loss>,
}

impl Scenario {
    /// So many items, and machines that take these times for each, without overhead. The relative performance
    /// is that of the times.
    ///
    /// # Errors
    /// If there is no item, or no machine or more than [`MOST_MACHINES`], and for each time that is zero,
    /// negative or not finite.
    pub fn new<T: Into<Rate>>(
        items: u64,
        seconds: impl IntoIterator<Item = T>,
    ) -> Result<Scenario, BuildErrors> {
        let seconds: Vec<Rate> = seconds.into_iter().map(Into::into).collect();
        if items == 0 {
            return Err(error(Code::MissingEntry, "there is no item".into(), "give at least one item"));
        }
        if seconds.len() > MOST_MACHINES {
            let message = format!("there are {} machines", seconds.len());
            return Err(error(Code::OutOfRange, message, &format!("there may be from 1 to {MOST_MACHINES}")));
        }
        let performance = RelativePerformance::of_times(seconds.clone())?;
        let seconds = seconds.iter().filter_map(|seconds| seconds.exact().cloned()).collect();
        let (changes, losses) = (Vec::new(), Vec::new());
        Ok(Scenario { items, seconds, performance, overhead: Ratio::zero(), changes, losses })
    }

    /// The same where each chunk costs the master so many seconds.
    ///
    /// # Errors
    /// If it is negative or not finite.
    ///
    /// # Examples
    /// ```
    /// use skel_distribute::{Scenario, Schedule};
    /// let scenario = Scenario::new(321, [0.25])?.with_overhead(0.125)?;
    /// assert_eq!(scenario.simulate(&Schedule::SelfScheduling)?.makespan(), &120.375);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_overhead(mut self, seconds: impl Into<Rate>) -> Result<Scenario, BuildErrors> {
        self.overhead = not_negative(&seconds.into(), "the overhead of a chunk")?;
        Ok(self)
    }

    /// The same with another relative performance than that of the times: one that was measured long ago,
    /// say.
    ///
    /// # Errors
    /// If it is of another number of machines.
    pub fn with_performance(mut self, performance: RelativePerformance) -> Result<Scenario, BuildErrors> {
        if performance.machines() != self.machines() {
            let message =
                format!("there are {} weights for {} machines", performance.machines(), self.machines());
            return Err(error(Code::OutOfRange, message, "give each machine one weight"));
        }
        self.performance = performance;
        Ok(self)
    }

    /// The same where from a time on a machine takes a multiple of its original time for an item. A later
    /// change takes the place of an earlier one: the factor 1 ends it.
    ///
    /// # Errors
    /// If there is no machine of this number, it has a change at this time already, the time is negative, or
    /// the factor is not above 0.
    ///
    /// # Examples
    /// ```
    /// use skel_distribute::{Scenario, Schedule};
    /// // Ten items in 10 s, of which the last eight take twice the time.
    /// let scenario = Scenario::new(10, [1])?.with_change(0, 2, 2)?;
    /// assert_eq!(scenario.simulate(&Schedule::Vrp)?.makespan(), &18.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_change(
        mut self,
        machine: usize,
        at: impl Into<Rate>,
        factor: impl Into<Rate>,
    ) -> Result<Scenario, BuildErrors> {
        self.has(machine)?;
        let at = not_negative(&at.into(), "the time of the change")?;
        let factor: Rate = factor.into();
        let factor = factor.to_positive().map_err(|problem| {
            let message = format!("the factor of the change {}", words(&problem));
            error(Code::QuantityNotPositive, message, "it must be above 0 and finite")
        })?;
        let key = |change: &Change| (change.machine, change.at.clone());
        let change = Change { machine, at, factor };
        match self.changes.binary_search_by_key(&key(&change), key) {
            Ok(_) => {
                let message = format!("machine {machine} has two changes at {} s", display_ratio(&change.at));
                Err(error(Code::DuplicateDefinition, message, "keep one of the two"))
            }
            Err(place) => {
                self.changes.insert(place, change);
                Ok(self)
            }
        }
    }

    /// The same where a machine is lost at a time.
    ///
    /// # Errors
    /// If there is no machine of this number, it is lost at another time already, or the time is negative.
    pub fn with_loss(mut self, machine: usize, at: impl Into<Rate>) -> Result<Scenario, BuildErrors> {
        self.has(machine)?;
        let at = not_negative(&at.into(), "the time of the loss")?;
        if self.losses.iter().any(|loss| loss.machine == machine) {
            let message = format!("machine {machine} is lost twice");
            return Err(error(Code::DuplicateDefinition, message, "keep one of the two"));
        }
        let key = |loss: &Loss| (loss.at.clone(), loss.machine);
        let loss = Loss { machine, at };
        let place = self.losses.partition_point(|earlier| key(earlier) < key(&loss));
        self.losses.insert(place, loss);
        Ok(self)
    }

    fn has(&self, machine: usize) -> Result<(), BuildErrors> {
        if machine < self.machines() {
            return Ok(());
        }
        let message = format!("there is no machine {machine}");
        let help = format!("machines are numbered from 0 to {}", self.machines() - 1);
        Err(error(Code::OutOfRange, message, &help))
    }

    /// How many items there are.
    #[must_use]
    pub fn items(&self) -> u64 {
        self.items
    }

    /// How many machines there are.
    #[must_use]
    pub fn machines(&self) -> usize {
        self.seconds.len()
    }

    /// How long each machine takes for an item, in seconds.
    #[must_use]
    pub fn seconds(&self) -> &[Ratio] {
        &self.seconds
    }

    /// The relative performance that schedules are told.
    #[must_use]
    pub fn performance(&self) -> &RelativePerformance {
        &self.performance
    }

    /// What a chunk costs the master, in seconds.
    #[must_use]
    pub fn overhead(&self) -> &Ratio {
        &self.overhead
    }

    /// The changes of speed, by machine and time.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The losses, by time.
    #[must_use]
    pub fn losses(&self) -> &[Loss] {
        &self.losses
    }

    /// The times from which on a machine takes other times for an item: 0 is the first of them.
    pub(super) fn steps(&self, machine: usize) -> Vec<(Ratio, Ratio)> {
        let original = &self.seconds[machine];
        let start = self.changes.partition_point(|change| change.machine < machine);
        let of_machine = self.changes[start..].iter().take_while(|change| change.machine == machine);
        let changed = of_machine.map(|change| (change.at.clone(), original * &change.factor));
        let mut steps: Vec<(Ratio, Ratio)> = changed.collect();
        if steps.first().is_none_or(|(at, _)| !at.is_zero()) {
            steps.insert(0, (Ratio::zero(), original * Ratio::one()));
        }
        steps
    }
}

fn error(code: Code, message: String, help: &str) -> BuildErrors {
    BuildErrors(vec![BuildError { code, message, help: help.to_owned() }])
}

/// A number that may be 0.
fn not_negative(value: &Rate, subject: &str) -> Result<Ratio, BuildErrors> {
    match value.to_positive() {
        Ok(value) => Ok(value),
        Err(RateProblem::NotPositive(zero)) if zero.is_zero() => Ok(zero),
        Err(problem) => {
            let message = format!("{subject} {}", words(&problem));
            Err(error(Code::QuantityNotPositive, message, "it must be 0 or above, and finite"))
        }
    }
}

fn words(problem: &RateProblem) -> String {
    match problem {
        RateProblem::NotPositive(value) => format!("is {}", display_ratio(value)),
        other => other.to_string(),
    }
}
