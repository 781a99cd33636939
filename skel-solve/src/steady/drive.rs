//! Tries the iterative methods in turn, until one gives an answer that is certain enough.

use crate::error::{Error, Reached, Stopped};
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::linear::bicgstab;
use crate::linear::bicgstab::BiCgStab;
use crate::linear::gauss_seidel::GaussSeidel;
use crate::linear::gmres::Gmres;
use crate::linear::iteration::{Halt, Iterations, IterativeMethod, check};
use crate::linear::krylov::{Preconditioning, Width};
use crate::linear::power::Power;
use crate::operator::{NEGLIGIBLE, TriangularSweep};
use crate::steady::Method;
use crate::steady::Options;
use crate::steady::decomposition::Decomposition;
use crate::steady::error_estimate;

/// The defects to aim at, as shares of the tolerance. Few chains need the second, which is about what rounding leaves.
const SHARES: [f64; 2] = [1e-3, 1e-5];

/// No method gets further than this.
const BEST_DEFECT: f64 = 4e-15;

/// The share of the tolerance that an error may have when its defects could be made smaller still.
const AT_EASE: f64 = 0.5;

/// From this defect on a method that stagnates has found an answer nevertheless, if the chain is good-natured.
const USABLE_DEFECT: f64 = 1e-9;

/// What is said of a method that [`Limits::memory`] does not allow.
pub(crate) const TOO_LARGE: &str = "would take more memory than is allowed";

/// From so many states on vectors are long enough that moving them costs.
const MANY_STATES: usize = 1 << 16;

/// Rounds of a method and of the balance between parts.
const ROUNDS: usize = 8;

/// The methods of a choice, in the order in which one hands over to the next.
fn methods(choice: Method, width: Width) -> Vec<Box<dyn IterativeMethod>> {
    let (forward, ilu) = (Preconditioning::Forward, Preconditioning::Ilu0);
    match choice {
        Method::Direct => Vec::new(),
        Method::BiCgStab => vec![Box::new(BiCgStab(forward, width))],
        Method::BiCgStabIlu => vec![Box::new(BiCgStab(ilu, width))],
        Method::Gmres => vec![Box::new(Gmres(forward, width))],
        Method::GmresIlu => vec![Box::new(Gmres(ilu, width))],
        Method::GaussSeidel => vec![Box::new(GaussSeidel)],
        Method::Power => vec![Box::new(Power)],
        Method::Automatic => vec![
            Box::new(BiCgStab(forward, width)),
            Box::new(BiCgStab(ilu, width)),
            Box::new(Gmres(ilu, width)),
            Box::new(GaussSeidel),
            Box::new(Power),
        ],
    }
}

/// An answer of an iterative method.
pub(crate) struct Answer {
    pub(crate) pi: Vec<f64>,
    pub(crate) method: &'static str,
    pub(crate) iterations: u64,
    /// The worst relative error of a probability, estimated.
    pub(crate) error: f64,
    /// The largest negative value that was set to zero.
    pub(crate) clipped: f64,
}

/// A chain to solve, and what there is for it.
pub(crate) struct Problem<'t> {
    pub(crate) chain: &'t dyn TriangularSweep,
    /// Probabilities to start from.
    pub(crate) start: Option<&'t [f64]>,
    /// What is left beside the chain.
    pub(crate) budget: MemoryBudget,
    pub(crate) limits: &'t Limits,
    pub(crate) options: &'t Options,
    /// Where elimination is known to be cheap: the iterations of the first method after which that is the better choice.
    pub(crate) trial: Option<u64>,
}

impl Problem<'_> {
    /// The first answer within the tolerance, if any. What was tried before it is added to `tried`.
    pub(crate) fn iterate(
        &self,
        watch: &mut Watch<'_>,
        tried: &mut Vec<String>,
    ) -> Result<Option<Answer>, Error> {
        let preparing = |limit| Error::Stopped(Stopped { limit, reached: Reached::Preparing });
        let states = self.chain.states() as u64;
        let decomposition =
            Decomposition::find(self.chain, self.budget.left(), watch).map_err(|halt| match halt {
                Halt::Limit(limit) => preparing(limit),
                _ => preparing(self.budget.limit()),
            })?;
        let width = self.width(&decomposition);
        let mut pi = self.start.map_or_else(|| self.chain.start(), |start| self.chain.near(start));
        let (methods, iterations) = (methods(self.options.method, width).into_iter(), self.limits.iterations);
        let (count, most) =
            self.trial.map_or((methods.len(), iterations), |trial| (1, trial.min(iterations)));
        for method in methods.take(count) {
            let name = method.name();
            // The estimate of the error comes after the method, in the room that this leaves.
            let estimate = bicgstab::memory(states, width) + states;
            let bytes = 8 * states + method.memory(states, self.chain.rates()).max(estimate);
            if self.budget.beside(decomposition.memory()).check(bytes).is_err() {
                tried.push(format!("{name} {TOO_LARGE}"));
                continue;
            }
            if !pi.iter().all(|value| value.is_finite()) {
                pi = self.chain.start();
            }
            let mut budget = Iterations::new(watch, most);
            let outcome = self.attempt(&*method, &decomposition, &mut pi, &mut budget);
            let (iterations, defect, clipped) = (budget.done, budget.defect, budget.clipped);
            // After a stop the numbers of a watched chain mean nothing.
            let outcome = check(budget.watch()).and(outcome);
            match outcome {
                Ok(error)
                    if error <= self.options.tolerance && pi.iter().all(|&value| value > NEGLIGIBLE) =>
                {
                    return Ok(Some(Answer { pi, method: name, iterations, error, clipped }));
                }
                Ok(error) if error <= self.options.tolerance => {
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
                Err(Halt::Memory) => tried.push(format!("{name} {TOO_LARGE}")),
                Err(Halt::Iterations) => tried.push(format!(
                    "{name} reached the limit of {iterations} iterations at the defect {defect:.1e}"
                )),
                Err(Halt::Stagnated) => {
                    tried.push(format!(
                        "{name} ended at the defect {defect:.1e} after {iterations} iterations"
                    ));
                }
            }
        }
        Ok(None)
    }

    /// In which type vectors are kept.
    fn width(&self, decomposition: &Decomposition) -> Width {
        let states = self.chain.states() as u64;
        let bytes = decomposition.memory() + 9 * states + bicgstab::memory(states, Width::Double);
        if bytes <= self.budget.left() { Width::Double } else { Width::Single }
    }

    /// Runs one method, as far as is needed; the estimated error of its answer.
    fn attempt(
        &self,
        method: &dyn IterativeMethod,
        decomposition: &Decomposition,
        pi: &mut [f64],
        budget: &mut Iterations<'_, '_>,
    ) -> Result<f64, Halt> {
        let mut error = f64::INFINITY;
        for share in SHARES {
            let target = BEST_DEFECT.max(share * self.options.tolerance);
            self.approach(method, decomposition, pi, target, budget)?;
            error = self.error(decomposition, pi, budget)?;
            if error <= AT_EASE * self.options.tolerance || target == BEST_DEFECT {
                break;
            }
        }
        Ok(error)
    }

    /// Runs a method to a defect, and sets the split between parts right.
    fn approach(
        &self,
        method: &dyn IterativeMethod,
        decomposition: &Decomposition,
        pi: &mut [f64],
        target: f64,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(), Halt> {
        for _ in 0..ROUNDS {
            match method.solve(self.chain, pi, target, budget) {
                Err(Halt::Stagnated) if budget.defect <= USABLE_DEFECT => {}
                outcome => outcome?,
            }
            if decomposition.split().count() == 1 {
                break;
            }
            // The method may have moved the split between the parts anywhere, which moves the balance within them by as
            // much as the parts are joined: not at all, or there is another round.
            decomposition.split().balance(self.chain, pi, budget)?;
            if self.chain.balance(pi).defect <= 2.0 * target {
                break;
            }
        }
        Ok(())
    }

    /// The estimated error.
    fn error(
        &self,
        decomposition: &Decomposition,
        pi: &[f64],
        budget: &mut Iterations<'_, '_>,
    ) -> Result<f64, Halt> {
        let between_parts = decomposition.imbalance(self.chain, pi, budget.watch())?;
        if between_parts.is_nan() || between_parts > self.options.tolerance {
            return Ok(if between_parts.is_nan() { f64::INFINITY } else { between_parts });
        }
        // An estimate needs few digits, and single ones are half as much to move.
        let width = if pi.len() >= MANY_STATES { Width::Single } else { self.width(decomposition) };
        let mut error = f64::INFINITY;
        for preconditioning in [Preconditioning::Forward, Preconditioning::Ilu0] {
            let states = pi.len() as u64;
            if error.is_finite() || preconditioning.memory(states, self.chain.rates()) > self.budget.left() {
                break;
            }
            error = error_estimate::error(
                self.chain,
                decomposition.split(),
                pi,
                (preconditioning, width),
                budget,
            )?;
        }
        Ok(error.max(between_parts))
    }
}

fn uncertain(name: &str, defect: f64, iterations: u64, error: f64) -> String {
    let reached = format!("{name} reached the defect {defect:.1e} after {iterations} iterations");
    let would_do = [1e-9, 1e-8, 1e-7, 1e-6].into_iter().find(|&tolerance| error <= tolerance);
    let would_do =
        would_do.map_or_else(String::new, |tolerance| format!(": a tolerance of {tolerance:e} would do"));
    match error.is_finite() {
        true => format!(
            "{reached}, which leaves a relative error of about {error:.0e}, since the chain forgets slowly{would_do}"
        ),
        false => format!("{reached}, but how fast the chain forgets could not be found out"),
    }
}
