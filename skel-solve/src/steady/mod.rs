//! The steady state: the distribution `pi` with `pi Q = 0` and sum one.
//!
//! The chain is classified first. Transient states have probability zero; with one recurrent class its own chain
//! is solved; with several there is no one answer, and the error says where runs end. What then has an answer is
//! the long run from the initial state, [`StateSpace::long_run`].
//!
//! | method | for | cost | accuracy |
//! |---|---|---|---|
//! | `gth` in fractions | exact answers | `n^3` operations on growing fractions | exact, and verified |
//! | `gth` in `f64` | up to [`Options::direct_up_to`] states | `n^3 / 3` | every digit but the last few, also for stiff chains: it never subtracts |
//! | `bicgstab` with ILU(0) | larger chains | some tens of products with Q | the tolerance |
//! | `gauss_seidel`, damped | where that stagnates | hundreds of sweeps | the tolerance |
//!
//! A stop is by the residual of what is reported, never by the difference of two iterates. A method that
//! stagnates hands over to the next, and the report says so.

mod bicgstab;
mod gauss_seidel;
mod gth;
mod long_run;

use std::time::{Duration, Instant};

use num_traits::Zero;

use skel_core::model::Model;
use skel_core::number::{Number, Ratio};

use crate::chain::Generator;
use crate::classify::{self, Classification, classify, describe_classes};
use crate::error::{Classes, Error, NotConverged, Reached, Stopped};
use crate::limits::{Limit, Limits, Progress, Watch};
use crate::space::StateSpace;
use long_run::{Chain, afford};

/// The bytes that the vectors of an iterative method take for each state: nine of BiCGSTAB, its start, and two lists
/// of places in ILU(0).
const ITERATION: u64 = 12 * 8;

/// How to solve in `f64`.
///
/// # Examples
/// ```
/// use skel::prelude::*;
/// use skel::steady::Options;
/// let space = Model::from_text("E = (arrive, 1).F; F = (serve, 3).E; E[5]")?.explore()?;
/// let options = Options { tolerance: 1e-9, direct_up_to: 0 };
/// let pi = space.steady_state_within(&Limits::default(), &options)?;
/// assert!(pi.report().iterations > 0 && pi.report().residual < 1e-8);
/// # Ok::<(), skel::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Iterative methods stop at `||pi Q||_inf <= tolerance * ||Q||_inf * ||pi||_inf`.
    pub tolerance: f64,
    /// Chains up to this many states are solved directly.
    pub direct_up_to: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { tolerance: 1e-12, direct_up_to: 400 }
    }
}

/// The name of the direct method in reports.
const DIRECT: &str = "direct (GTH elimination)";

/// How a solution was obtained, and how good it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The method that gave the answer; where several chains were solved, an iterative one if there was one.
    pub method: &'static str,
    /// Its iterations, of all chains together; 0 for a direct method.
    pub iterations: u64,
    /// `||pi Q||_inf / ||Q||_inf` of the answer, the largest of all chains; exactly 0 for an exact one, which is verified.
    pub residual: f64,
    /// The time for classifying and solving.
    pub solved_in: Duration,
    /// Methods that were tried before and handed over, with what they reached.
    pub handed_over: Vec<String>,
}

/// A steady state of the model `M`, or its distribution in the long run, in `f64` or in exact fractions. Measures
/// are in [`crate::measure`].
pub struct SteadyState<M: ?Sized, N> {
    pub(crate) space: StateSpace<M>,
    pub(crate) probabilities: Vec<N>,
    /// Per action the throughput.
    pub(crate) throughputs: Vec<N>,
    classification: Classification,
    report: Report,
}

impl<M: ?Sized, N: Number> std::fmt::Debug for SteadyState<M, N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SteadyState({:?}, {:?})", self.space, self.report)
    }
}

impl<M: ?Sized, N: Number> SteadyState<M, N> {
    /// The same for the model of a space.
    pub(crate) fn typed<T: ?Sized>(self, space: &StateSpace<T>) -> SteadyState<T, N> {
        let SteadyState { probabilities, throughputs, classification, report, .. } = self;
        SteadyState { space: space.clone(), probabilities, throughputs, classification, report }
    }

    /// The states that the probabilities belong to.
    #[must_use]
    pub fn space(&self) -> &StateSpace<M> {
        &self.space
    }

    /// The probability of each state, in the order of the states.
    #[must_use]
    pub fn probabilities(&self) -> &[N] {
        &self.probabilities
    }

    /// How the solution was obtained, and how good it is.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// let space = Model::from_text("E = (arrive, 1).F; F = (serve, 3).E; E")?.explore()?;
    /// let pi = space.steady_state_exact()?;
    /// assert_eq!((pi.report().iterations, pi.report().residual), (0, 0.0));
    /// assert!(pi.report().method.contains("exact"));
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Recurrent classes, transient states and deadlocks.
    #[must_use]
    pub fn classification(&self) -> &Classification {
        &self.classification
    }

    /// For each recurrent class, in the order of [`Self::classification`], the probability that a run from the
    /// initial state ends there.
    #[must_use]
    pub fn class_probabilities(&self) -> Vec<N> {
        let probability = |&state: &u32| self.probabilities[state as usize].clone();
        let classes = self.classification.recurrent.iter();
        classes
            .map(|states| states.iter().map(probability).fold(N::zero(), |sum, value| sum + value))
            .collect()
    }
}

/// An iterative method for the steady state of an irreducible chain.
trait Method {
    /// Its name in reports.
    fn name(&self) -> &'static str;

    /// Improves `pi` until its residual is below the tolerance, or it gets no further.
    fn solve(
        &self,
        generator: &Generator<f64>,
        pi: &mut [f64],
        options: &Options,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(), Halt>;
}

/// Why an iterative method ended without an answer.
enum Halt {
    Limit(Limit),
    /// [`Limits::iterations`]; the next method has as many.
    Iterations,
    /// It got no further; the next method may.
    Stagnated,
}

/// Counts iterations and watches the limits.
struct Iterations<'w, 'l> {
    watch: &'w mut Watch<'l>,
    most: u64,
    done: u64,
    residual: f64,
}

impl Iterations<'_, '_> {
    /// Counts one iteration that reached a residual.
    fn count(&mut self, residual: f64) -> Result<(), Halt> {
        self.done += 1;
        self.residual = residual;
        let progress = Progress::Iterating { iterations: self.done, residual };
        self.watch.check(|| progress).map_err(Halt::Limit)?;
        if self.done >= self.most { Err(Halt::Iterations) } else { Ok(()) }
    }

    /// Watches the limits before the first iteration.
    fn look(&mut self) -> Result<(), Halt> {
        self.watch.check(|| Progress::Preparing).map_err(Halt::Limit)
    }
}

/// What is asked of a chain with several recurrent classes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Question {
    /// The steady state: there is none.
    SteadyState,
    /// The distribution in the long run, from the initial state.
    LongRun,
}

/// Solves in `f64`.
pub(crate) fn in_floats(
    question: Question,
    space: &StateSpace,
    limits: &Limits,
    options: &Options,
) -> Result<SteadyState<Model, f64>, Error> {
    let started = Instant::now();
    let mut watch = Watch::start(limits);
    let classification = classified(question, space, limits)?;
    let mut report = Report {
        method: DIRECT,
        iterations: 0,
        residual: 0.0,
        solved_in: Duration::ZERO,
        handed_over: Vec::new(),
    };
    let chain = Chain {
        space,
        classification: &classification,
        rates: space.rates(),
        limits,
        direct_up_to: options.direct_up_to,
        beside: 0,
    };
    let probabilities = chain.distribution(&mut watch, |generator, watch| {
        let pi = match generator.states() <= options.direct_up_to {
            true => gth::solve(generator, watch)?,
            false => iterate(generator, limits, options, watch, &mut report)?,
        };
        report.residual = report.residual.max(generator.residual(&pi));
        Ok(pi)
    })?;
    let throughputs = throughputs(space, &probabilities, space.rates());
    report.solved_in = started.elapsed();
    Ok(SteadyState { space: space.clone(), probabilities, throughputs, classification, report })
}

/// Solves in exact fractions, and verifies that `pi Q` is exactly zero.
pub(crate) fn in_fractions(
    question: Question,
    space: &StateSpace,
    limits: &Limits,
) -> Result<SteadyState<Model, Ratio>, Error> {
    let started = Instant::now();
    let mut watch = Watch::start(limits);
    let classification = classified(question, space, limits)?;
    let beside = space.transitions() as u64 * size_of::<Ratio>() as u64;
    afford(space, limits, beside)?;
    let rates = space.rates_in::<Ratio, _>(|| prepare(&mut watch))?;
    let chain = Chain {
        space,
        classification: &classification,
        rates: &rates,
        limits,
        direct_up_to: usize::MAX,
        beside,
    };
    let probabilities = chain.distribution(&mut watch, |generator, watch| {
        let pi = gth::solve(generator, watch)?;
        let is_solved = generator.left_product(&pi).iter().all(Zero::is_zero);
        assert!(is_solved, "an exact solution solves the equations");
        Ok(pi)
    })?;
    let throughputs = throughputs(space, &probabilities, &rates);
    let report = Report {
        method: "exact (GTH elimination in rationals)",
        iterations: 0,
        residual: 0.0,
        solved_in: started.elapsed(),
        handed_over: Vec::new(),
    };
    Ok(SteadyState { space: space.clone(), probabilities, throughputs, classification, report })
}

/// The classification of a chain, if the question has an answer.
fn classified(question: Question, space: &StateSpace, limits: &Limits) -> Result<Classification, Error> {
    afford(space, limits, classify::memory(space))?;
    let classification = classify(space);
    if question == Question::LongRun || classification.recurrent.len() == 1 {
        return Ok(classification);
    }
    Err(Error::SeveralRecurrentClasses(Classes {
        count: classification.recurrent.len(),
        lines: describe_classes(space, &classification),
    }))
}

/// Watches the limits while the equations are set up.
fn prepare(watch: &mut Watch<'_>) -> Result<(), Error> {
    let stopped = |limit| Error::Stopped(Stopped { limit, reached: Reached::Preparing });
    watch.check(|| Progress::Preparing).map_err(stopped)
}

/// Tries the iterative methods in turn.
fn iterate(
    generator: &Generator<f64>,
    limits: &Limits,
    options: &Options,
    watch: &mut Watch<'_>,
    report: &mut Report,
) -> Result<Vec<f64>, Error> {
    let methods: [&dyn Method; 2] = [&bicgstab::BiCgStab, &gauss_seidel::GaussSeidel];
    let mut tried = Vec::new();
    let mut pi = vec![1.0 / generator.states() as f64; generator.states()];
    for method in methods {
        let mut budget =
            Iterations { watch: &mut *watch, most: limits.iterations, done: 0, residual: f64::INFINITY };
        let outcome = method.solve(generator, &mut pi, options, &mut budget);
        let (done, residual) = (budget.done, budget.residual);
        match outcome {
            Ok(()) => {
                report.method = method.name();
                report.iterations += done;
                report.handed_over.extend(tried);
                return Ok(pi);
            }
            Err(Halt::Limit(limit)) => {
                let reached = Reached::Iterating { iterations: done, residual };
                return Err(Error::Stopped(Stopped { limit, reached }));
            }
            Err(Halt::Iterations) => {
                let most = limits.iterations;
                tried.push(format!(
                    "{} reached the limit of {most} iterations at the residual {residual:.1e}",
                    method.name()
                ));
            }
            Err(Halt::Stagnated) => {
                tried.push(format!(
                    "{} ended at the residual {residual:.1e} after {done} iterations",
                    method.name()
                ));
            }
        }
    }
    Err(Error::NotConverged(NotConverged { tolerance: options.tolerance, tried }))
}

/// Scales to sum one: an iterate is any multiple of the answer, a negative one too. Rounding may then leave
/// negatives of the order of 1e-20; they are set to zero here, so before the residual that is reported is taken.
fn normalise(pi: &mut [f64]) {
    let sum: f64 = pi.iter().sum();
    pi.iter_mut().for_each(|value| *value = (*value / sum).max(0.0));
    let sum: f64 = pi.iter().sum();
    pi.iter_mut().for_each(|value| *value /= sum);
}

/// The residual relative to the largest probability: what the tolerance is compared with.
fn scaled_residual(generator: &Generator<f64>, pi: &[f64]) -> f64 {
    let largest = pi.iter().copied().fold(0.0, f64::max);
    generator.residual(pi) / largest
}

fn throughputs<N: Number>(space: &StateSpace, probabilities: &[N], rates: &[N]) -> Vec<N> {
    let mut sums = vec![N::zero(); space.model().actions().len()];
    for (state, probability) in probabilities.iter().enumerate().filter(|(_, value)| !value.is_zero()) {
        for at in space.row(state) {
            let sum = &mut sums[space.transition(at).0.index()];
            *sum = sum.clone() + probability.clone() * rates[at].clone();
        }
    }
    let Some(lumping) = space.lumping() else { return sums };
    let share = |(action, _)| {
        let equivalent = Ratio::from_integer(lumping.equivalent_actions(action).into());
        sums[lumping.representative(action).index()].clone() / N::from_ratio(&equivalent)
    };
    space.model().actions().map(share).collect()
}
