//! The distribution at a time.

use std::fmt;
use std::ops::Deref;

use super::Report;
use crate::measure::Probabilities;
use crate::space::StateSpace;

/// Where a chain is at some times, and how that was found.
pub struct Transient<M: ?Sized> {
    pub(super) points: Vec<Point<M>>,
    pub(super) report: Report,
}

impl<M: ?Sized> Transient<M> {
    /// The answers, in the order of the times.
    #[must_use]
    pub fn points(&self) -> &[Point<M>] {
        &self.points
    }

    /// How they were found, and how good they are.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }
}

impl<M: ?Sized> fmt::Debug for Transient<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times: Vec<f64> = self.points.iter().map(Point::time).collect();
        write!(f, "Transient({times:?}, {:?})", self.report)
    }
}

/// The distribution at a time, which has the measures of [`Probabilities`].
pub struct Point<M: ?Sized> {
    pub(super) time: f64,
    pub(super) probabilities: Probabilities<M, f64>,
    pub(super) average: Option<Probabilities<M, f64>>,
    pub(super) error: f64,
    pub(super) average_error: f64,
}

impl<M: ?Sized> Point<M> {
    /// The time.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.time
    }

    /// The average of the distribution over all times until this one, if
    /// [`TransientSolver::over`](super::TransientSolver::over) asked for it. A measure of it, times the time,
    /// is the integral: of a throughput, how often the action is expected to be done until then; of a
    /// population of one component, how long it is expected to be in the local state. At time zero it is the
    /// distribution itself.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// let space = Model::from_text("Up = (fail, 0.3).Down; Down = (mend, 2).Up; Up")?.explore()?;
    /// let transient = space.transient_solver(&[5.0]).over().solve()?;
    /// let down = 5.0 * transient.points()[0].average().unwrap().population_named("Down")?;
    /// let known = 0.3 / 2.3 * (5.0 - (1.0 - f64::exp(-2.3 * 5.0)) / 2.3);
    /// assert!((down - known).abs() <= 5.0 * transient.report().error);
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    pub fn average(&self) -> Option<&Probabilities<M, f64>> {
        self.average.as_ref()
    }

    /// The error of the distribution: of the probabilities of all states together.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.error
    }

    /// The error of the average.
    #[must_use]
    pub fn average_error(&self) -> f64 {
        self.average_error
    }
}

impl<M: ?Sized> Deref for Point<M> {
    type Target = Probabilities<M, f64>;

    fn deref(&self) -> &Probabilities<M, f64> {
        &self.probabilities
    }
}

impl<M: ?Sized> fmt::Debug for Point<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Point({}, {:?})", self.time, self.probabilities)
    }
}

/// A distribution as it was found, before it has measures.
pub(super) struct Found {
    pub(super) time: f64,
    pub(super) probabilities: Measured,
    pub(super) average: Option<Measured>,
    pub(super) error: f64,
    pub(super) average_error: f64,
}

/// A distribution with its throughputs.
pub(super) struct Measured {
    pub(super) weights: Vec<f64>,
    pub(super) throughputs: Vec<f64>,
}

impl Found {
    /// The same with the model's type.
    pub(super) fn typed<M: ?Sized>(self, space: &StateSpace<M>) -> Point<M> {
        let typed = |one: Measured| {
            Probabilities::new(space, crate::measure::weights::Weights::Numbers(one.weights), one.throughputs)
        };
        Point {
            time: self.time,
            probabilities: typed(self.probabilities),
            average: self.average.map(typed),
            error: self.error,
            average_error: self.average_error,
        }
    }
}
