//! TR-BDF2: a step of the trapezoidal rule and one of the second backward differentiation formula, for stiff
//! chains and long times.
//!
//! Explicit methods take steps no longer than the shortest sojourn. This one is L-stable, so its steps follow
//! what still changes: fast states are in balance after a few steps. With `g = 2 - sqrt(2)`, both stages
//! solve systems of one matrix, `I - (g/2) h A` with `A` the transposed generator. (R. Bank and others, *IEEE
//! Transactions on Electron Devices* 32, 1985; for chains A. Reibman and K. Trivedi, *Computers & Operations
//! Research* 15, 1988.)
//!
//! The error of a step is estimated by an embedded formula of third order, and the length of the next follows
//! from it. Neither the chain nor the inverse of that matrix makes a vector longer in the sum norm. So all
//! these errors, and what each system is solved to, add up to the error of the answer at most, if each is
//! estimated well. That isn't proved, so the result is an estimate.
//!
//! Cost: two or three systems a step, each by GMRES with incomplete factors. Memory: the factors and some
//! forty vectors.

mod system;

use crate::error::Error;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Progress, Reached, Stopped, Watch};
use crate::operator::TriangularSweep;
use crate::over_time::uniformisation::vectors::{Asked, At, Receive};
use crate::refused::Refused;
use crate::vector::total;
use system::System;

/// `2 - sqrt(2)`: the part of a step that the trapezoidal rule makes.
const FIRST: f64 = 2.0 - std::f64::consts::SQRT_2;

/// The share of the error that one step may make.
const SHARE_OF_STEP: f64 = 1e-4;

/// The distributions at some times; as [`vectors_at`](crate::over_time::uniformisation::vectors::vectors_at).
/// Returns the number of steps.
pub(super) fn vectors_at(
    chain: &dyn TriangularSweep,
    start: Vec<f64>,
    asked: &Asked<'_>,
    budget: MemoryBudget,
    watch: &mut Watch<'_>,
    receive: Receive<'_>,
) -> Result<u64, Error> {
    budget.check(System::memory(chain) + 8 * 10 * start.len() as u64)?;
    let longest = asked.times.last().copied().unwrap_or(0.0);
    let fastest = chain.exits().iter().copied().fold(0.0, f64::max);
    let integral = vec![0.0; if asked.integrals { start.len() } else { 0 }];
    let mut run = Run { chain, now: 0.0, vector: start, integral, error: 0.0, integral_error: 0.0, steps: 0 };
    let mut length = (0.01 / fastest).min(longest);
    for (number, &time) in asked.times.iter().enumerate() {
        while run.now < time {
            length = run.advance(length, time, asked, watch)?;
            if run.error > asked.tolerance {
                let attainable = run.error * f64::max(2.0, longest / run.now);
                return Err(Refused::unattainable(asked.tolerance, attainable.min(1.0)).into());
            }
        }
        let integral = asked.integrals.then(|| (run.integral.clone(), run.integral_error));
        receive(number, At { vector: run.vector.clone(), error: run.error, integral })?;
    }
    Ok(run.steps)
}

/// Where the chain is by now.
struct Run<'c> {
    chain: &'c dyn TriangularSweep,
    now: f64,
    vector: Vec<f64>,
    integral: Vec<f64>,
    error: f64,
    integral_error: f64,
    steps: u64,
}

/// What a step of some length would lead to.
struct Step {
    middle: Vec<f64>,
    end: Vec<f64>,
    error: f64,
    /// What the step adds to the error of the integral, beside that of the vectors.
    integral_error: f64,
}

impl Run<'_> {
    /// Takes steps of one length, a power of two of the last, until another is better or the time is reached;
    /// the next length.
    fn advance(
        &mut self,
        length: f64,
        until: f64,
        asked: &Asked<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<f64, Error> {
        let left = until - self.now;
        let is_last = length >= left * (1.0 - 1e-12);
        let taken = if is_last { left } else { length };
        let allowed = SHARE_OF_STEP * asked.tolerance;
        let mut system = System::new(self.chain, FIRST / 2.0 * taken, watch)?;
        loop {
            let steps = self.steps;
            watch.check(|| Progress::Stepping { steps, of: asked.most_steps }).map_err(|limit| Stopped {
                limit,
                reached: Reached::Stepping { steps, of: asked.most_steps },
            })?;
            if steps >= asked.most_steps {
                return Err(Refused::too_many_steps(steps + 1, asked.most_steps).into());
            }
            let step = self.step(&mut system, taken, allowed / 10.0, watch)?;
            // An average is over the time so far.
            let made = step.error + step.integral_error / (self.now + taken);
            // A step that is too long is made shorter, unless it is at the end of what rounding allows.
            if made > allowed && taken > until * 1e-14 {
                return Ok(taken * (0.9 * (allowed / made).cbrt()).clamp(0.1, 0.5));
            }
            let growth = 0.9 * (allowed / made.max(1e-300)).cbrt();
            self.accept(step, taken);
            if is_last {
                self.now = until;
                return Ok(length * growth.clamp(0.5, 2.0));
            }
            self.now += taken;
            if growth > 2.0 {
                return Ok(taken * growth.min(4.0));
            }
            if until - self.now < taken {
                return Ok(taken);
            }
        }
    }

    /// The derivative `x Q`.
    fn derivative(&self, x: &[f64]) -> Vec<f64> {
        let mut net = vec![0.0; x.len()];
        self.chain.inflow(x, &mut net);
        let out = x.iter().zip(self.chain.exits());
        net.iter_mut().zip(out).for_each(|(net, (value, exit))| *net -= value * exit);
        net
    }

    fn step(
        &self,
        system: &mut System<'_>,
        length: f64,
        tolerance: f64,
        watch: &mut Watch<'_>,
    ) -> Result<Step, Error> {
        let slope = self.derivative(&self.vector);
        let half = FIRST / 2.0 * length;
        let right: Vec<f64> =
            self.vector.iter().zip(&slope).map(|(value, slope)| value + half * slope).collect();
        let (middle, first) = system.solve(&right, self.vector.clone(), tolerance, watch)?;
        let of_middle = 1.0 / (FIRST * (2.0 - FIRST));
        let of_start = (1.0 - FIRST).powi(2) * of_middle;
        let both = middle.iter().zip(&self.vector);
        let right: Vec<f64> = both.map(|(middle, start)| of_middle * middle - of_start * start).collect();
        let (end, second) = system.solve(&right, middle.clone(), tolerance, watch)?;
        let (at_middle, at_end) = (self.derivative(&middle), self.derivative(&end));
        let factor = 2.0 * length * (-3.0 * FIRST * FIRST + 4.0 * FIRST - 2.0) / (12.0 * (2.0 - FIRST));
        let slopes = slope.iter().zip(&at_middle).zip(&at_end);
        let defect: Vec<f64> = slopes
            .map(|((start, middle), end)| {
                factor * (start / FIRST - middle / (FIRST * (1.0 - FIRST)) + end / (1.0 - FIRST))
            })
            .collect();
        // The defect of fast states is far larger than their error, which the system takes out.
        let (error, third) = system.solve(&defect, vec![0.0; defect.len()], tolerance, watch)?;
        let error = error.iter().map(|value| value.abs()).sum::<f64>();
        let integral_error = if self.integral.is_empty() {
            0.0
        } else {
            let values = self.vector.iter().zip(&middle).zip(&end);
            let defects = values.map(|((start, middle), end)| {
                start / FIRST - middle / (FIRST * (1.0 - FIRST)) + end / (1.0 - FIRST)
            });
            defects.map(f64::abs).sum::<f64>() * factor.abs()
        };
        Ok(Step { middle, end, error: error + of_middle * first + second + third, integral_error })
    }

    fn accept(&mut self, step: Step, length: f64) {
        let of_middle = 1.0 / (FIRST * (2.0 - FIRST));
        let of_start = (1.0 - FIRST).powi(2) * of_middle;
        let half = FIRST / 2.0 * length;
        for (state, integral) in self.integral.iter_mut().enumerate() {
            let (start, middle, end) = (self.vector[state], step.middle[state], step.end[state]);
            let at_middle = *integral + half * (start + middle);
            *integral = of_middle * at_middle - of_start * *integral + half * end;
        }
        self.vector = step.end;
        let below: f64 = self.vector.iter().map(|value| value.min(0.0).abs()).sum();
        self.vector.iter_mut().for_each(|value| *value = value.max(0.0));
        let sum = total(&self.vector);
        self.vector.iter_mut().for_each(|value| *value /= sum);
        self.error += step.error + below + (1.0 - sum).abs();
        self.integral_error += step.integral_error + length * self.error;
        self.steps += 1;
    }
}
