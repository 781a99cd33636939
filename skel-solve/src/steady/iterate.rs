//! Tries the iterative methods in turn, until one gives an answer that is certain enough.

use super::Options;
use super::bicgstab::BiCgStab;
use super::certainty;
use super::cuts::{self, Parts};
use super::equations::{Equations, NEGLIGIBLE};
use super::gauss_seidel::GaussSeidel;
use crate::chain::Generator;
use crate::error::{Error, Reached, Stopped};
use crate::limits::{Limit, Limits, Progress, Watch};

/// The defect to aim at: about what rounding leaves, or less exact where the tolerance is loose.
const BEST_DEFECT: f64 = 4e-15;
const DEFECT_FOR_TOLERANCE: f64 = 1e-5;

/// From this defect on a method that stagnates has found an answer nevertheless, if the chain is good-natured.
const USABLE_DEFECT: f64 = 1e-9;

/// Rounds of a method and of the balance between parts.
const ROUNDS: usize = 8;

/// An iterative method for the steady state of an irreducible chain.
pub(super) trait Method {
    /// Its name in reports.
    fn name(&self) -> &'static str;

    /// Improves `pi` until no defect is above the target, or it gets no further.
    fn solve(
        &self,
        equations: &Equations,
        pi: &mut [f64],
        target: f64,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(), Halt>;
}

/// Why an iterative method ended without an answer.
pub(super) enum Halt {
    Limit(Limit),
    /// [`Limits::iterations`]; the next method has as many.
    Iterations,
    /// It got no further; the next method may.
    Stagnated,
}

/// Counts iterations and watches the limits.
pub(super) struct Iterations<'w, 'l> {
    watch: &'w mut Watch<'l>,
    most: u64,
    pub(super) done: u64,
    pub(super) defect: f64,
}

impl<'w, 'l> Iterations<'w, 'l> {
    fn new(watch: &'w mut Watch<'l>, most: u64) -> Self {
        Iterations { watch, most, done: 0, defect: f64::INFINITY }
    }

    /// Counts one iteration that reached a defect.
    pub(super) fn count(&mut self, defect: f64) -> Result<(), Halt> {
        self.done += 1;
        let progress = Progress::Iterating { iterations: self.done, residual: defect };
        self.watch.check(|| progress).map_err(Halt::Limit)?;
        if self.done >= self.most { Err(Halt::Iterations) } else { Ok(()) }
    }

    /// What watches the limits.
    pub(super) fn watch(&mut self) -> &mut Watch<'l> {
        self.watch
    }

    /// Watches the limits before the first iteration.
    pub(super) fn look(&mut self) -> Result<(), Halt> {
        self.watch.check(|| Progress::Preparing).map_err(Halt::Limit)
    }
}

/// An answer of an iterative method.
pub(super) struct Answer {
    pub(super) pi: Vec<f64>,
    pub(super) method: &'static str,
    pub(super) iterations: u64,
    /// The worst relative error of a probability, estimated.
    pub(super) error: f64,
}

/// The first answer within the tolerance, if any. What was tried before it is added to `tried`.
pub(super) fn iterate(
    generator: &Generator<f64>,
    limits: &Limits,
    options: &Options,
    watch: &mut Watch<'_>,
    tried: &mut Vec<String>,
) -> Result<Option<Answer>, Error> {
    let mut budget = Iterations::new(watch, 1);
    let prepared = Equations::of(generator, &mut budget).and_then(|equations| {
        let parts = Parts::find(generator, equations.exits(), &mut budget)?;
        Ok((equations, parts))
    });
    let prepared = match prepared {
        Err(Halt::Limit(limit)) => {
            return Err(Error::Stopped(Stopped { limit, reached: Reached::Preparing }));
        }
        outcome => outcome.ok(),
    };
    let Some((equations, parts)) = prepared else { return Ok(None) };
    let methods: [&dyn Method; 2] = [&BiCgStab, &GaussSeidel];
    let mut pi = equations.start();
    for method in methods {
        if !pi.iter().all(|value| value.is_finite()) {
            pi = equations.start();
        }
        let mut budget = Iterations::new(watch, limits.iterations);
        let outcome = attempt(method, (generator, &equations, &parts), &mut pi, options, &mut budget);
        let (iterations, defect, name) = (budget.done, budget.defect, method.name());
        match outcome {
            Ok(error) if error <= options.tolerance && pi.iter().all(|&value| value > NEGLIGIBLE) => {
                return Ok(Some(Answer { pi, method: name, iterations, error }));
            }
            Ok(error) if error <= options.tolerance => {
                tried.push(format!(
                    "{name} found probabilities below {NEGLIGIBLE:e}, too small to be sure of"
                ));
                return Ok(None);
            }
            // What the chain does to small defects it does to those of the next method too.
            Ok(error) => {
                tried.push(uncertain(name, defect, iterations, error));
                return Ok(None);
            }
            Err(Halt::Limit(limit)) => {
                let reached = Reached::Iterating { iterations, residual: defect };
                return Err(Error::Stopped(Stopped { limit, reached }));
            }
            Err(Halt::Iterations) => tried.push(format!(
                "{name} reached the limit of {iterations} iterations at the defect {defect:.1e}"
            )),
            Err(Halt::Stagnated) => {
                tried.push(format!("{name} ended at the defect {defect:.1e} after {iterations} iterations"));
            }
        }
    }
    Ok(None)
}

/// Runs one method; the estimated error of its answer.
fn attempt(
    method: &dyn Method,
    (generator, equations, parts): (&Generator<f64>, &Equations, &Parts),
    pi: &mut [f64],
    options: &Options,
    budget: &mut Iterations<'_, '_>,
) -> Result<f64, Halt> {
    let target = BEST_DEFECT.max(DEFECT_FOR_TOLERANCE * options.tolerance);
    for _ in 0..ROUNDS {
        match method.solve(equations, pi, target, budget) {
            Err(Halt::Stagnated) if budget.defect <= USABLE_DEFECT => {}
            outcome => outcome?,
        }
        if parts.count == 1 {
            break;
        }
        // The method may have moved the split between the parts anywhere, which moves the balance within them by as
        // much as the parts are joined: not at all, or there is another round.
        parts.balance(generator, pi, budget)?;
        if equations.worst_defect(pi) <= 2.0 * target {
            break;
        }
    }
    let between_parts = cuts::imbalance(generator, equations.exits(), pi, budget)?;
    if between_parts.is_nan() || between_parts > options.tolerance {
        return Ok(if between_parts.is_nan() { f64::INFINITY } else { between_parts });
    }
    Ok(certainty::error(equations, parts, pi, budget)?.max(between_parts))
}

fn uncertain(name: &str, defect: f64, iterations: u64, error: f64) -> String {
    let reached = format!("{name} reached the defect {defect:.1e} after {iterations} iterations");
    match error.is_finite() {
        true => format!(
            "{reached}, which leaves a relative error of about {error:.0e}, since the chain forgets slowly"
        ),
        false => format!("{reached}, but how fast the chain forgets could not be found out"),
    }
}
