//! The vectors at several times, and their integrals, in one pass to the last time.
//!
//! A time needs only the steps with weights, so its sum begins and ends with them. The integrals need all
//! steps before too, for which one sum is enough for all times.

use std::collections::VecDeque;

use super::UNIT;
use super::chain::Uniformised;
use super::clock::Clock;
use super::powers::{FindLimit, Powers, Settled};
use super::weights::Weights;
use crate::error::Error;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::refused::Refused;
use crate::vector::blocks;

/// What is asked.
pub(crate) struct Asked<'t> {
    /// The times, ascending, finite and not negative.
    pub(crate) times: &'t [f64],
    /// Whether the integrals are wanted too.
    pub(crate) integrals: bool,
    /// The largest error that is wanted, for a first vector of norm one; of the integrals divided by the time
    /// as well.
    pub(crate) tolerance: f64,
    /// The most steps.
    pub(crate) most_steps: u64,
}

/// The answer for a time, in the order of the states.
pub(crate) struct At {
    /// The vector.
    pub(crate) vector: Vec<f64>,
    /// A bound on its error: the sum of the errors of all states forwards, the largest backwards.
    pub(crate) error: f64,
    /// The integral from time zero, with a bound on its error.
    pub(crate) integral: Option<(Vec<f64>, f64)>,
}

/// Receives the answer for a time, by the number of the time; times come in their order.
pub(crate) type Receive<'r> = &'r mut dyn FnMut(usize, At) -> Result<(), Error>;

/// How the answers were found.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Steps {
    /// Steps taken.
    pub(crate) taken: u64,
    /// Steps that the last time has weights for.
    pub(crate) planned: u64,
    /// From which step on the limit stood for the rest.
    pub(crate) settled: Option<u64>,
}

/// As [`vectors_at_within`], for a few times, whose sums are not counted against a budget.
pub(crate) fn vectors_at(
    chain: &Uniformised<'_>,
    start: Vec<f64>,
    asked: &Asked<'_>,
    find_limit: Option<FindLimit<'_>>,
    watch: &mut Watch<'_>,
    receive: Receive<'_>,
) -> Result<Steps, Error> {
    let budget = MemoryBudget::new(&Limits { memory: u64::MAX, ..Limits::default() });
    vectors_at_within(budget, Clock::Steady(chain), start, asked, find_limit, watch, receive)
}

/// The vectors at some times from the vector at time zero, which is in the order of the states. Every answer
/// is handed over when it is there. The budget is for the sums of times whose weights overlap.
///
/// # Errors
/// It takes more steps than asked for, rounding may lose more than the tolerance, or a limit was reached.
pub(crate) fn vectors_at_within(
    budget: MemoryBudget,
    clock: Clock<'_>,
    start: Vec<f64>,
    asked: &Asked<'_>,
    find_limit: Option<FindLimit<'_>>,
    watch: &mut Watch<'_>,
    receive: Receive<'_>,
) -> Result<Steps, Error> {
    let Some(&last_time) = asked.times.last() else { return Ok(Steps::default()) };
    let chain = clock.chain(0);
    if chain.rate() == 0.0 || last_time == 0.0 {
        return at_rest(&start, asked, receive);
    }
    let planned = clock.planned(last_time, asked.tolerance);
    if planned > asked.most_steps {
        return Err(Refused::too_many_steps(planned, asked.most_steps).into());
    }
    let states = start.len();
    let powers = Powers::new(chain, start, find_limit);
    let sum = vec![0.0; if asked.integrals { states } else { 0 }];
    Pass { powers, clock, asked, budget, planned, next: 0, upcoming: None, open: VecDeque::new(), sum }
        .run(watch, receive)
}

/// Where nothing ever changes.
fn at_rest(start: &[f64], asked: &Asked<'_>, receive: Receive<'_>) -> Result<Steps, Error> {
    for (number, &time) in asked.times.iter().enumerate() {
        let integral = asked.integrals.then(|| {
            (
                start.iter().map(|value| value * time).collect(),
                4.0 * UNIT * time * f64::max(1.0, sum_of(start)),
            )
        });
        receive(number, At { vector: start.to_vec(), error: 4.0 * UNIT * sum_of(start), integral })?;
    }
    Ok(Steps::default())
}

fn sum_of(values: &[f64]) -> f64 {
    values.iter().map(|value| value.abs()).sum()
}

/// A time whose sums are being made.
struct Open {
    time: f64,
    weights: Weights,
    vector: Vec<f64>,
    integral: Vec<f64>,
}

/// One pass over the steps.
struct Pass<'c, 'f, 'a> {
    powers: Powers<'c, 'f>,
    clock: Clock<'c>,
    asked: &'a Asked<'a>,
    budget: MemoryBudget,
    planned: u64,
    /// The number of times that have been handed over.
    next: usize,
    /// The weights of the next time that is not open yet.
    upcoming: Option<Weights>,
    open: VecDeque<Open>,
    /// The integral until this step, as far as the steps before are all taken: the sum of their vectors, each
    /// times its expected time. Only where integrals are wanted.
    sum: Vec<f64>,
}

impl Pass<'_, '_, '_> {
    fn run(mut self, watch: &mut Watch<'_>, receive: Receive<'_>) -> Result<Steps, Error> {
        loop {
            self.open_times(watch)?;
            // The next vector is settled, too, if this one is, so this one is still added.
            if let Some(settled) = self.powers.settled(self.planned, self.asked.tolerance / 2.0, watch)? {
                self.powers.look(self.planned, watch)?;
                return self.finish(&settled, watch, receive);
            }
            self.add();
            self.hand_over(watch, receive)?;
            if self.next == self.asked.times.len() {
                let taken = self.powers.steps();
                return Ok(Steps { taken, planned: self.planned, settled: None });
            }
            if self.powers.steps() as f64 * self.step_error() > self.asked.tolerance {
                return Err(self.unattainable());
            }
            self.powers.go_on_with(self.clock.chain(self.powers.steps()));
            self.powers.advance(self.planned, watch)?;
        }
    }

    fn step_error(&self) -> f64 {
        self.powers.chain().step_error()
    }

    /// The error of a pass that goes on to the last time.
    fn unattainable(&self) -> Error {
        let attainable = 1.5 * self.planned as f64 * self.step_error() * self.powers.scale();
        Refused::unattainable(self.asked.tolerance * self.powers.scale(), attainable).into()
    }

    /// Opens the times whose weights begin at this step.
    fn open_times(&mut self, watch: &mut Watch<'_>) -> Result<(), Error> {
        let step = self.powers.steps();
        while let Some(weights) = self.weights_of_next(watch)? {
            if weights.first() > step {
                self.upcoming = Some(weights);
                return Ok(());
            }
            let vectors = self.open.len() * if self.sum.is_empty() { 1 } else { 2 };
            self.budget.check(8 * (vectors * self.powers.vector().len()) as u64)?;
            let time = self.asked.times[self.next + self.open.len()];
            let integral = self.sum.clone();
            let vector = vec![0.0; self.powers.vector().len()];
            self.open.push_back(Open { time, weights, vector, integral });
        }
        Ok(())
    }

    /// The weights of the next time that is not open yet.
    fn weights_of_next(&mut self, watch: &mut Watch<'_>) -> Result<Option<Weights>, Error> {
        if let Some(weights) = self.upcoming.take() {
            return Ok(Some(weights));
        }
        let Some(&time) = self.asked.times.get(self.next + self.open.len()) else { return Ok(None) };
        self.clock.weights(time, self.asked.tolerance, self.budget, watch).map(Some)
    }

    /// Adds the vector of this step to the sums, block by block, so that a block is read once for all times.
    fn add(&mut self) {
        let (step, vector) = (self.powers.steps(), self.powers.vector());
        let share = self.clock.time_of_step(step);
        let factors: Vec<[f64; 2]> = self
            .open
            .iter()
            .map(|open| [open.weights.weight(step), open.weights.after(step) * share])
            .collect();
        for block in blocks(vector.len()) {
            let values = &vector[block.clone()];
            for (open, [weight, after]) in self.open.iter_mut().zip(&factors) {
                add(*weight, values, &mut open.vector[block.clone()]);
                if !open.integral.is_empty() {
                    add(*after, values, &mut open.integral[block.clone()]);
                }
            }
            if !self.sum.is_empty() {
                add(share, values, &mut self.sum[block]);
            }
        }
    }

    /// Hands over the times whose weights end at this step.
    fn hand_over(&mut self, watch: &mut Watch<'_>, receive: Receive<'_>) -> Result<(), Error> {
        while self.open.front().is_some_and(|open| open.weights.last() <= self.powers.steps()) {
            self.powers.look(self.planned, watch)?;
            if let Some(open) = self.open.pop_front() {
                self.give(open, None, receive)?;
            }
        }
        Ok(())
    }

    /// Lets the limit stand for this vector and all later ones.
    fn finish(
        mut self,
        settled: &Settled,
        watch: &mut Watch<'_>,
        receive: Receive<'_>,
    ) -> Result<Steps, Error> {
        let step = settled.at;
        while self.next < self.asked.times.len() {
            let open = match self.open.pop_front() {
                Some(mut open) => {
                    let (rest, rest_of_time) = rest_of(&self.clock, &open.weights, step);
                    add(rest, settled.limit(), &mut open.vector);
                    if !open.integral.is_empty() {
                        add(rest_of_time, settled.limit(), &mut open.integral);
                    }
                    open
                }
                None => self.all_settled(settled, watch)?,
            };
            self.give(open, Some(settled), receive)?;
        }
        Ok(Steps { taken: step, planned: self.planned, settled: Some(step) })
    }

    /// A time whose weights all come after the limit stands for all vectors.
    fn all_settled(&mut self, settled: &Settled, watch: &mut Watch<'_>) -> Result<Open, Error> {
        let time = self.asked.times[self.next];
        let rest = (time - self.clock.time_of(settled.at)).max(0.0);
        let sums = self.sum.iter().zip(settled.limit());
        let integral = sums.map(|(sum, limit)| sum + limit * rest).collect();
        let weights = self.weights_of_next(watch)?;
        let weights = weights.unwrap_or_else(|| unreachable!("there is another time"));
        Ok(Open { time, weights, vector: settled.limit().to_vec(), integral })
    }

    /// Hands over one time with its errors.
    fn give(&mut self, open: Open, settled: Option<&Settled>, receive: Receive<'_>) -> Result<(), Error> {
        let chain = self.powers.chain();
        let Open { time, weights, mut vector, mut integral } = open;
        let error = error(chain, &weights, settled);
        let scale = self.powers.scale();
        if error > self.asked.tolerance {
            let attainable = 1.1 * f64::max(error, self.planned as f64 * chain.step_error());
            return Err(Refused::unattainable(self.asked.tolerance * scale, attainable * scale).into());
        }
        chain.reorder(&mut vector);
        chain.reorder(&mut integral);
        let of_integral = error_of_integral(chain, time, &weights, settled) * scale;
        let integral = self.asked.integrals.then_some((integral, of_integral));
        let number = self.next;
        self.next += 1;
        receive(number, At { vector, error: error * scale, integral })
    }
}

/// The weights of a step and all after it, and the sum of what each of these steps has in an integral.
fn rest_of(clock: &Clock<'_>, weights: &Weights, step: u64) -> (f64, f64) {
    let steps = step..=weights.last();
    let (mut rest, mut of_time) = (0.0, 0.0);
    for step in steps.rev() {
        rest += weights.weight(step);
        of_time += weights.after(step) * clock.time_of_step(step);
    }
    (rest, of_time)
}

fn add(weight: f64, values: &[f64], sums: &mut [f64]) {
    if weight != 0.0 {
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += weight * value);
    }
}

/// A bound on the error of a vector of norm one at a time: of the weights, of their sum, of all steps, and of
/// the limit.
pub(super) fn error(chain: &Uniformised<'_>, weights: &Weights, settled: Option<&Settled>) -> f64 {
    let terms = (weights.last() - weights.first() + 4) as f64;
    weights.error() + terms * UNIT + error_of_steps(chain, weights, settled)
}

/// A bound on the error of the vectors by which the weights are multiplied.
fn error_of_steps(chain: &Uniformised<'_>, weights: &Weights, settled: Option<&Settled>) -> f64 {
    let steps = settled.map_or(weights.mean(), |settled| weights.mean().min(settled.at as f64));
    let of_limit = settled.map_or(0.0, |settled| {
        if weights.last() >= settled.at { settled.distance(weights.last()) } else { 0.0 }
    });
    steps * chain.step_error() + of_limit
}

/// A bound on the error of an integral over a time.
pub(super) fn error_of_integral(
    chain: &Uniformised<'_>,
    time: f64,
    weights: &Weights,
    settled: Option<&Settled>,
) -> f64 {
    let terms = settled.map_or(weights.last(), |settled| weights.last().min(settled.at)) as f64 + 4.0;
    time * (error_of_steps(chain, weights, settled) + terms * UNIT) + weights.error_of_time()
}
