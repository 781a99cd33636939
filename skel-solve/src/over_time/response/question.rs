//! Asking for the response time of an item.

use skel_core::model::Model;
use skel_core::skeleton::System;

use super::answer::ResponseTime;
use super::followed::Subject;
use super::path::{ItemPath, PathProblem};
use crate::error::Error;
use crate::limits::Limits;
use crate::over_time::uniformisation::{MOST_STEPS, TOLERANCE};
use crate::performance::Performance;

/// A question for the response time of an item that is about to be answered: set what is to be different,
/// then call [`ResponseTimes::solve`].
///
/// # Examples
/// ```
/// use skel::prelude::*;
/// use skel::response::ResponseTimes;
/// let program = pipe!(task(1.0), farm(2, 1.0), task(1.0)).communicating(1.0);
/// let limits = Limits { states: 100, ..Limits::default() };
/// let response = ResponseTimes::of_system(&program.lower()?).limits(&limits).solve()?;
/// // The two workers are told apart by whether they have the item.
/// assert_eq!(response.states(), 60);
/// assert_eq!(response.moments_exact(1)?.raw, [ratio(8059942, 1338363)]);
/// # Ok::<(), skel::Error>(())
/// ```
#[must_use]
pub struct ResponseTimes<'q> {
    asked: Asked<'q>,
    limits: Limits,
    tolerance: f64,
    most_steps: u64,
    is_lumped: bool,
}

enum Asked<'q> {
    System(&'q System),
    Model(&'q Model, &'q ItemPath),
}

impl<'q> ResponseTimes<'q> {
    /// Of a skeleton.
    pub fn of_system(system: &'q System) -> Self {
        ResponseTimes::new(Asked::System(system))
    }

    /// Of a model in which items take this path.
    pub fn of_model(model: &'q Model, path: &'q ItemPath) -> Self {
        ResponseTimes::new(Asked::Model(model, path))
    }

    fn new(asked: Asked<'q>) -> Self {
        let limits = Limits::default();
        ResponseTimes { asked, limits, tolerance: TOLERANCE, most_steps: MOST_STEPS, is_lumped: true }
    }

    /// Answers within these limits.
    pub fn limits(mut self, limits: &Limits) -> Self {
        self.limits = limits.clone();
        self
    }

    /// The largest absolute error of a probability; `1e-9` unless set. Densities and moments have it in
    /// proportion to the largest rate into the end and to their own size, where these are above one.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// The most steps of uniformisation; ten million unless set.
    pub fn most_steps(mut self, steps: u64) -> Self {
        self.most_steps = steps;
        self
    }

    /// Explores without lumping. No figure depends on it.
    pub fn unlumped(mut self) -> Self {
        self.is_lumped = false;
        self
    }

    /// Finds where items begin, and which states they go through.
    ///
    /// # Errors
    /// A path that does not fit the model, or a position that would hold two items; a chain that does not go
    /// on in one way; a limit.
    #[cfg_attr(debug_assertions, inline)]
    pub fn solve(self) -> Result<ResponseTime, Error> {
        let subject = match self.asked {
            Asked::System(system) => Subject::Skeleton(Box::new(system.clone()), self.is_lumped),
            Asked::Model(model, path) => {
                let path = path.resolve(model).map_err(|problems| in_words(&problems))?;
                Subject::of_model(model, path, self.is_lumped, &self.limits)?
            }
        };
        ResponseTime::of(subject, self.limits, self.tolerance, self.most_steps)
    }
}

#[cfg_attr(debug_assertions, inline)]
fn in_words(problems: &[PathProblem]) -> Error {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    Error::Unknown(lines.join("\n"))
}

impl<S: ?Sized, N> Performance<S, N> {
    /// How the response time is distributed, of which [`Self::response_time`] is the mean: from when a task
    /// of the first stage begins an item to when a task of the last stage is done with it.
    ///
    /// # Errors
    /// A limit was reached.
    ///
    /// # Examples
    /// How long 99 % of the items take at most, beside the mean.
    /// ```
    /// use skel::prelude::*;
    /// let program = pipe!(task(2.0), task(3.0)).communicating(5.0);
    /// let performance = program.performance()?;
    /// let response = performance.response_distribution()?;
    /// assert!((performance.response_time() - 7.0 / 6.0).abs() < 1e-12);
    /// assert!((response.variance()?.value - 353.0 / 900.0).abs() < 1e-12);
    /// assert!((response.quantile(0.99)?.value - 3.1530250468925).abs() < 1e-9);
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[cfg_attr(debug_assertions, inline)]
    pub fn response_distribution(&self) -> Result<ResponseTime, Error> {
        ResponseTimes::of_system(&self.system).solve()
    }
}
