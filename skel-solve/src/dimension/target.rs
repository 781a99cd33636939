//! What is asked of a program.

use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};
use skel_core::number::Ratio;
use skel_core::rate::{Rate, RateProblem, positive};
use skel_core::time::MeanTime;

/// What a program has to keep.
///
/// # Examples
/// ```
/// use skel::prelude::*;
/// let a_second = Target::throughput(200.0);
/// assert_eq!(a_second, Target::throughput(every(5.ms()))); // an item every 5 ms
/// assert_ne!(a_second, Target::response_time(5.ms())); // each item is through after 5 ms
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Target(Kind);

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Throughput(Rate),
    /// The mean response time, or the time within which a part of the items is through.
    ResponseTime(MeanTime, Option<f64>),
}

/// A target with its exact figure.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Exact {
    Throughput(Ratio),
    ResponseTime(Within),
}

/// A longest response time.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Within {
    pub(super) time: Ratio,
    /// The part of the items that has to be through within it; none for the mean.
    pub(super) part: Option<f64>,
}

impl Target {
    /// At least so many items per unit of time: that of the rates of tasks and moves, which is a second where
    /// they are made of times.
    #[must_use]
    pub fn throughput(rate: impl Into<Rate>) -> Target {
        Target(Kind::Throughput(rate.into()))
    }

    /// A mean time of at most so long from when the first stage begins an item to when the last stage is done
    /// with it.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// let program = pipe!(task(20.0), task(5.0), task(30.0)).communicating(Communication::negligible());
    /// let answer = program.dimension(Target::response_time(330.ms()))?;
    /// assert_eq!(answer.best.expect("it can be reached").replicas, [1, 3, 2]);
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    pub fn response_time(mean: impl Into<MeanTime>) -> Target {
        Target(Kind::ResponseTime(mean.into(), None))
    }

    /// A time within which a part of all items, above 0 and below 1, is through: from when the first stage
    /// begins an item to when the last stage is done with it. It is the quantile of the response time.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// let program = pipe!(task(20.0), task(5.0), task(30.0)).communicating(Communication::negligible());
    /// let answer = program.dimension(Target::response_time_of(0.99, 1200.ms()))?;
    /// assert_eq!(answer.best.expect("it can be reached").replicas, [1, 2, 1]);
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[cfg(feature = "over-time")]
    #[must_use]
    pub fn response_time_of(part: f64, time: impl Into<MeanTime>) -> Target {
        Target(Kind::ResponseTime(time.into(), Some(part)))
    }

    /// The exact figure, if it is positive.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn exact(&self) -> Result<Exact, BuildErrors> {
        let wrong = |message: String, help: &str| {
            BuildErrors(vec![BuildError { code: Code::QuantityNotPositive, message, help: help.into() }])
        };
        match &self.0 {
            Kind::Throughput(rate) => rate.to_positive().map(Exact::Throughput).map_err(|problem| {
                wrong(
                    format!("the target {problem}"),
                    "a throughput is a number of items per unit of time, above 0",
                )
            }),
            Kind::ResponseTime(_, Some(part)) if !(*part > 0.0 && *part < 1.0) => Err(wrong(
                format!("the target is for a part of {part} of the items"),
                "a part is above 0 and below 1: 0.99 for 99 %",
            )),
            Kind::ResponseTime(mean, part) => {
                let exact = mean
                    .exact()
                    .cloned()
                    .ok_or_else(|| RateProblem::NotANumber("not a finite number".into()));
                let within = |time| Exact::ResponseTime(Within { time, part: *part });
                exact.and_then(positive).map(within).map_err(|problem| {
                    wrong(format!("the target {problem}"), "a response time is a time above 0")
                })
            }
        }
    }
}
