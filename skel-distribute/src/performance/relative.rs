//! The vector of relative performance.

use num_traits::Zero;
use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};
use skel_core::number::{Ratio, display_ratio};
use skel_core::rate::{Rate, RateProblem};

use super::models::TimeModel;
use super::shares::WholeWeights;

/// How much faster than the slowest each machine is (VRP): weights without a unit, in the order of the
/// machines.
///
/// Weights are exact: a float stands for the decimal that one writes for it.
///
/// # Examples
/// ```
/// use skel_core::number::ratio;
/// use skel_distribute::RelativePerformance;
///
/// let performance = RelativePerformance::of_times([1.0, 1.6, 8.0])?;
/// assert_eq!(performance.weights(), [ratio(8, 1), ratio(5, 1), ratio(1, 1)]);
/// assert_eq!(performance.shares(2500), [1429, 893, 178]);
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RelativePerformance {
    weights: Vec<Ratio>,
}

impl RelativePerformance {
    /// The performance of machines that take these times: `delta_slowest / delta_x`. The times are all for an
    /// item, or all for the whole problem, in seconds or in any other unit.
    ///
    /// # Errors
    /// If there is no machine, and for each time that is zero, negative or not finite.
    pub fn of_times<T: Into<Rate>>(times: impl IntoIterator<Item = T>) -> Result<Self, BuildErrors> {
        let times = exact(times.into_iter().map(Into::into), "time", false)?;
        let Some(slowest) = times.iter().max().cloned() else { return Err(no_machine()) };
        Ok(RelativePerformance { weights: times.iter().map(|time| &slowest / time).collect() })
    }

    /// Weights that are known in another way. A machine of weight 0 gets no share.
    ///
    /// # Errors
    /// If there is no machine, or none with a weight above 0, and for each weight that is negative or not
    /// finite.
    ///
    /// # Examples
    /// ```
    /// use skel_distribute::RelativePerformance;
    /// assert_eq!(RelativePerformance::of_weights([1, 0, 1, 2])?.shares(100), [25, 0, 25, 50]);
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    pub fn of_weights<T: Into<Rate>>(weights: impl IntoIterator<Item = T>) -> Result<Self, BuildErrors> {
        let weights = exact(weights.into_iter().map(Into::into), "weight", true)?;
        if weights.is_empty() {
            return Err(no_machine());
        }
        if weights.iter().all(Zero::is_zero) {
            let message = "every machine has the weight 0".to_owned();
            let help = "give at least one machine a weight above 0".to_owned();
            return Err(BuildErrors(vec![BuildError { code: Code::QuantityNotPositive, message, help }]));
        }
        Ok(RelativePerformance { weights })
    }

    /// The performance of so many equal machines.
    ///
    /// # Errors
    /// If there is no machine.
    ///
    /// # Examples
    /// ```
    /// use skel_distribute::RelativePerformance;
    /// assert_eq!(RelativePerformance::equal(3)?.shares(10), [4, 3, 3]);
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    pub fn equal(machines: usize) -> Result<Self, BuildErrors> {
        RelativePerformance::of_weights(vec![1; machines])
    }

    /// The performance at a problem size `n`, from a model of each machine's time: the paper's *dynamic* VRP.
    /// The fixed VRP is that of one `n` for all sizes.
    ///
    /// # Errors
    /// If there is no model, for each model that has no time for this size, and for each time that is zero,
    /// negative or not finite.
    ///
    /// # Examples
    /// ```
    /// use skel_distribute::{RelativePerformance, TimeModel};
    ///
    /// let [fast, slow] = [|n: f64| 1e-9 * n * n, |n: f64| 1e-6 * n + 2e-9 * n * n];
    /// let at = |n| RelativePerformance::at(n, [&fast as &dyn TimeModel, &slow]);
    /// assert_eq!(at(1000.0)?.shares(100), [75, 25]);
    /// assert_eq!(at(9000.0)?.shares(100), [68, 32]);
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    pub fn at<'m>(n: f64, models: impl IntoIterator<Item = &'m dyn TimeModel>) -> Result<Self, BuildErrors> {
        let times: Vec<Result<f64, String>> = models.into_iter().map(|model| model.seconds(n)).collect();
        let mut errors = Vec::new();
        for (number, time) in (1..).zip(&times) {
            let message = match time {
                Ok(time) if *time > 0.0 && time.is_finite() => continue,
                Ok(time) => format!("the model of machine {number} gives {time} s at n = {n}"),
                Err(why) => format!("the model of machine {number} has no time at n = {n}: {why}"),
            };
            let help =
                "a time is above 0 and finite: take a size within the range that the model was made for"
                    .to_owned();
            errors.push(BuildError { code: Code::QuantityNotPositive, message, help });
        }
        match errors.is_empty() {
            true => RelativePerformance::of_times(times.into_iter().flatten()),
            false => Err(BuildErrors(errors)),
        }
    }

    /// The weights, in the order of the machines.
    #[must_use]
    pub fn weights(&self) -> &[Ratio] {
        &self.weights
    }

    /// How many machines there are.
    #[must_use]
    pub fn machines(&self) -> usize {
        self.weights.len()
    }

    /// How many items each machine gets of so many: the whole part of `items weight / sum of weights`, and
    /// one more for the largest fractional parts (Hamilton's method). The shares always sum to `items`, and
    /// each is less than one item away from the exact share. Of fractional parts within 1e-9 of each other
    /// the lower index is first.
    ///
    /// # Examples
    /// ```
    /// use skel_distribute::RelativePerformance;
    /// let performance = RelativePerformance::of_weights([0.15, 0.35, 0.15, 0.35])?;
    /// assert_eq!(performance.shares(95), [15, 33, 14, 33]);
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn shares(&self, items: u64) -> Vec<u64> {
        self.whole().shares(items)
    }

    pub(crate) fn whole(&self) -> WholeWeights {
        WholeWeights::of(&self.weights)
    }
}

fn no_machine() -> BuildErrors {
    let message = "there is no machine".to_owned();
    let help = "give at least one machine".to_owned();
    BuildErrors(vec![BuildError { code: Code::MissingEntry, message, help }])
}

/// The exact values, or everything that is wrong with them.
fn exact(
    values: impl Iterator<Item = Rate>,
    noun: &str,
    may_be_zero: bool,
) -> Result<Vec<Ratio>, BuildErrors> {
    let mut exact = Vec::new();
    let mut errors = Vec::new();
    for (number, value) in (1..).zip(values) {
        match value.to_positive() {
            Ok(value) => exact.push(value),
            Err(RateProblem::NotPositive(zero)) if may_be_zero && zero.is_zero() => exact.push(zero),
            Err(problem) => {
                let problem = match problem {
                    RateProblem::NotPositive(value) => format!("is {}", display_ratio(&value)),
                    other => other.to_string(),
                };
                let message = format!("the {noun} of machine {number} {problem}");
                let help = match may_be_zero {
                    true => "it must be 0 or above, and finite",
                    false => "it must be above 0 and finite",
                };
                errors.push(BuildError { code: Code::QuantityNotPositive, message, help: help.to_owned() });
            }
        }
    }
    if errors.is_empty() { Ok(exact) } else { Err(BuildErrors(errors)) }
}
