//! From a question to its distributions: sets up the chain, chooses the method, and hands over what it finds.

use std::time::Instant;

use super::choice::Outlook;
use super::largest::{largest_measure, throughputs};
use super::limit::long_run;
use super::point::{Found, Measured};
use super::start::Start;
use super::{Accuracy, Method, Report, implicit, squaring};
use crate::error::Error;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::over_time::uniformisation::UNIT;
use crate::over_time::uniformisation::chain::Uniformised;
use crate::over_time::uniformisation::flow::Forwards;
use crate::over_time::uniformisation::of_space::SpaceRates;
use crate::over_time::uniformisation::powers::Powers;
use crate::over_time::uniformisation::vectors::{Asked, At, Receive, vectors_at_within};
use crate::refused::Refused;
use crate::space::StateSpace;

/// A rate, and the sum of a measure over the states of a block, are rounded so often.
const ROUNDED: f64 = 550.0;

/// What is asked, whatever the model's type is.
pub(super) struct Question {
    pub(super) times: Vec<f64>,
    pub(super) start: Start,
    pub(super) over: bool,
    pub(super) keep: Option<Vec<String>>,
    pub(super) tolerance: f64,
    pub(super) most_steps: u64,
    pub(super) method: Method,
}

/// A question about a space, within limits.
struct Task<'t> {
    space: &'t StateSpace,
    question: &'t Question,
    limits: &'t Limits,
    rates: &'t SpaceRates<'t>,
    /// What is left beside the space, the rates and the vectors of uniformisation.
    budget: MemoryBudget,
    /// What these take.
    taken: u64,
}

fn check_times(times: &[f64]) -> Result<(), Error> {
    for (number, &time) in times.iter().enumerate() {
        if !time.is_finite() || time < 0.0 {
            return Err(Error::Unknown(format!(
                "{time} is no time: a time is a finite number, and not negative"
            )));
        }
        if number > 0 && times[number - 1] > time {
            let before = times[number - 1];
            return Err(Error::Unknown(format!(
                "the time {time} comes after {before}: give times in ascending order"
            )));
        }
    }
    Ok(())
}

/// Finds the distributions at all times.
pub(super) fn find(
    space: &StateSpace,
    question: &Question,
    limits: &Limits,
    budget: MemoryBudget,
    receive: &mut dyn FnMut(Found) -> Result<(), Error>,
) -> Result<Report, Error> {
    let started = Instant::now();
    check_times(&question.times)?;
    let mut watch = Watch::start(limits);
    let start = question.start.distribution(space)?;
    let vectors = Powers::memory(space.states()) + 8 * start.len() as u64 * if question.over { 5 } else { 2 };
    let budget = budget.take(vectors)?;
    let rates = SpaceRates::new(space, budget, limits, &mut watch)?;
    let budget = budget.beside(rates.memory());
    let taken = space.memory() + vectors + rates.memory();
    let task = Task { space, question, limits, rates: &rates, budget, taken };
    let mut report = task.run(start, &mut watch, receive)?;
    report.solved_in = started.elapsed();
    Ok(report)
}

impl Task<'_> {
    fn run(
        &self,
        start: Vec<f64>,
        watch: &mut Watch<'_>,
        receive: &mut dyn FnMut(Found) -> Result<(), Error>,
    ) -> Result<Report, Error> {
        let Task { space, question, .. } = *self;
        let scale = largest_measure(space, question.keep.as_deref(), self.budget.left(), watch)?;
        // What the sum of a measure over all states may lose itself.
        let rounded = UNIT * (ROUNDED + start.len() as f64 / 512.0);
        let tolerance = question.tolerance / scale - rounded;
        if tolerance <= 0.0 {
            return Err(Refused::unattainable(question.tolerance, 2.0 * rounded * scale).into());
        }
        let forwards = Forwards::new(self.rates.operator(), watch)?;
        let chain = Uniformised::new(&forwards);
        let mut of_measures = Watch::start(self.limits);
        let mut largest_error = 0.0_f64;
        let mut measure = |number: usize, at: At| {
            let found = measured(space, question.times[number], at, self.budget.left(), &mut of_measures)?;
            largest_error = largest_error.max(found.error).max(found.average_error);
            receive(found)
        };
        let refused = |error: Error| in_measures(error, question.tolerance, scale);
        let mut report = self.solve(&chain, start, tolerance, watch, &mut measure).map_err(refused)?;
        report.error = (largest_error + rounded) * scale;
        Ok(report)
    }

    /// Runs the method that is asked for, or that suits.
    fn solve(
        &self,
        chain: &Uniformised<'_>,
        start: Vec<f64>,
        tolerance: f64,
        watch: &mut Watch<'_>,
        measure: Receive<'_>,
    ) -> Result<Report, Error> {
        let Question { times, over, most_steps, .. } = self.question;
        let asked = Asked { times, integrals: *over, tolerance, most_steps: *most_steps };
        let method = self.method(chain, tolerance);
        let mut report = Report::new(method, chain.rate(), times.last().copied().unwrap_or(0.0));
        match method {
            Method::Squaring => {
                let operator = self.rates.operator();
                let squarings = squaring::vectors_at(operator, &start, &asked, self.budget, watch, measure)?;
                report.steps = u64::from(squarings);
            }
            Method::Implicit => {
                let sweeps = self.rates.sweeps();
                report.steps = implicit::vectors_at(sweeps, start, &asked, self.budget, watch, measure)?;
            }
            Method::Automatic | Method::Uniformisation => {
                let is_initial = self.question.start.is_initial();
                let mut limit =
                    |watch: &mut Watch<'_>| long_run(self.space, is_initial, self.limits, self.taken, watch);
                let steps =
                    vectors_at_within(self.budget, chain, start, &asked, Some(&mut limit), watch, measure)?;
                report.accuracy = Accuracy::Bound;
                (report.steps, report.planned, report.settled) = (steps.taken, steps.planned, steps.settled);
            }
        }
        Ok(report)
    }

    fn method(&self, chain: &Uniformised<'_>, tolerance: f64) -> Method {
        let longest = self.question.times.last().copied().unwrap_or(0.0);
        let most_steps = self.question.most_steps;
        let rates = self.rates.operator().rates();
        match self.question.method {
            // Nothing moves.
            _ if chain.rate() * longest == 0.0 => Method::Uniformisation,
            Method::Automatic => Outlook { chain, rates, longest, tolerance, most_steps }.method(),
            method => method,
        }
    }
}

/// A refusal in terms of measures, which may be larger than probabilities.
fn in_measures(error: Error, tolerance: f64, scale: f64) -> Error {
    match error {
        Error::OverTime(Refused::Unattainable { attainable, .. }) => {
            Refused::unattainable(tolerance, attainable * scale).into()
        }
        other => other,
    }
}

/// A distribution with its measures.
fn measured(
    space: &StateSpace,
    time: f64,
    at: At,
    bytes: u64,
    watch: &mut Watch<'_>,
) -> Result<Found, Error> {
    let mut with_throughputs = |weights: Vec<f64>| -> Result<Measured, Error> {
        let throughputs = throughputs(space, &weights, bytes, watch)?;
        Ok(Measured { weights, throughputs })
    };
    let At { vector, error, integral } = at;
    let (average, average_error) = match integral {
        None => (None, 0.0),
        Some(_) if time == 0.0 => (Some(with_throughputs(vector.clone())?), error),
        Some((mut integral, error)) => {
            integral.iter_mut().for_each(|value| *value /= time);
            (Some(with_throughputs(integral)?), error / time)
        }
    };
    let probabilities = with_throughputs(vector)?;
    Ok(Found { time, probabilities, average, error, average_error })
}
