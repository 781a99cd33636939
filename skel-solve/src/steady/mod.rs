//! The steady state: the distribution `pi` with `pi Q = 0` and sum one.
//!
//! The chain is classified first. Transient states have probability zero; with one recurrent class its own chain
//! is solved; with several there is no one answer, and the error says where runs end. What then has an answer is
//! the long run from the initial state, [`StateSpace::long_run`].
//!
//! | method | for | cost | accuracy |
//! |---|---|---|---|
//! | `gth` in fractions | exact answers | up to `n^3 / 3` operations on growing fractions | exact, and verified |
//! | `gth` in `f64` | up to [`Options::direct_up_to`] states | up to `n^3 / 3` | every digit but the last few, also for stiff chains: it never subtracts |
//! | `bicgstab` with ILU(0) | larger chains | some tens of products with Q | estimated, see below |
//! | `gauss_seidel`, damped | where that stagnates | hundreds of sweeps | estimated |
//! | aggregation, with either | parts joined by slow transitions alone | an elimination over the parts a round | the split between them to the last few digits |
//! | `gth` again | where the estimate is not good enough | what fits the memory, up to `1e11` multiplications | as above |
//!
//! What counts is the [defect](Report::defect) of each state's balance, relative to its own flow: a rate of `1e-6` is
//! as important as one of `1e6`. How far an answer with small defects may be from the right one depends on how fast
//! the chain forgets; `certainty` estimates it, and an iterative answer is given only where the estimate is within the tolerance. Where
//! no method gets there, [`Error::NotConverged`] says what each reached.

pub(crate) mod alone;
mod bicgstab;
mod certainty;
mod choice;
mod cuts;
mod equations;
mod gauss_seidel;
mod gth;
mod ilu;
mod iterate;
mod long_run;
mod ordering;
mod wide;

use std::time::{Duration, Instant};

use num_traits::Zero;

use skel_core::model::Model;
use skel_core::number::{Number, Ratio};

use crate::chain::largest;
use crate::classify::{self, Classification, classify, describe_classes};
use crate::error::{Classes, Error, NotConverged, Reached, Stopped};
use crate::limits::{Limits, Progress, Watch};
use crate::space::StateSpace;
use long_run::{Chain, afford};

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
    /// The worst relative error that the answer of an iterative method may have in a probability, and so in a
    /// throughput, as far as it can be estimated.
    pub tolerance: f64,
    /// Chains up to this many states are solved directly; larger ones only where iterating gives no answer within
    /// the tolerance. With 0 none is.
    pub direct_up_to: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { tolerance: 1e-10, direct_up_to: 400 }
    }
}

/// How a solution was obtained, and how good it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The method that gave the answer; where several chains were solved, an iterative one if there was one.
    pub method: &'static str,
    /// Its iterations, of all chains together; 0 for a direct method.
    pub iterations: u64,
    /// `||pi Q||_inf / ||Q||_inf` of the answer, the largest of all chains; exactly 0 for an exact one, which is verified.
    pub residual: f64,
    /// The worst relative defect of a state's balance: `|inflow - outflow| / outflow`, where a probability below
    /// `1e-280` counts as that; the largest of all chains; exactly 0 for an exact answer.
    pub defect: f64,
    /// The worst relative error of a probability, the largest of all chains: estimated for an iterative method, a rule of
    /// thumb for a direct one (a rounding for each state), exactly 0 for an exact answer.
    pub error: f64,
    /// The time for classifying and solving.
    pub solved_in: Duration,
    /// Methods that were tried before and handed over, with what they reached.
    pub handed_over: Vec<String>,
}

impl Report {
    /// Of a solution without iterations, before any chain is solved.
    fn of(method: &'static str) -> Report {
        Report {
            method,
            iterations: 0,
            residual: 0.0,
            defect: 0.0,
            error: 0.0,
            solved_in: Duration::ZERO,
            handed_over: Vec::new(),
        }
    }
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
    let mut report = Report::of(choice::DIRECT);
    let chain = Chain { space, classification: &classification, limits, direct_up_to: options.direct_up_to };
    let probabilities = chain.distribution(&mut watch, |generator, _, taken, watch| {
        let pi = choice::solve(generator, taken, limits, options, watch, &mut report)?;
        report.residual = largest([report.residual, generator.residual(&pi)].into_iter());
        report.defect = largest([report.defect, generator.defect(&pi)].into_iter());
        Ok(pi)
    })?;
    let is_tiny = |&probability: &f64| probability < f64::MIN_POSITIVE;
    let (throughputs, lost) =
        throughputs(space, &classification, &probabilities, is_tiny, || prepare(&mut watch))?;
    if !are_in_range(&lost, &probabilities, &throughputs) {
        let beyond = format!("{} met numbers beyond the range of `f64`", report.method);
        let tried = report.handed_over.into_iter().chain([beyond]).collect();
        return Err(Error::NotConverged(NotConverged { tolerance: options.tolerance, tried }));
    }
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
    let chain = Chain { space, classification: &classification, limits, direct_up_to: usize::MAX };
    let probabilities = chain.distribution(&mut watch, |generator, rule, taken, watch| {
        let pi = choice::eliminate(generator, rule, taken, limits, watch)?;
        let is_solved = generator.left_product(&pi).iter().all(Zero::is_zero);
        assert!(is_solved, "an exact solution solves the equations");
        Ok(pi)
    })?;
    let (throughputs, _) =
        throughputs(space, &classification, &probabilities, |_| false, || prepare(&mut watch))?;
    let report =
        Report { solved_in: started.elapsed(), ..Report::of("exact (GTH elimination in rationals)") };
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

/// The name of the exact method in reports.
const EXACT: &str = "exact (GTH elimination in rationals)";

/// Watches the limits while the equations are set up.
fn prepare(watch: &mut Watch<'_>) -> Result<(), Error> {
    let stopped = |limit| Error::Stopped(Stopped { limit, reached: Reached::Preparing });
    watch.check(|| Progress::Preparing).map_err(stopped)
}

/// The largest of some magnitudes; not a number where one isn't.
fn worst(values: &[f64]) -> f64 {
    largest(values.iter().map(|value| value.abs()))
}

/// Whether all probabilities and throughputs are numbers, and none of the throughputs lost digits to probabilities too
/// small for `f64`. A throughput that is itself too small may be zero.
fn are_in_range(lost: &[f64], probabilities: &[f64], throughputs: &[f64]) -> bool {
    probabilities.iter().chain(throughputs).all(|value| value.is_finite())
        && lost.iter().zip(throughputs).all(|(&lost, &sum)| is_little(lost, sum))
}

/// Whether what a sum may have lost is nothing, or beyond its digits.
pub(crate) fn is_little(lost: f64, sum: f64) -> bool {
    const DIGITS: f64 = 1e-12;
    const NOTHING: f64 = 1e-290;
    lost <= NOTHING || lost <= DIGITS * sum
}

/// Per action its throughput, and what it may have lost to probabilities too small for `f64`.
fn throughputs<N: Number>(
    space: &StateSpace,
    classes: &Classification,
    probabilities: &[N],
    is_tiny: impl Fn(&N) -> bool,
    pause: impl FnMut() -> Result<(), Error>,
) -> Result<(Vec<N>, Vec<f64>), Error> {
    let actions = space.model().actions().len();
    let (mut sums, mut lost) = (vec![N::zero(); actions], vec![0.0; actions]);
    let visited = classes.recurrent.iter().flatten().map(|&state| state as usize);
    space.for_each_activity::<N, _>(visited, pause, |state, action, rate| {
        let (probability, sum) = (&probabilities[state], &mut sums[action.index()]);
        *sum = sum.clone() + probability.clone() * rate.clone();
        if is_tiny(probability) {
            lost[action.index()] += f64::MIN_POSITIVE * rate.to_float();
        }
    })?;
    let Some(lumping) = space.lumping() else { return Ok((sums, lost)) };
    let share = |(action, _)| {
        let equivalent = Ratio::from_integer(lumping.equivalent_actions(action).into());
        sums[lumping.representative(action).index()].clone() / N::from_ratio(&equivalent)
    };
    Ok((space.model().actions().map(share).collect(), lost))
}
