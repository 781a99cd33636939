//! The time of a machine as a function of the problem size.

use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};

/// A model of the time that a machine takes, in seconds, for a problem of size `n`: a closure, a
/// [`TimeTable`], or a fitted model.
///
/// # Examples
/// ```
/// use skel_distribute::TimeModel;
/// let model = |n: f64| 0.25 * n;
/// assert_eq!(TimeModel::seconds(&model, 1000.0), Ok(250.0));
/// ```
pub trait TimeModel {
    /// The time in seconds.
    ///
    /// # Errors
    /// In words, why the model has no time for this size.
    fn seconds(&self, n: f64) -> Result<f64, String>;
}

impl<F: Fn(f64) -> f64> TimeModel for F {
    fn seconds(&self, n: f64) -> Result<f64, String> {
        Ok(self(n))
    }
}

/// Measured times for some problem sizes. Between two of them the time is on the straight line; beyond them
/// there is none.
///
/// # Examples
/// ```
/// use skel_distribute::{TimeModel, TimeTable};
/// let table = TimeTable::new([(500.0, 1.0), (1000.0, 3.0)])?;
/// assert_eq!(table.seconds(750.0), Ok(2.0));
/// assert_eq!(table.seconds(2000.0).unwrap_err(), "the table goes from 500 to 1000");
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TimeTable {
    /// By size, each of them once.
    points: Vec<(f64, f64)>,
}

impl TimeTable {
    /// A table of sizes, each with its time in seconds, in any order.
    ///
    /// # Errors
    /// If there is no point, if a size is there twice, and for each size or time that is not a finite number,
    /// or time that is not above 0.
    pub fn new(points: impl IntoIterator<Item = (f64, f64)>) -> Result<TimeTable, BuildErrors> {
        let mut points: Vec<(f64, f64)> = points.into_iter().collect();
        let error = |code, message: String, help: &str| BuildError { code, message, help: help.to_owned() };
        let wrong =
            points.iter().filter(|(n, seconds)| !(n.is_finite() && seconds.is_finite() && *seconds > 0.0));
        let mut errors: Vec<BuildError> = wrong
            .map(|(n, seconds)| {
                let message = format!("the table has the time {seconds} at n = {n}");
                error(
                    Code::QuantityNotPositive,
                    message,
                    "sizes are finite, and times are above 0 and finite",
                )
            })
            .collect();
        points.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        errors.extend(points.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| {
            let message = format!("the table has the size n = {} twice", pair[0].0);
            error(Code::DuplicateDefinition, message, "keep one of the two, or their mean")
        }));
        if points.is_empty() {
            let message = "the table is empty".to_owned();
            errors.push(error(Code::MissingEntry, message, "give at least one size with its time"));
        }
        if errors.is_empty() { Ok(TimeTable { points }) } else { Err(BuildErrors(errors)) }
    }
}

impl TimeModel for TimeTable {
    fn seconds(&self, n: f64) -> Result<f64, String> {
        let (first, last) = (self.points[0], self.points[self.points.len() - 1]);
        if !(first.0..=last.0).contains(&n) {
            return Err(format!("the table goes from {} to {}", first.0, last.0));
        }
        let above = self.points.partition_point(|point| point.0 < n);
        let (x, y) = self.points[above];
        if x == n {
            return Ok(y);
        }
        let (x0, y0) = self.points[above - 1];
        Ok(y0 + (y - y0) * (n - x0) / (x - x0))
    }
}
