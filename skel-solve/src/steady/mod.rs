//! The steady state: the distribution `pi` with `pi Q = 0` and sum one.
//!
//! All states are reached from the first, so a chain is irreducible if all lead back to it. One that is not, or is small, is
//! classified. Transient states have probability zero; with one recurrent class its own chain is solved, unless it is a deadlock,
//! which is an error with the way there; with several classes there is no one answer, and the error says where runs end. What then has an answer is the long run from the initial
//! state, [`StateSpace::long_run`].
//!
//! | method | for | cost | accuracy |
//! |---|---|---|---|
//! | `exact` | exact answers | factors modulo a prime, and two substitutions for each 18 digits of the answer | exact, and verified |
//! | `gth` in `f64` | up to [`Options::direct_up_to`] states; more, of a chain that is much longer than wide | up to `n^3 / 3` | every digit but the last few, also for stiff chains: it never subtracts |
//! | `bicgstab` with a sweep of Gauss-Seidel | larger chains | twenty products with Q or more | estimated, see below |
//! | `bicgstab`, `gmres` with ILU(0) | where that stagnates | as many, each twice as dear | estimated |
//! | `gauss_seidel`, damped; `power` | where those do | hundreds of sweeps | estimated |
//! | aggregation, with each | parts joined by slow transitions alone | an elimination over the parts a round | the split between them to the last few digits |
//! | `gth` again | where the estimate is not good enough | what fits the memory, up to `1e11` multiplications | as above |
//!
//! [`Options::method`] chooses one of them. Each says in its own file when it stops, and what it costs. All iterative ones know
//! the chain by one trait, `Inflows`: the compact rates in `incoming`, or what makes rates again from the model.
//!
//! What counts is the [defect](Report::defect) of each state's balance, relative to its own flow: a rate of `1e-6` is
//! as important as one of `1e6`. How far an answer with small defects may be from the right one depends on how fast
//! the chain forgets; `certainty` estimates it, and an iterative answer is given only where the estimate is within the tolerance. Where
//! no method gets there, [`Error::NotConverged`] says what each reached.

pub(crate) mod alone;
pub(crate) mod bias;
mod bicgstab;
mod blocks;
mod certainty;
mod choice;
mod cuts;
pub(crate) mod distribution;
mod equations;
mod euclid;
mod exact;
mod fronts;
mod gauss_seidel;
mod gmres;
mod gth;
mod ilu;
mod incoming;
mod iterate;
mod krylov;
mod long_run;
mod ordering;
mod power;
pub(crate) mod unknown;
mod unstored;
mod watched;
mod wavefront;
mod wide;

use std::time::{Duration, Instant};

use skel_core::model::Model;
use skel_core::number::{Number, Ratio};

use crate::chain::largest;
use crate::classify::{self, Classification, classify, deadlock, describe_classes};
use crate::error::{Classes, Error, NotConverged, Reached, Stopped};
use crate::limits::{Limits, Progress, Watch};
use crate::space::StateSpace;
use crate::sums::Sums;
use distribution::{Distribution, Parts, Times};
use incoming::{Incoming, Rows};
use long_run::Chain;
pub(crate) use long_run::afford;
use unstored::Unstored;

/// How to solve in `f64`.
///
/// # Examples
/// ```
/// use skel::prelude::*;
/// use skel::steady::{Choice, Options};
/// let space = Model::from_text("E = (arrive, 1).F; F = (serve, 3).E; E[5]")?.explore()?;
/// let options = Options { tolerance: 1e-9, method: Choice::BiCgStab, ..Options::default() };
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
    /// the tolerance, or would take longer. With 0 none is. Only [`Choice::Automatic`] looks at it.
    pub direct_up_to: usize,
    /// Which method, where it is not for the size of the chain and the methods themselves to say.
    pub method: Choice,
    /// Whether there is an answer where every run ends in one deadlock: the figures of that state, whose throughputs are all
    /// zero. Unless this is set, it is [`Error::Deadlock`].
    pub allow_deadlock: bool,
}

impl Options {
    /// Up to how many states a chain is eliminated at once.
    fn eliminated_up_to(&self) -> usize {
        match self.method {
            Choice::Automatic => self.direct_up_to,
            Choice::Direct => usize::MAX,
            _ => 0,
        }
    }
}

/// A method for the steady state in `f64`. One that is chosen gets no help from the others: where it has no answer within the
/// tolerance, there is [`Error::NotConverged`].
///
/// # Examples
/// ```
/// use skel::prelude::*;
/// use skel::steady::{Choice, Options};
/// let space = Model::from_text("E = (arrive, 1).F; F = (serve, 3).E; E[5]")?.explore()?;
/// for method in [Choice::Direct, Choice::Gmres, Choice::Power] {
///     let pi = space.steady_state_within(&Limits::default(), &Options { method, ..Options::default() })?;
///     assert!((pi.utilisation_of("F")? - 0.25).abs() < 1e-10);
/// }
/// # Ok::<(), skel::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Choice {
    /// Small chains are eliminated, and those that are much longer than wide; for others the iterative methods are tried in
    /// turn, and elimination again. Where that is known to be cheap, iterating gets a fourth of its time.
    #[default]
    Automatic,
    /// Elimination, whatever work that is.
    Direct,
    /// BiCGSTAB, preconditioned by a forward sweep of Gauss-Seidel.
    BiCgStab,
    /// BiCGSTAB, preconditioned by incomplete factors.
    BiCgStabIlu,
    /// GMRES, restarted after thirty iterations, preconditioned by a forward sweep of Gauss-Seidel.
    Gmres,
    /// GMRES, restarted after thirty iterations, preconditioned by incomplete factors.
    GmresIlu,
    /// Gauss-Seidel, damped.
    GaussSeidel,
    /// The power method on the uniformised chain.
    Power,
}

impl Default for Options {
    fn default() -> Self {
        Options { tolerance: 1e-10, direct_up_to: 400, method: Choice::Automatic, allow_deadlock: false }
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
    /// The largest negative value that an iterative method left for a probability, and that was set to zero before a last
    /// sweep over the balance equations; defects are those after it.
    pub clipped: f64,
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
            clipped: 0.0,
            solved_in: Duration::ZERO,
            handed_over: Vec::new(),
        }
    }

    /// Adds how good the answer of a chain is.
    fn add(&mut self, residual: f64, defect: f64) {
        self.residual = largest([self.residual, residual].into_iter());
        self.defect = largest([self.defect, defect].into_iter());
    }
}

/// A steady state of the model `M`, or its distribution in the long run, in `f64` or in exact fractions. Measures
/// are in [`crate::measure`].
pub struct SteadyState<M: ?Sized, N> {
    pub(crate) space: StateSpace<M>,
    pub(crate) distribution: Distribution<N>,
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
        let SteadyState { distribution, throughputs, classification, report, .. } = self;
        SteadyState { space: space.clone(), distribution, throughputs, classification, report }
    }

    /// The states that the probabilities belong to.
    #[must_use]
    pub fn space(&self) -> &StateSpace<M> {
        &self.space
    }

    /// The probability of each state, in the order of the states. Exact ones are brought to lowest terms when this is
    /// first called, a common divisor for each state; throughputs and other measures don't need it.
    #[must_use]
    pub fn probabilities(&self) -> &[N] {
        self.distribution.numbers()
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
        let classes = self.classification.recurrent.iter();
        let of_class = |states: &Vec<u32>| {
            let (mut sum, once) = (self.distribution.nothing(), Times::of(1));
            states.iter().for_each(|&state| self.distribution.add(&mut sum, state as usize, &once));
            self.distribution.over(sum, 1)
        };
        classes.map(of_class).collect()
    }
}

/// What is asked of a chain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Question {
    /// The steady state, of which there is none with several recurrent classes, and none of use in a deadlock.
    SteadyState {
        /// Whether the state of a deadlock is an answer nevertheless.
        allow_deadlock: bool,
    },
    /// The distribution in the long run, from the initial state.
    LongRun,
}

/// Solves in `f64`; iterative methods start from some probabilities, where they are given.
pub(crate) fn in_floats(
    question: Question,
    space: &StateSpace,
    start: Option<&[f64]>,
    limits: &Limits,
    options: &Options,
) -> Result<SteadyState<Model, f64>, Error> {
    let started = Instant::now();
    let mut watch = Watch::start(limits);
    let mut report = Report::of(choice::DIRECT);
    let whole = whole(space, start, limits, options, &mut watch, &mut report)?;
    let (classification, probabilities) = match whole {
        Some(probabilities) => (Classification::irreducible(space.states()), probabilities),
        None => in_classes(question, space, start, limits, options, &mut watch, &mut report)?,
    };
    let left = limits.memory.saturating_sub(space.memory() + 8 * space.states() as u64);
    let pause = || prepare(&mut watch);
    let (throughputs, lost) = throughputs(space, &classification, &probabilities, left, pause)?;
    if !are_in_range(&lost, &probabilities, &throughputs) {
        let beyond = format!("{} met numbers beyond the range of `f64`", report.method);
        let tried = report.handed_over.into_iter().chain([beyond]).collect();
        return Err(Error::NotConverged(NotConverged { tolerance: options.tolerance, tried }));
    }
    // Whoever stops the work gets no answer, however late that is.
    prepare(&mut watch)?;
    report.solved_in = started.elapsed();
    let distribution = Distribution::Numbers(probabilities);
    Ok(SteadyState { space: space.clone(), distribution, throughputs, classification, report })
}

/// The steady state of a chain that is to be iterated and is irreducible.
fn whole(
    space: &StateSpace,
    start: Option<&[f64]>,
    limits: &Limits,
    options: &Options,
    watch: &mut Watch<'_>,
    report: &mut Report,
) -> Result<Option<Vec<f64>>, Error> {
    if space.states() == 1 || space.states() <= options.eliminated_up_to() {
        return Ok(None);
    }
    if let Some(terms) = space.terms(limits.memory.saturating_sub(space.memory())) {
        let taken = afford(space, limits, Unstored::memory(&terms))?;
        prepare(watch)?;
        let unstored = Unstored::of(terms, limits.threads());
        prepare(watch)?;
        if !unstored.all_lead_to_the_first() {
            return Ok(None);
        }
        prepare(watch)?;
        return choice::solve_large(&unstored, start, taken, limits, options, watch, report).map(Some);
    }
    let rows: Rows<'_> = &|watch, visit| {
        let mut row = Vec::new();
        space.for_each_row::<f64, _>(
            || prepare(watch),
            |state, transitions| {
                row.clear();
                for transition in transitions.iter().filter(|transition| transition.target as usize != state)
                {
                    match row.last_mut() {
                        Some((last, sum)) if *last == transition.target => *sum += transition.rate,
                        _ => row.push((transition.target, transition.rate)),
                    }
                }
                visit(state, &row);
                Ok(())
            },
        )
    };
    let afford = |bytes| afford(space, limits, bytes).map(|_| ());
    let incoming = Incoming::of(space.states(), rows, &afford, watch)?;
    prepare(watch)?;
    if !incoming.all_lead_to_the_first() {
        return Ok(None);
    }
    prepare(watch)?;
    let taken = space.memory() + incoming.memory();
    choice::solve_large(&incoming, start, taken, limits, options, watch, report).map(Some)
}

/// The classification of a chain, and its distribution, class by class.
fn in_classes(
    question: Question,
    space: &StateSpace,
    start: Option<&[f64]>,
    limits: &Limits,
    options: &Options,
    watch: &mut Watch<'_>,
    report: &mut Report,
) -> Result<(Classification, Vec<f64>), Error> {
    let classification = classified(question, space, limits)?;
    let chain =
        Chain { space, classification: &classification, limits, direct_up_to: options.eliminated_up_to() };
    let of_class = |start: &[f64]| match &classification.recurrent[..] {
        [class] => Some(class.iter().map(|&state| start[state as usize]).collect()),
        _ => None,
    };
    let start: Option<Vec<f64>> = start.and_then(of_class);
    let (ends, mut probabilities) = chain.proportions(watch, |generator, taken, watch| {
        choice::solve(generator, start.as_deref(), taken, limits, options, watch, report)
    })?;
    let of_ends: f64 = ends.iter().sum();
    for (class, end) in classification.recurrent.iter().zip(&ends) {
        class.iter().for_each(|&state| probabilities[state as usize] *= end / of_ends);
    }
    Ok((classification, probabilities))
}

/// Solves in exact fractions, which are verified; see [`exact`].
#[inline]
pub(crate) fn in_fractions(
    question: Question,
    space: &StateSpace,
    limits: &Limits,
) -> Result<SteadyState<Model, Ratio>, Error> {
    let started = Instant::now();
    let mut watch = Watch::start(limits);
    let classification = classified(question, space, limits)?;
    let chain = Chain { space, classification: &classification, limits, direct_up_to: usize::MAX };
    let (ends, parts) = chain
        .proportions(&mut watch, |generator, taken, watch| exact::solve(generator, taken, limits, watch))?;
    let parts = Parts::of(&classification.recurrent, &ends, parts);
    let throughputs = parts.throughputs(space, &classification, || prepare(&mut watch))?;
    let throughputs = of_representatives(space, throughputs);
    let report = Report { solved_in: started.elapsed(), ..Report::of(exact::METHOD) };
    let distribution = Distribution::Parts(parts);
    Ok(SteadyState { space: space.clone(), distribution, throughputs, classification, report })
}

/// The classification of a chain, if the question has an answer.
fn classified(question: Question, space: &StateSpace, limits: &Limits) -> Result<Classification, Error> {
    afford(space, limits, classify::memory(space))?;
    let classification = classify(space);
    let is_one_class = classification.recurrent.len() == 1;
    match question {
        Question::LongRun => return Ok(classification),
        Question::SteadyState { allow_deadlock: true } if is_one_class => return Ok(classification),
        Question::SteadyState { allow_deadlock: true } => {}
        Question::SteadyState { allow_deadlock: false } => match deadlock(space, &classification) {
            Some(deadlock) => return Err(Error::Deadlock(deadlock)),
            None if is_one_class => return Ok(classification),
            None => {}
        },
    }
    Err(Error::SeveralRecurrentClasses(Classes {
        count: classification.recurrent.len(),
        lines: describe_classes(space, &classification),
    }))
}

/// Watches the limits while the equations are set up.
pub(crate) fn prepare(watch: &mut Watch<'_>) -> Result<(), Error> {
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

/// Per action its throughput, and what it may have lost to probabilities too small for `f64`; in at most so many bytes.
fn throughputs(
    space: &StateSpace,
    classes: &Classification,
    probabilities: &[f64],
    bytes: u64,
    pause: impl FnMut() -> Result<(), Error>,
) -> Result<(Vec<f64>, Vec<f64>), Error> {
    let actions = space.model().actions().len();
    if let Some((ranked, terms)) = space.terms(bytes)
        && probabilities.iter().all(|&probability| probability >= f64::MIN_POSITIVE)
    {
        return Ok((unstored::throughputs((ranked, &terms), probabilities, actions), vec![0.0; actions]));
    }
    let (mut sums, mut lost) = (Sums::new(actions), vec![0.0; actions]);
    let visited = classes.recurrent.iter().flatten().map(|&state| state as usize);
    space.for_each_activity::<f64, _>(visited, pause, |state, action, rate| {
        let probability = probabilities[state];
        sums.add(state, action.index(), probability * rate);
        if probability < f64::MIN_POSITIVE {
            lost[action.index()] += f64::MIN_POSITIVE * rate;
        }
    })?;
    Ok((of_representatives(space, sums.finish()), lost))
}

/// The throughput of every action, where those of equivalent ones are counted for one of them.
fn of_representatives<N: Number>(space: &StateSpace, sums: Vec<N>) -> Vec<N> {
    let Some(lumping) = space.lumping() else { return sums };
    let share = |(action, _)| {
        let sum = sums[lumping.representative(action).index()].clone();
        match lumping.equivalent_actions(action) {
            1 => sum,
            count => sum / N::from_ratio(&Ratio::from_integer(count.into())),
        }
    };
    space.model().actions().map(share).collect()
}
