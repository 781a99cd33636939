//! Asking a space for its transient distributions.

use skel_core::csl::Predicate;

use super::curves::{Measure, Series, values};
use super::find::{Question, find};
use super::point::Found;
use super::start::Start;
use super::{Curves, Method, Point, Report, Transient};
use crate::error::Error;
use crate::limits::Limits;
use crate::limits::memory::MemoryBudget;
use crate::over_time::uniformisation::{MOST_STEPS, TOLERANCE};
use crate::space::StateSpace;

impl<M: ?Sized> StateSpace<M> {
    /// The distributions at some ascending times, from the initial state, with the default limits; see
    /// [`crate::over_time::transient`].
    ///
    /// # Errors
    /// A time is negative or not finite, or less than the one before; the tolerance cannot be kept; or a
    /// default limit was reached.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// let space = Model::from_text("P = (go, 1).Q; Q = (back, 3).P; P")?.explore()?;
    /// let transient = space.transient(&[0.0, 0.5])?;
    /// let going: Vec<f64> = transient.points().iter().map(|at| at.throughput_named("go").unwrap()).collect();
    /// assert_eq!(going[0], 1.0);
    /// assert!((going[1] - (0.75 + 0.25 * f64::exp(-2.0))).abs() < 1e-9);
    /// assert!(space.transient(&[1.0, 0.5]).is_err());
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn transient(&self, times: &[f64]) -> Result<Transient<M>, Error> {
        self.transient_solver(times).solve()
    }

    /// Asks for transient distributions in another way: from other states, with averages over time, within
    /// other limits, by another method.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// use skel::csl::Predicate;
    /// let model = Model::from_text("P = (go, 1).Q; Q = (back, 3).P; P")?;
    /// let (space, at_q) = (model.explore()?, Predicate::parse("Q = 1", &model)?);
    /// let transient = space.transient_solver(&[0.5]).from(&at_q).tolerance(1e-12).solve()?;
    /// assert!((transient.points()[0].population_named("Q")? - (0.25 + 0.75 * f64::exp(-2.0))).abs() < 1e-12);
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn transient_solver(&self, times: &[f64]) -> TransientSolver<'_, M> {
        TransientSolver {
            space: self,
            question: Question {
                times: times.to_vec(),
                start: Start::Initial,
                over: false,
                keep: None,
                tolerance: TOLERANCE,
                most_steps: MOST_STEPS,
                method: Method::Automatic,
            },
            limits: Limits::default(),
        }
    }
}

/// Transient distributions that are about to be found: set what is to be different, then call
/// [`TransientSolver::solve`].
#[must_use]
pub struct TransientSolver<'s, M: ?Sized> {
    space: &'s StateSpace<M>,
    question: Question,
    limits: Limits,
}

impl<M: ?Sized> TransientSolver<'_, M> {
    /// Works within these limits.
    pub fn limits(mut self, limits: &Limits) -> Self {
        self.limits = limits.clone();
        self
    }

    /// Begins in the states in which a condition holds, each of them as likely as the others. A lumped state
    /// counts once for each state that it stands for.
    pub fn from(mut self, condition: &Predicate) -> Self {
        self.question.start = Start::Predicate(condition.clone());
        self
    }

    /// Begins in these states, given by their numbers, each of them as likely as the others. A lumped state
    /// counts once for each state that it stands for.
    ///
    /// # Panics
    /// If there is no state of a number, when the solver starts.
    pub fn from_states(mut self, states: &[usize]) -> Self {
        self.question.start = Start::States(states.to_vec());
        self
    }

    /// Begins in each state with a weight, in the order of the states. The weights need not sum to one.
    pub fn from_weights(mut self, weights: &[f64]) -> Self {
        self.question.start = Start::Weights(weights.to_vec());
        self
    }

    /// Also finds the averages over the time until each of the times.
    pub fn over(mut self) -> Self {
        self.question.over = true;
        self
    }

    /// Promises the error only for some actions, local states and result lines, by name. Where one of the
    /// others has a large rate or factor, this takes fewer steps, or makes an answer possible.
    pub fn keep<S: AsRef<str>>(mut self, names: &[S]) -> Self {
        self.question.keep = Some(names.iter().map(|name| name.as_ref().to_owned()).collect());
        self
    }

    /// The absolute error that each measure may have at any of the times, and each average; 1e-9 unless set.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.question.tolerance = tolerance;
        self
    }

    /// The most steps; ten million unless set.
    pub fn most_steps(mut self, steps: u64) -> Self {
        self.question.most_steps = steps;
        self
    }

    /// Chooses the method.
    pub fn method(mut self, method: Method) -> Self {
        self.question.method = method;
        self
    }

    /// Finds all distributions, and keeps them: 8 bytes for each state and time.
    ///
    /// # Errors
    /// As [`StateSpace::transient`]; a name to keep is unknown; or no state has a weight to begin with.
    pub fn solve(self) -> Result<Transient<M>, Error> {
        let vectors = if self.question.over { 2 } else { 1 };
        let all = 8 * (self.space.states() * self.question.times.len() * vectors) as u64;
        let budget = MemoryBudget::new(&self.limits).beside(self.space.memory()).take(all)?;
        let mut points = Vec::with_capacity(self.question.times.len());
        let mut receive = |point: Found| {
            points.push(point.typed(self.space));
            Ok(())
        };
        let (report, _) =
            find(&self.space.untyped(), &self.question, &[], &self.limits, budget, &mut receive)?;
        Ok(Transient { points, report })
    }

    /// Hands over each distribution when it is found, in the order of the times, and keeps none.
    ///
    /// # Errors
    /// As [`Self::solve`], and those of `receive`.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// let space = Model::from_text("P = (go, 1).Q; Q = (back, 3).P; P[12]")?.explore()?;
    /// let times: Vec<f64> = (0..100).map(|step| 0.1 * f64::from(step)).collect();
    /// let mut going = Vec::new();
    /// space.transient_solver(&times).for_each(|point| {
    ///     going.push(point.throughput_named("go")?);
    ///     Ok(())
    /// })?;
    /// assert_eq!((going.len(), going[0]), (100, 12.0));
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn for_each(self, mut receive: impl FnMut(&Point<M>) -> Result<(), Error>) -> Result<Report, Error> {
        let budget = MemoryBudget::new(&self.limits).beside(self.space.memory());
        let mut receive = |point: Found| receive(&point.typed(self.space));
        let found = find(&self.space.untyped(), &self.question, &[], &self.limits, budget, &mut receive)?;
        Ok(found.0)
    }

    /// Finds the measures that are kept, or all, at all times, and no distributions.
    ///
    /// For a few measures at many times this is far less work than [`Self::solve`]: one inner product for
    /// each measure and step takes the place of sums of whole vectors for each time. So a curve costs little
    /// more than its last point.
    ///
    /// # Errors
    /// As [`Self::solve`].
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// let space = Model::from_text("P = (go, 1).Q; Q = (back, 3).P; P[12]")?.explore()?;
    /// let times: Vec<f64> = (0..100).map(|step| 0.1 * f64::from(step)).collect();
    /// let curves = space.transient_solver(&times).keep(&["go"]).curves()?;
    /// let going = curves.now().throughput_named("go")?;
    /// let known = |t: f64| 9.0 + 3.0 * f64::exp(-4.0 * t);
    /// assert!(times.iter().zip(going).all(|(&t, value)| (value - known(t)).abs() <= curves.report().error));
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn curves(self) -> Result<Curves, Error> {
        let budget = MemoryBudget::new(&self.limits).beside(self.space.memory());
        let (space, model) = (self.space.untyped(), self.space.model());
        let measures = Measure::kept(model, self.question.keep.as_deref());
        let empty = || Series::new(model, &measures);
        let (mut now, mut average) = (empty(), self.question.over.then(empty));
        let mut receive = |point: Found| {
            let point = point.typed(self.space);
            now.push(values(&point, model, &measures)?);
            if let (Some(series), Some(average)) = (&mut average, point.average()) {
                series.push(values(average, model, &measures)?);
            }
            Ok(())
        };
        let (report, found) = find(&space, &self.question, &measures, &self.limits, budget, &mut receive)?;
        for at in found.into_iter().flatten() {
            now.push(at.now);
            if let (Some(series), Some(values)) = (&mut average, at.average) {
                series.push(values);
            }
        }
        Ok(Curves { times: self.question.times, now, average, report })
    }
}
