//! From a question to its distributions: sets up the chain, chooses the method, and hands over what it finds.

use std::time::Instant;

use super::choice::Outlook;
use super::curves::Measure;
use super::largest::largest_measure;
use super::limit::long_run;
use super::point::{Found, Measured};
use super::start::Start;
use super::{Accuracy, Method, Report, implicit, squaring};
use crate::error::Error;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limit, Limits, Stopped, Watch};
use crate::measure::throughputs::of_distribution;
use crate::over_time::uniformisation::UNIT;
use crate::over_time::uniformisation::adaptive::rising::Rising;
use crate::over_time::uniformisation::chain::Uniformised;
use crate::over_time::uniformisation::clock::{Clock, stages, steps_for};
use crate::over_time::uniformisation::flow::Forwards;
use crate::over_time::uniformisation::of_space::SpaceRates;
use crate::over_time::uniformisation::powers::{FindLimit, Powers};
use crate::over_time::uniformisation::sequence::{Sequence, Wanted};
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

/// The values of some measures at a time.
pub(super) struct ValuesAt {
    pub(super) now: Vec<f64>,
    pub(super) average: Option<Vec<f64>>,
}

/// A question about a space, within limits.
struct Task<'t> {
    space: &'t StateSpace,
    question: &'t Question,
    /// The only measures that are of interest, if there are few.
    measures: &'t [Measure],
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

/// Finds the distributions at all times. Where only some measures are of interest, their values at all times
/// may be found instead.
pub(super) fn find(
    space: &StateSpace,
    question: &Question,
    measures: &[Measure],
    limits: &Limits,
    budget: MemoryBudget,
    receive: &mut dyn FnMut(Found) -> Result<(), Error>,
) -> Result<(Report, Option<Vec<ValuesAt>>), Error> {
    let started = Instant::now();
    check_times(&question.times)?;
    let mut watch = Watch::start(limits);
    let start = question.start.distribution(space)?;
    let vectors = Powers::memory(space.states()) + 8 * start.len() as u64 * if question.over { 5 } else { 2 };
    let budget = budget.take(vectors)?;
    let rates = SpaceRates::new(space, budget, limits, &mut watch)?;
    let budget = budget.beside(rates.memory());
    let taken = space.memory() + vectors + rates.memory();
    let task = Task { space, question, measures, limits, rates: &rates, budget, taken };
    let (mut report, values) = task.run(start, &mut watch, receive)?;
    report.solved_in = started.elapsed();
    Ok((report, values))
}

impl Task<'_> {
    fn run(
        &self,
        start: Vec<f64>,
        watch: &mut Watch<'_>,
        receive: &mut dyn FnMut(Found) -> Result<(), Error>,
    ) -> Result<(Report, Option<Vec<ValuesAt>>), Error> {
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
        let (mut report, values) =
            self.solve(&chain, start, tolerance, watch, &mut measure).map_err(refused)?;
        report.error = (largest_error.max(report.error) + rounded) * scale;
        Ok((report, values))
    }

    /// Runs the method that is asked for, or that suits.
    fn solve(
        &self,
        chain: &Uniformised<'_>,
        start: Vec<f64>,
        tolerance: f64,
        watch: &mut Watch<'_>,
        measure: Receive<'_>,
    ) -> Result<(Report, Option<Vec<ValuesAt>>), Error> {
        let Question { times, over, most_steps, .. } = self.question;
        let asked = Asked { times, integrals: *over, tolerance, most_steps: *most_steps };
        let (method, rising) = self.method(chain, &start, tolerance, watch)?;
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
            Method::Automatic | Method::Uniformisation | Method::Adaptive => {
                let is_initial = self.question.start.is_initial();
                let mut limit =
                    |watch: &mut Watch<'_>| long_run(self.space, is_initial, self.limits, self.taken, watch);
                if rising.is_none() && self.is_sequence_cheaper(chain, &asked) {
                    let values = self.sequence(chain, start, &asked, &mut limit, watch, &mut report)?;
                    return Ok((report, Some(values)));
                }
                let chains = rising.as_ref().map_or_else(Vec::new, |rates| stages(chain, rates));
                let clock =
                    rising.as_ref().map_or(Clock::Steady(chain), |rates| Clock::Rising(rates, &chains));
                let steps =
                    vectors_at_within(self.budget, clock, start, &asked, Some(&mut limit), watch, measure)?;
                if let Some(rates) = &rising {
                    report.rate = rates.rate(steps.taken.saturating_sub(1));
                }
                report.accuracy = Accuracy::Bound;
                (report.steps, report.planned, report.settled) = (steps.taken, steps.planned, steps.settled);
            }
        }
        Ok((report, None))
    }

    /// Whether inner products for each step are less work than the sums of vectors for each time, and fit the
    /// memory.
    fn is_sequence_cheaper(&self, chain: &Uniformised<'_>, asked: &Asked<'_>) -> bool {
        const MOST_STEPS: u64 = 1_000_000_000;
        const SPREAD: f64 = 12.0;
        // A chain that never moves takes no steps.
        if chain.rate() == 0.0 {
            return false;
        }
        let longest = asked.times.last().copied().unwrap_or(0.0);
        let planned = steps_for(chain, longest, asked.tolerance);
        let loses_digits = planned as f64 * chain.step_error() > asked.tolerance / 2.0;
        if self.measures.is_empty() || planned > asked.most_steps.min(MOST_STEPS) || loses_digits {
            return false;
        }
        let products = self.measures.len() as u64;
        let sums: f64 =
            asked.times.iter().map(|time| (SPREAD * (chain.rate() * time).sqrt()).min(planned as f64)).sum();
        let bytes = products * (8 * chain.states() as u64 + 16 * (planned + (1 << 14)));
        products as f64 * planned as f64 <= sums && self.budget.check(bytes).is_ok()
    }

    /// The values of the measures at all times, from inner products for each step.
    fn sequence(
        &self,
        chain: &Uniformised<'_>,
        start: Vec<f64>,
        asked: &Asked<'_>,
        limit: FindLimit<'_>,
        watch: &mut Watch<'_>,
        report: &mut Report,
    ) -> Result<Vec<ValuesAt>, Error> {
        let factors = |measure: &Measure| measure.factors(self.space, self.budget.left(), watch).map(Some);
        let products = self.measures.iter().map(factors).collect::<Result<Vec<_>, Error>>()?;
        let wanted = Wanted { tolerance: asked.tolerance, most_steps: asked.most_steps };
        let mut sequence = Sequence::new(chain, start, products, Some(limit), wanted, self.budget)?;
        let longest = asked.times.last().copied().unwrap_or(0.0);
        sequence.reach(longest, watch)?;
        report.accuracy = Accuracy::Bound;
        report.steps = sequence.steps();
        report.planned = steps_for(chain, longest, asked.tolerance);
        report.settled = sequence.settled_at();
        let mut all = Vec::with_capacity(asked.times.len());
        for (values, &time) in sequence.curves(asked.times, asked.integrals).into_iter().zip(asked.times) {
            report.error = report.error.max(values.error);
            let average = values.integral.map(|(mut integral, error)| {
                if time == 0.0 {
                    return values.now.clone();
                }
                report.error = report.error.max(error / time);
                integral.iter_mut().for_each(|value| *value /= time);
                integral
            });
            all.push(ValuesAt { now: values.now, average });
        }
        if report.error > asked.tolerance {
            return Err(Refused::unattainable(asked.tolerance, 1.1 * report.error).into());
        }
        Ok(all)
    }

    /// The method, with the rates of the steps where they rise.
    fn method(
        &self,
        chain: &Uniformised<'_>,
        start: &[f64],
        tolerance: f64,
        watch: &mut Watch<'_>,
    ) -> Result<(Method, Option<Rising>), Error> {
        let longest = self.question.times.last().copied().unwrap_or(0.0);
        let most_steps = self.question.most_steps;
        let rates = self.rates.operator().rates();
        let mut search = || Rising::new(self.rates.operator(), start, self.budget, watch);
        match self.question.method {
            // Nothing moves.
            _ if chain.rate() * longest == 0.0 => Ok((Method::Uniformisation, None)),
            Method::Automatic => {
                let outlook = Outlook { chain, rates, longest, tolerance, most_steps };
                let found = if outlook.is_searched(start) { fitting(search())? } else { None };
                Ok(match found {
                    Some(rates) if outlook.is_adaptive(&rates) => (Method::Adaptive, Some(rates)),
                    _ => (outlook.method(), None),
                })
            }
            Method::Adaptive => Ok((Method::Adaptive, Some(search()?))),
            method => Ok((method, None)),
        }
    }
}

/// Rates whose search fits the memory, if it does.
fn fitting(found: Result<Rising, Stopped>) -> Result<Option<Rising>, Stopped> {
    match found {
        Err(stopped) if matches!(stopped.limit, Limit::Memory(_)) => Ok(None),
        found => found.map(Some),
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
        let throughputs = of_distribution(space, &weights, bytes, || Ok(watch.prepare()?))?;
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
