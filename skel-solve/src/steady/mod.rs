//! The steady state: the distribution `pi` with `pi Q = 0` and sum one.
//!
//! The chain is classified first. Transient states have probability zero; with one recurrent class its own chain
//! is solved; with several there is no one answer, and the error says where runs end.
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

use std::time::{Duration, Instant};

use num_traits::Zero;

use skel_core::model::Model;
use skel_core::number::{Number, Ratio};

use crate::chain::Generator;
use crate::classify::{self, Classification, classify, describe_classes};
use crate::error::{Classes, Error, NotConverged, Reached, Stopped};
use crate::limits::{Limit, Limits, Progress, Watch};
use crate::space::StateSpace;

/// The bytes that the vectors of an iterative method take for each state: nine of BiCGSTAB, its start, and two lists
/// of places in ILU(0).
const ITERATION: u64 = 12 * 8;

/// How to solve in `f64`.
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

/// How a solution was obtained, and how good it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The method that gave the answer.
    pub method: &'static str,
    /// Its iterations; 0 for a direct method.
    pub iterations: u64,
    /// `||pi Q||_inf / ||Q||_inf` of the answer; exactly 0 for an exact one, which is verified.
    pub residual: f64,
    /// The time for classifying and solving.
    pub solved_in: Duration,
    /// Methods that were tried before and handed over, with what they reached.
    pub handed_over: Vec<String>,
}

/// A steady state of the model `M`, in `f64` or in exact fractions. Measures are in [`crate::measure`].
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
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Recurrent classes, transient states and deadlocks.
    #[must_use]
    pub fn classification(&self) -> &Classification {
        &self.classification
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

/// Solves in `f64`.
pub(crate) fn steady_state(
    space: &StateSpace,
    limits: &Limits,
    options: &Options,
) -> Result<SteadyState<Model, f64>, Error> {
    let started = Instant::now();
    let mut watch = Watch::start(limits);
    let (classification, states) = recurrent_states(space, limits)?;
    let mut report = Report {
        method: "direct (GTH elimination)",
        iterations: 0,
        residual: 0.0,
        solved_in: Duration::ZERO,
        handed_over: Vec::new(),
    };
    let is_direct = states.len() <= options.direct_up_to;
    afford(space, limits, equations::<f64>(space, &states, is_direct))?;
    let generator = Generator::restricted(space, space.rates(), &states, || prepare(&mut watch))?;
    let pi = if is_direct {
        gth::solve(&generator, &mut watch)?
    } else {
        iterate(&generator, limits, options, &mut watch, &mut report)?
    };
    report.residual = generator.residual(&pi);
    let probabilities = spread(pi, &states, space.states());
    let throughputs = throughputs(space, &probabilities, space.rates());
    report.solved_in = started.elapsed();
    Ok(SteadyState { space: space.clone(), probabilities, throughputs, classification, report })
}

/// Solves in exact fractions, and verifies that `pi Q` is exactly zero.
pub(crate) fn steady_state_exact(
    space: &StateSpace,
    limits: &Limits,
) -> Result<SteadyState<Model, Ratio>, Error> {
    let started = Instant::now();
    let mut watch = Watch::start(limits);
    let (classification, states) = recurrent_states(space, limits)?;
    let rates = space.transitions() as u64 * size_of::<Ratio>() as u64;
    afford(space, limits, equations::<Ratio>(space, &states, true).saturating_add(rates))?;
    let rates = space.rates_in::<Ratio, _>(|| prepare(&mut watch))?;
    let generator = Generator::restricted(space, &rates, &states, || prepare(&mut watch))?;
    let pi = gth::solve(&generator, &mut watch)?;
    assert!(generator.left_product(&pi).iter().all(Zero::is_zero), "an exact solution solves the equations");
    let probabilities = spread(pi, &states, space.states());
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

/// The states of the one recurrent class.
fn recurrent_states(space: &StateSpace, limits: &Limits) -> Result<(Classification, Vec<u32>), Error> {
    afford(space, limits, classify::memory(space))?;
    let classification = classify(space);
    if let [states] = classification.recurrent.as_slice() {
        let states = states.clone();
        return Ok((classification, states));
    }
    Err(Error::SeveralRecurrentClasses(Classes {
        count: classification.recurrent.len(),
        lines: describe_classes(space, &classification),
    }))
}

/// The bytes that a generator over some states takes together with what its solution needs beside it.
fn equations<N: Number>(space: &StateSpace, states: &[u32], is_direct: bool) -> u64 {
    let count = states.len() as u64;
    let entries = Generator::<N>::most_entries(space, states) as u64;
    let matrix = entries * (size_of::<u32>() + size_of::<N>()) as u64 + count * 8;
    // The numbers of the states, the probabilities and their products; the class beside the classification.
    let vectors = space.states() as u64 * (4 + 2 * size_of::<N>()) as u64 + count * 8;
    let method = if is_direct { gth::memory::<N>(states.len()) } else { 2 * matrix + count * ITERATION };
    (matrix + vectors).saturating_add(method)
}

/// Refuses to start what would not fit beside the state space.
fn afford(space: &StateSpace, limits: &Limits, bytes: u64) -> Result<(), Error> {
    if space.memory().saturating_add(bytes) > limits.memory {
        let limit = Limit::Memory(limits.memory);
        return Err(Error::Stopped(Stopped { limit, reached: Reached::Preparing }));
    }
    Ok(())
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
                report.iterations = done;
                report.handed_over = tried;
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

fn spread<N: Number>(pi: Vec<N>, states: &[u32], count: usize) -> Vec<N> {
    let mut probabilities = vec![N::zero(); count];
    for (value, &state) in pi.into_iter().zip(states) {
        probabilities[state as usize] = value;
    }
    probabilities
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
