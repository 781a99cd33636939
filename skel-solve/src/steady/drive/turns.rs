//! Methods that are tried in turn, each until the estimated error of what it has found is within the
//! tolerance.

use std::fmt::Display;

use super::{Answer, Problem};
use crate::error::{Error, NotConverged, Reached, Stopped};
use crate::limits::Watch;
use crate::linear::MethodUsed;
use crate::linear::bicgstab;
use crate::linear::iteration::{Halt, Iterations, IterativeMethod, check};
use crate::linear::krylov::{Preconditioning, Width};
use crate::operator::NEGLIGIBLE;
use crate::steady::Certified;
use crate::steady::decomposition::Decomposition;
use crate::steady::error_estimate::{Amplification, Estimate};
use crate::steady::former::{EstimatedBy, Iterated, Way};

/// The defects that a method is asked for, as shares of the tolerance. For most chains the first is enough.
/// The second is about as small as rounding allows.
const SHARES: [f64; 2] = [1e-3, 1e-5];

/// How many times larger than the first target the defects may be that a run of a method has left. How the
/// chain amplifies them then tells whether they are small enough: if not, the second target follows.
const NEARLY: f64 = 3.0;

/// The share of the tolerance that the error may come to where it is known how a chain nearby amplifies
/// defects.
const ENOUGH: f64 = 0.5;

/// The smallest defect that any method reaches in `f64`.
const BEST_DEFECT: f64 = 4e-15;

/// The largest defect at which the result of a stagnating method is still considered: the estimate of its
/// error then decides.
const USABLE_DEFECT: f64 = 1e-9;

/// The most rounds in which a method and the balance between parts take turns.
const ROUNDS: usize = 16;

/// The defect that the first round aims at, and by how much a later one reduces the defects. Within parts, a
/// Krylov method is quick; how the probability is split between them it finds slowly, and the balance between
/// them at once.
const FIRST_ROUND: f64 = 1e-3;
const PER_ROUND: f64 = 1e-2;

/// What was tried without an answer.
#[derive(Default)]
pub(crate) struct Tried {
    /// What, and how it ended, in words.
    pub(crate) methods: Vec<String>,
    /// All its iterations.
    iterations: u64,
}

impl Tried {
    /// Adds a method, how it ended, in words, and after how many iterations.
    pub(super) fn add(&mut self, method: String, iterations: u64) {
        self.methods.push(method);
        self.iterations += iterations;
    }

    /// Whether the iterations have taken as long as an elimination that is worth so many. In its best order
    /// that is likely to take no more than half of what it would take in the order of the states.
    pub(super) fn is_as_long_as(&self, worth: u64) -> bool {
        self.iterations >= 2 * worth
    }
}

/// What methods that are tried in turn have in common.
pub(super) struct Turns<'t> {
    pub(super) decomposition: &'t Decomposition,
    pub(super) width: Width,
    /// Iterations of each.
    pub(super) most: u64,
    /// The defect that is small for the first iterations of a method that ends early if it is slow.
    pub(super) probe: Option<f64>,
    /// Whether the estimate has been swept.
    pub(super) is_swept: bool,
    /// The largest defect after a run with which a method goes on.
    pub(super) hopeless: f64,
    /// Whether sums were solved for with blocks that are eliminated, or none were found.
    pub(super) had_blocks: bool,
    /// Whether the chain was aggregated by component, or that was of no use.
    pub(super) had_components: bool,
    /// Whether the chain was truncated, or that was of no use.
    pub(super) had_truncation: bool,
    /// What a former solution says about the amplification.
    pub(super) amplification: Option<&'t Amplification>,
    pub(super) pi: &'t mut Vec<f64>,
    /// What was tried before, in words.
    pub(super) tried: &'t mut Tried,
}

/// How turns end, and all iterations.
pub(crate) enum Outcome {
    Answer(Answer),
    /// A method came to its end, and its error is too large or not known.
    Uncertain,
    /// No method came to its end.
    Failed,
    /// A method was slow. In the end: elimination is likely to take less time than those that were not tried.
    Slow,
}

impl Outcome {
    pub(super) fn answer(self) -> Option<Answer> {
        if let Outcome::Answer(answer) = self { Some(answer) } else { None }
    }

    pub(crate) fn is_answer(&self) -> bool {
        matches!(self, Outcome::Answer(_))
    }
}

impl<'t> Turns<'t> {
    /// Turns of so many iterations that begin with an estimate of which nothing is known, and end where a
    /// method itself ends.
    pub(super) fn new(
        (decomposition, width): (&'t Decomposition, Width),
        most: u64,
        pi: &'t mut Vec<f64>,
        tried: &'t mut Tried,
    ) -> Turns<'t> {
        Turns {
            decomposition,
            width,
            most,
            probe: None,
            is_swept: false,
            hopeless: f64::INFINITY,
            had_blocks: false,
            had_components: false,
            had_truncation: false,
            amplification: None,
            pi,
            tried,
        }
    }

    /// Whether parts are solved one by one.
    pub(super) fn are_in_parts(&self) -> bool {
        self.decomposition.split().count() > 1
    }
}

impl Problem<'_> {
    /// Tries methods until one gives an answer within the tolerance, or comes to its end with one that is not
    /// certain.
    pub(super) fn in_turn(
        &self,
        methods: impl Iterator<Item = Box<dyn IterativeMethod>>,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, Error> {
        for method in methods {
            match self.by_method(&*method, task, watch)? {
                Outcome::Failed => {}
                outcome => return Ok(outcome),
            }
        }
        Ok(Outcome::Failed)
    }

    /// Tries a method.
    pub(super) fn by_method(
        &self,
        method: &dyn IterativeMethod,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, Error> {
        let (name, states) = (method.method(), self.chain.states() as u64);
        // The error is estimated after the method has freed its vectors, so the larger of the two counts.
        let estimate = bicgstab::memory(states, task.width) + states;
        let bytes = 8 * states + method.memory(states, self.chain.rates()).max(estimate);
        if self.budget.beside(task.decomposition.memory()).check(bytes).is_err() {
            task.tried.add(format!("{name} {}", NotConverged::TOO_LARGE), 0);
            return Ok(Outcome::Failed);
        }
        if !task.pi.iter().all(|value| value.is_finite()) {
            *task.pi = self.chain.start();
        }
        let mut budget = Iterations::new(watch, task.most).probing(task.probe, task.are_in_parts());
        budget.is_swept = task.is_swept;
        budget.hopeless = task.hopeless;
        let outcome = self.attempt(method, task, &mut budget);
        // After a stop the numbers of a watched chain mean nothing.
        let outcome = check(budget.watch()).and(outcome);
        match outcome {
            Ok(found) => Ok(self.judged(found, name, &budget, task)),
            Err(halt) => {
                let is_slow = matches!(halt, Halt::Slow);
                task.tried.add(self.ended(name, halt, (budget.done, budget.defect))?, budget.done);
                Ok(if is_slow { Outcome::Slow } else { Outcome::Failed })
            }
        }
    }

    /// What a method has found, by its estimated error: an answer if that is within the tolerance.
    fn judged(
        &self,
        (Estimate { error, amplification, .. }, estimated_by): (Estimate, EstimatedBy),
        method: MethodUsed,
        budget: &Iterations<'_, '_>,
        task: &mut Turns<'_>,
    ) -> Outcome {
        let (iterations, defect, clipped) = (budget.done, budget.defect, budget.clipped);
        if error > self.options.tolerance || error.is_nan() {
            // The chain amplifies the defects of the next method just as much, so trying that is of no use.
            task.tried.add(uncertain(method, defect, iterations, error), iterations);
            return Outcome::Uncertain;
        }
        if !task.pi.iter().all(|&value| value > NEGLIGIBLE) {
            let found = format!("{method} found probabilities below {NEGLIGIBLE:e}, too small to be sure of");
            task.tried.add(found, iterations);
            return Outcome::Uncertain;
        }
        let is_in_one_part = task.decomposition.is_of_one_part();
        let found = Iterated { method, order: None, amplification, estimated_by, is_in_one_part };
        let way = Way::Probabilities(Box::new(found));
        let (pi, certified) = (std::mem::take(task.pi), Certified::Probabilities);
        Outcome::Answer(Answer { pi, method, iterations, error, certified, defect, clipped, way })
    }

    /// How a method ended without an answer, in words; an error if a limit ends the work.
    pub(super) fn ended(
        &self,
        name: impl Display,
        halt: Halt,
        (iterations, defect): (u64, f64),
    ) -> Result<String, Error> {
        match halt {
            Halt::Limit(limit) => {
                let reached = Reached::Iterating { iterations, residual: defect };
                Err(Error::Stopped(Stopped { limit, reached }))
            }
            Halt::Memory => Ok(format!("{name} {}", NotConverged::TOO_LARGE)),
            Halt::Iterations => {
                Ok(format!("{name} reached the limit of {iterations} iterations at the defect {defect:.1e}"))
            }
            Halt::Slow => {
                Ok(format!("{name} was slow: the defect {defect:.1e} after {iterations} iterations"))
            }
            Halt::Stagnated => {
                Ok(format!("{name} ended at the defect {defect:.1e} after {iterations} iterations"))
            }
        }
    }

    /// The defect to ask a method for: a share of the tolerance, or what is likely to be enough, where it is
    /// known how a chain nearby amplifies defects.
    fn aim(&self, share: f64, known: Option<&Amplification>) -> f64 {
        let least = BEST_DEFECT.max(share * self.options.tolerance);
        match known {
            Some(known) if share == SHARES[0] => least.max(ENOUGH * self.options.tolerance / known.amplified),
            _ => least,
        }
    }

    /// Runs one method until its estimated error is small enough or no longer falls. Returns that error, and
    /// how it was estimated.
    fn attempt(
        &self,
        method: &dyn IterativeMethod,
        task: &mut Turns<'_>,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(Estimate, EstimatedBy), Halt> {
        let mut found = (Estimate::NONE, EstimatedBy::NewDefects);
        let is_known = task.amplification.is_some() || task.are_in_parts();
        for share in SHARES {
            let target = self.aim(share, task.amplification);
            budget.accepted = if share < SHARES[0] || is_known { target } else { NEARLY * target };
            if share < SHARES[0] {
                // That may be less than what rounding leaves. Who took many iterations takes more now, too.
                budget.stalling(USABLE_DEFECT, budget.done / 4);
            }
            let are_sweeps_enough = share < SHARES[0] && self.sweeps_are_enough(&found.0, task, budget)?;
            if !are_sweeps_enough {
                match self.approach(method, task, target, budget) {
                    // How far off the answer is that was found is known.
                    Err(Halt::Iterations) if self.ends_early(task) && share < SHARES[0] => break,
                    outcome => outcome?,
                }
            }
            budget.end_stalling();
            budget.end_probe();
            // An answer that was found is worth an estimate of its error.
            budget.allow_as_many(self.limits.iterations);
            let goes_on = share > SHARES[1] && target > BEST_DEFECT;
            found = self.estimated(found.0, (method, target, goes_on), task, budget)?;
            if found.0.error <= self.options.tolerance || target == BEST_DEFECT {
                break;
            }
        }
        Ok(found)
    }

    /// Whether a turn ends before the limit of iterations, since elimination is to follow.
    fn ends_early(&self, task: &Turns<'_>) -> bool {
        task.most < self.limits.iterations
    }

    /// The estimated error of what a method has found on the way to a target, after that of what it had found
    /// before: by former defects, where these show that it is small enough.
    fn estimated(
        &self,
        before: Estimate,
        (method, target, goes_on): (&dyn IterativeMethod, f64, bool),
        task: &Turns<'_>,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(Estimate, EstimatedBy), Halt> {
        // Where iterations get no further, what former defects say may be more than it has to be.
        let is_of_use = |again: &Estimate| again.error <= self.options.tolerance || target > BEST_DEFECT;
        if let Some(estimate) = self.error_again(task, budget)?.filter(is_of_use) {
            return Ok((estimate, EstimatedBy::FormerDefects));
        }
        let given = (task, suiting(method.at_last()));
        let estimate = match self.error_after(before, given, goes_on, budget) {
            // Another method would find the same answer, and be as long in estimating its error.
            Err(Halt::Iterations) if self.ends_early(task) => Estimate::NONE,
            estimate => estimate?,
        };
        Ok((estimate, EstimatedBy::NewDefects))
    }

    /// Runs a method until it reaches a defect, and corrects how the probability is split between the parts.
    fn approach(
        &self,
        method: &dyn IterativeMethod,
        task: &mut Turns<'_>,
        target: f64,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(), Halt> {
        let mut aim = if task.are_in_parts() { target.max(FIRST_ROUND) } else { target };
        for _ in 0..ROUNDS {
            match method.solve(self.chain, task.pi, aim, budget) {
                Err(Halt::Stagnated) if budget.defect <= USABLE_DEFECT => {}
                outcome => outcome?,
            }
            if !task.are_in_parts() {
                break;
            }
            // The correction changes the balance within the parts a little, by as much as the parts are
            // connected. If that leaves defects above the target, there is another round.
            task.decomposition.split().balance(self.chain, task.pi, budget)?;
            let defect = self.chain.balance(task.pi).defect;
            if defect <= 2.0 * target {
                break;
            }
            aim = target.max(PER_ROUND * defect);
        }
        Ok(())
    }
}

fn uncertain(name: MethodUsed, defect: f64, iterations: u64, error: f64) -> String {
    let reached = format!("{name} reached the defect {defect:.1e} after {iterations} iterations");
    match error.is_finite() {
        true => format!(
            "{reached}, which leaves a relative error of about {error:.0e}, since the chain converges slowly{}",
            would_do(error)
        ),
        false => format!("{reached}, but the error of this could not be estimated"),
    }
}

/// The preconditioning with which the error of a method's answer is estimated: what suited the chain once
/// suits it again.
fn suiting(method: MethodUsed) -> Preconditioning {
    match method {
        MethodUsed::BiCgStabDilu => Preconditioning::Dilu,
        MethodUsed::BiCgStabIlu | MethodUsed::GmresIlu => Preconditioning::Ilu0,
        _ => Preconditioning::Forward,
    }
}

/// The tolerance that an error is within, in words, if there is one of use.
pub(super) fn would_do(error: f64) -> String {
    let tolerances = [1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6];
    let would_do = tolerances.into_iter().find(|&tolerance| error <= tolerance);
    would_do.map_or_else(String::new, |tolerance| format!(": a tolerance of {tolerance:e} would do"))
}

#[cfg(test)]
mod tests {
    use super::would_do;

    #[test]
    fn the_least_power_of_ten_that_would_do_is_named() {
        assert_eq!(would_do(3e-14), ": a tolerance of 1e-13 would do");
        assert_eq!(would_do(1e-10), ": a tolerance of 1e-10 would do");
        assert_eq!(would_do(8e-10), ": a tolerance of 1e-9 would do");
        assert_eq!(would_do(2e-6), "");
        assert_eq!(would_do(f64::INFINITY), "");
    }
}
