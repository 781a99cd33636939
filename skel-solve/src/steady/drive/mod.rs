//! Tries the iterative methods in turn, until one gives an answer whose estimated error is within the tolerance.

mod again;
mod arrangement;
mod certificate;
mod error;
mod flow;
mod likely;
mod otherwise;
mod product_form;
mod rough;
mod sums;
mod sweeps;
mod uneven;

use std::fmt::Display;

use crate::error::{Error, Reached, Stopped};
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::linear::MethodUsed;
use crate::linear::bicgstab;
use crate::linear::bicgstab::BiCgStab;
use crate::linear::elimination::worth;
use crate::linear::gauss_seidel::GaussSeidel;
use crate::linear::gmres::Gmres;
use crate::linear::iteration::{Halt, Iterations, IterativeMethod, SMALL, check};
use crate::linear::krylov::{Preconditioning, Width};
use crate::linear::multilevel::Cycles;
use crate::linear::power::Power;
use crate::operator::{NEGLIGIBLE, RateOperator, TriangularSweep};
use crate::order::{Direction, Order};
use crate::space::StateSpace;
use crate::steady::decomposition::Decomposition;
use crate::steady::error_estimate::{Amplification, Estimate};
use crate::steady::former::{EstimatedBy, Former, Iterated, Way};
use crate::steady::{Certified, Method, Options};
use sums::{Beginning, Sums, Unsolved};
use sweeps::Shape;

/// The defects that a method is asked for, as shares of the tolerance. For most chains the first is enough. The second is
/// about as small as rounding allows.
const SHARES: [f64; 2] = [1e-3, 1e-5];

/// How many times larger than the first target the defects may be that a run of a method has left. How the chain amplifies them then tells whether they are small
/// enough: if not, the second target follows.
const NEARLY: f64 = 3.0;

/// The share of the tolerance that the error may come to where it is known how a chain nearby amplifies defects.
const ENOUGH: f64 = 0.5;

/// The smallest defect that any method reaches in `f64`.
const BEST_DEFECT: f64 = 4e-15;

/// The largest defect at which the result of a stagnating method is still considered: the estimate of its error then decides.
const USABLE_DEFECT: f64 = 1e-9;

/// The message about a method that needs more than [`Limits::memory`].
pub(crate) const TOO_LARGE: &str = "would take more memory than is allowed";

/// From this number of states on, reading and writing vectors takes a notable share of the time.
const MANY_STATES: usize = 1 << 16;

/// The most iterations for sums alone: where these do not suffice, other methods take less time.
const MOST_FOR_SUMS: u64 = 1000;

/// The iterations for sums that are worth trying even where elimination is cheap: a tandem queue of 8,000 states takes 60.
const LEAST_FOR_SUMS: u64 = 100;

/// From this number of states on, a first method that is slow ends early, and others are tried before it is.
const PROBED: usize = 5000;

/// The most rounds in which a method and the balance between parts take turns.
const ROUNDS: usize = 16;

/// The defect that the first round aims at, and by how much a later one reduces the defects. Within parts, a Krylov method is quick; how the probability is split between them it finds slowly, and the
/// balance between them at once.
const FIRST_ROUND: f64 = 1e-3;
const PER_ROUND: f64 = 1e-2;

/// The direction in which probability flows, if the chain is large, has one, and the method is chosen by what it is like.
pub(crate) fn direction(given: &Given<'_>, chain: &dyn RateOperator, options: &Options) -> Option<Direction> {
    direction_of(given, chain.states(), options, || Direction::of(chain))
}

/// The same for so many states, where a function tells the direction. That of a chain with nearly the same rates is taken as it is.
pub(crate) fn direction_of(
    given: &Given<'_>,
    states: usize,
    options: &Options,
    find: impl FnOnce() -> Option<Direction>,
) -> Option<Direction> {
    if !is_direction_asked(states, options) {
        return None;
    }
    let known = given.former.and_then(|(former, is_near)| former.traits.direction.filter(|_| is_near));
    known.unwrap_or_else(|| find().filter(flow::is_directed))
}

/// Whether the method is chosen by the direction of so many states.
pub(crate) fn is_direction_asked(states: usize, options: &Options) -> bool {
    options.method == Method::Automatic && states >= PROBED
}

/// Whether a first method that is slow ends early.
pub(crate) fn is_probed(chain: &dyn RateOperator, given: &Given<'_>, options: &Options) -> bool {
    options.method == Method::Automatic && given.asked.is_some() && chain.states() >= PROBED
}

/// Whether a chain is eliminated in less time than iterations are likely to take, where elimination is worth so many of them. Where the order of the
/// states is not that of the flow, another order and sweeps come before any iteration.
pub(crate) fn is_eliminated_first(given: &Given<'_>, worth: u64) -> bool {
    let is_far_from_iterations = given.direction.is_some_and(|direction| !flow::is_followed(&direction));
    worth < if is_far_from_iterations { worth::QUICK_UNSORTED } else { worth::LEAST_TRIAL }
}

/// The methods to try, in this order.
fn methods(choice: Method, width: Width) -> Vec<Box<dyn IterativeMethod>> {
    let (forward, ilu) = (Preconditioning::Forward, Preconditioning::Ilu0);
    match choice {
        Method::Direct => Vec::new(),
        Method::BiCgStab => vec![Box::new(BiCgStab(forward, width))],
        Method::BiCgStabIlu => vec![Box::new(BiCgStab(ilu, width))],
        Method::BiCgStabDilu => vec![Box::new(BiCgStab(Preconditioning::Dilu, width))],
        Method::Gmres => vec![Box::new(Gmres { with_factors: false, width })],
        Method::GmresIlu => vec![Box::new(Gmres { with_factors: true, width })],
        Method::Multilevel => vec![Box::new(Cycles)],
        Method::GaussSeidel => vec![Box::new(GaussSeidel)],
        Method::Power => vec![Box::new(Power)],
        Method::Automatic => vec![
            Box::new(BiCgStab(forward, width)),
            Box::new(BiCgStab(ilu, width)),
            Box::new(Gmres { with_factors: true, width }),
            Box::new(Cycles),
            Box::new(GaussSeidel),
            Box::new(Power),
        ],
    }
}

/// An answer of an iterative method.
pub(crate) struct Answer {
    pub(crate) pi: Vec<f64>,
    pub(crate) method: MethodUsed,
    pub(crate) iterations: u64,
    /// The worst relative error of what is certified.
    pub(crate) error: f64,
    pub(crate) certified: Certified,
    /// The defect that belongs to that.
    pub(crate) defect: f64,
    /// The largest negative value that was set to zero.
    pub(crate) clipped: f64,
    /// What is left for the solution of a chain nearby.
    pub(crate) way: Way,
}

/// What is given with a chain.
#[derive(Clone, Copy, Default)]
pub(crate) struct Given<'t> {
    /// Probabilities to start from.
    pub(crate) start: Option<&'t [f64]>,
    /// The space whose chain it is, state by state: what may be asked of it.
    pub(crate) asked: Option<&'t StateSpace>,
    /// The direction in which probability flows, if there is [one](direction).
    pub(crate) direction: Option<Direction>,
    /// The order of the chain's states, if it is not that of the space.
    pub(crate) order: Option<&'t Order>,
    /// What the solution left that belongs to the start, and whether all rates are near those for which its amplification was estimated.
    pub(crate) former: Option<(&'t Former, bool)>,
}

/// A chain to solve, and what there is for it.
pub(crate) struct Problem<'t> {
    pub(crate) chain: &'t dyn TriangularSweep,
    pub(crate) given: Given<'t>,
    /// What is left beside the chain.
    pub(crate) budget: MemoryBudget,
    pub(crate) limits: &'t Limits,
    pub(crate) options: &'t Options,
    /// Where elimination is known to be cheap: the number of iterations after which elimination is used instead.
    pub(crate) trial: Option<u64>,
}

/// What methods that are tried in turn have in common.
struct Turns<'t> {
    decomposition: &'t Decomposition,
    width: Width,
    /// Iterations of each.
    most: u64,
    /// The defect that is small for the first iterations of a method that ends early if it is slow.
    probe: Option<f64>,
    /// Whether the estimate has been swept.
    is_swept: bool,
    /// The largest defect after a run with which a method goes on.
    hopeless: f64,
    /// What a former solution says about the amplification.
    amplification: Option<&'t Amplification>,
    pi: &'t mut Vec<f64>,
    /// What was tried before, in words.
    tried: &'t mut Vec<String>,
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
    fn answer(self) -> Option<Answer> {
        if let Outcome::Answer(answer) = self { Some(answer) } else { None }
    }
}

impl Problem<'_> {
    /// Tries what suits the chain until there is an answer within the tolerance. What was tried before it is added to `tried`.
    pub(crate) fn iterate(&self, watch: &mut Watch<'_>, tried: &mut Vec<String>) -> Result<Outcome, Error> {
        if let Some(answer) = self.sums_again(tried, watch)? {
            return Ok(Outcome::Answer(answer));
        }
        let was_in_one_part = self.was_in_one_part();
        let mut decomposition = match was_in_one_part {
            true => Decomposition::default(),
            false => self.decomposition(watch)?,
        };
        let width = self.width(&decomposition);
        let is_probe = is_probed(self.chain, &self.given, self.options);
        if is_probe && let Some(outcome) = self.by_product_form((&decomposition, width), tried, watch)? {
            return Ok(outcome);
        }
        if let Some(answer) = self.again(&decomposition, width, tried, watch)? {
            return Ok(Outcome::Answer(answer));
        }
        if was_in_one_part {
            decomposition = self.decomposition(watch)?;
        }
        let mut pi = self.chain.start();
        let (methods, iterations) = (methods(self.options.method, width).into_iter(), self.limits.iterations);
        let (count, most) =
            self.trial.map_or((methods.len(), iterations), |trial| (1, trial.min(iterations)));
        let mut methods = methods.take(count);
        let is_automatic = self.options.method == Method::Automatic;
        let (decomposition, amplification, is_swept) = (&decomposition, None, false);
        let probe = is_probe.then_some(SMALL);
        let hopeless = f64::INFINITY;
        let mut task = Turns {
            decomposition,
            width,
            most,
            probe,
            is_swept,
            hopeless,
            amplification,
            pi: &mut pi,
            tried,
        };
        if is_probe && let Some(direction) = self.given.direction {
            if let Outcome::Answer(answer) = self.before_flow(&direction, &mut task, watch)? {
                return Ok(Outcome::Answer(answer));
            }
            if let Some(mut outcome) = self.along_flow(&direction, &mut task, watch)? {
                // Where elimination is within reach, it takes less time than methods that are not made for such chains.
                if let Outcome::Failed = outcome
                    && self.trial.is_none()
                {
                    task.probe = None;
                    outcome = match self.is_eliminated_in_best_order(watch)? {
                        true => Outcome::Slow,
                        false => self.by_what_is_left(methods, &mut task, watch)?,
                    };
                }
                return Ok(outcome);
            }
        }
        let is_in_parts = is_probe && task.decomposition.split().count() > 1;
        let shape = match is_probe && !is_in_parts {
            true => self.shape_by_sweeps(&mut task, watch)?,
            false => Shape::Other,
        };
        let mut outcome = match shape {
            _ if is_in_parts => self.by_factors(&mut task, watch)?,
            Shape::Lattice => Outcome::Slow,
            Shape::Uneven => {
                // That is the first of the methods.
                methods.next();
                self.until_some_are_left(&mut task, watch)?
            }
            Shape::Other => self.in_turn(methods.by_ref().take(1), &mut task, watch)?,
        };
        if is_automatic && !matches!(outcome, Outcome::Answer(_)) {
            outcome = self.otherwise(outcome, shape, &mut task, watch)?;
        }
        if let Outcome::Failed = outcome {
            outcome = self.by_what_is_left(methods, &mut task, watch)?;
        }
        Ok(outcome)
    }

    /// Tries the methods that are left, and sums where one of them has solved the equations and leaves some probability uncertain.
    fn by_what_is_left(
        &self,
        methods: impl Iterator<Item = Box<dyn IterativeMethod>>,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, Error> {
        let outcome = self.in_turn(methods, task, watch)?;
        let Outcome::Uncertain = outcome else { return Ok(outcome) };
        Ok(self.sums_from_estimate(task, watch)?.answer().map_or(outcome, Outcome::Answer))
    }

    /// The chain's nearly decomposable parts.
    fn decomposition(&self, watch: &mut Watch<'_>) -> Result<Decomposition, Error> {
        Decomposition::find(self.chain, self.budget.left(), watch).map_err(|halt| self.preparing(halt))
    }

    /// Tries methods until one gives an answer within the tolerance, or comes to its end with one that is not certain.
    fn in_turn(
        &self,
        methods: impl Iterator<Item = Box<dyn IterativeMethod>>,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, Error> {
        let states = self.chain.states() as u64;
        for method in methods {
            let name = method.method();
            // The error is estimated after the method has freed its vectors, so the larger of the two counts.
            let estimate = bicgstab::memory(states, task.width) + states;
            let bytes = 8 * states + method.memory(states, self.chain.rates()).max(estimate);
            if self.budget.beside(task.decomposition.memory()).check(bytes).is_err() {
                task.tried.push(format!("{name} {TOO_LARGE}"));
                continue;
            }
            if !task.pi.iter().all(|value| value.is_finite()) {
                *task.pi = self.chain.start();
            }
            let is_in_parts = task.decomposition.split().count() > 1;
            let mut budget = Iterations::new(watch, task.most).probing(task.probe, is_in_parts);
            budget.is_swept = task.is_swept;
            budget.hopeless = task.hopeless;
            let outcome = self.attempt(&*method, task, &mut budget);
            let (iterations, defect, clipped) = (budget.done, budget.defect, budget.clipped);
            // After a stop the numbers of a watched chain mean nothing.
            let outcome = check(budget.watch()).and(outcome);
            match outcome {
                Ok((Estimate { error, amplification, .. }, by))
                    if error <= self.options.tolerance && task.pi.iter().all(|&value| value > NEGLIGIBLE) =>
                {
                    let pi = std::mem::take(task.pi);
                    let certified = Certified::Probabilities;
                    let is_in_one_part = task.decomposition.is_of_one_part();
                    let found = Iterated {
                        method: name,
                        order: None,
                        amplification,
                        estimated_by: by,
                        is_in_one_part,
                    };
                    let way = Way::Probabilities(Box::new(found));
                    let answer =
                        Answer { pi, method: name, iterations, error, certified, defect, clipped, way };
                    return Ok(Outcome::Answer(answer));
                }
                Ok((Estimate { error, .. }, _)) if error <= self.options.tolerance => {
                    task.tried.push(format!(
                        "{name} found probabilities below {NEGLIGIBLE:e}, too small to be sure of"
                    ));
                    return Ok(Outcome::Uncertain);
                }
                // The chain amplifies the defects of the next method just as much, so trying that is of no use.
                Ok((Estimate { error, .. }, _)) => {
                    task.tried.push(uncertain(name, defect, iterations, error));
                    return Ok(Outcome::Uncertain);
                }
                Err(halt) => {
                    task.tried.push(self.ended(name, halt, (iterations, defect))?);
                    if let Halt::Slow = halt {
                        return Ok(Outcome::Slow);
                    }
                }
            }
        }
        Ok(Outcome::Failed)
    }

    /// Solves for sums where the probabilities of all states are not to be had.
    fn with_sums_instead(
        &self,
        most: u64,
        beginning: Beginning<'_>,
        tried: &mut Vec<String>,
        watch: &mut Watch<'_>,
    ) -> Result<Sums, Error> {
        let may_be_slow = matches!(beginning, Beginning::Estimate(_)) && self.chain.states() >= PROBED;
        let mut budget =
            Iterations::new(watch, most.min(MOST_FOR_SUMS)).probing(may_be_slow.then_some(SMALL), true);
        let outcome = self.for_sums(beginning, &mut budget);
        let (iterations, defect) = (budget.done - budget.aside, budget.defect);
        let outcome = check(budget.watch()).map_err(Unsolved::Halt).and(outcome);
        match outcome {
            Ok(sums) => {
                if let Sums::Uncertain { error, .. } = sums {
                    tried.push(format!(
                        "for sums alone, BiCGSTAB reached the defect {defect:.1e} after {iterations} iterations, which leaves them uncertain{}",
                        would_do(error)
                    ));
                }
                Ok(sums)
            }
            Err(Unsolved::Error(error)) => Err(error),
            Err(Unsolved::Halt(halt)) => {
                let ended = self.ended("BiCGSTAB", halt, (iterations, defect))?;
                tried.push(format!("for sums alone, {ended}"));
                Ok(Sums::Unsolved)
            }
        }
    }

    /// How a method ended without an answer, in words; an error if a limit ends the work.
    fn ended(
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
            Halt::Memory => Ok(format!("{name} {TOO_LARGE}")),
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

    /// The most iterations where a method is likely to have an answer before elimination would: twice as many as that is worth, if it is within reach.
    fn most_before_elimination(&self) -> u64 {
        let most = self.limits.iterations;
        self.trial.map_or(most, |worth| most.min(2 * worth))
    }

    /// The type in which vectors are stored: `f32` where `f64` would not fit.
    fn width(&self, decomposition: &Decomposition) -> Width {
        let states = self.chain.states() as u64;
        let bytes = decomposition.memory() + 9 * states + bicgstab::memory(states, Width::Double);
        if bytes <= self.budget.left() { Width::Double } else { Width::Single }
    }

    /// The defect to ask a method for: a share of the tolerance, or what is likely to be enough, where it is known how a chain nearby amplifies defects.
    fn aim(&self, share: f64, known: Option<&Amplification>) -> f64 {
        let least = BEST_DEFECT.max(share * self.options.tolerance);
        match known {
            Some(known) if share == SHARES[0] => least.max(ENOUGH * self.options.tolerance / known.amplified),
            _ => least,
        }
    }

    /// Runs one method until its estimated error is small enough or no longer falls. Returns that error, and how it was estimated.
    fn attempt(
        &self,
        method: &dyn IterativeMethod,
        task: &mut Turns<'_>,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(Estimate, EstimatedBy), Halt> {
        let mut found = (Estimate::NONE, EstimatedBy::NewDefects);
        // Elimination is to follow then.
        let ends_early = task.most < self.limits.iterations;
        let is_known = task.amplification.is_some() || task.decomposition.split().count() > 1;
        for share in SHARES {
            let target = self.aim(share, task.amplification);
            budget.accepted = if share < SHARES[0] || is_known { target } else { NEARLY * target };
            if share < SHARES[0] {
                // That may be less than what rounding leaves. Who took many iterations takes more now, too.
                budget.stalling(USABLE_DEFECT, budget.done / 4);
            }
            let are_sweeps_enough = share < SHARES[0] && self.sweeps_are_enough(&found.0, task, budget)?;
            if !are_sweeps_enough {
                match self.approach(method, task.decomposition, task.pi, target, budget) {
                    // How far off the answer is that was found is known.
                    Err(Halt::Iterations) if ends_early && share < SHARES[0] => break,
                    outcome => outcome?,
                }
            }
            budget.end_stalling();
            budget.end_probe();
            // An answer that was found is worth an estimate of its error.
            budget.allow_as_many(self.limits.iterations);
            let goes_on = share > SHARES[1] && target > BEST_DEFECT;
            let (before, _) = std::mem::replace(&mut found, (Estimate::NONE, EstimatedBy::NewDefects));
            // Where iterations get no further, what former defects say may be more than it has to be.
            let is_of_use = |again: &Estimate| again.error <= self.options.tolerance || target > BEST_DEFECT;
            found = match self.error_again(task, budget)?.filter(is_of_use) {
                Some(estimate) => (estimate, EstimatedBy::FormerDefects),
                None => {
                    let given = (&*task, suiting(method.at_last()));
                    let estimate = match self.error_after(before, given, goes_on, budget) {
                        // Another method would find the same answer, and be as long in estimating its error.
                        Err(Halt::Iterations) if ends_early => Estimate::NONE,
                        estimate => estimate?,
                    };
                    (estimate, EstimatedBy::NewDefects)
                }
            };
            if found.0.error <= self.options.tolerance || target == BEST_DEFECT {
                break;
            }
        }
        Ok(found)
    }

    /// Runs a method until it reaches a defect, and corrects how the probability is split between the parts.
    fn approach(
        &self,
        method: &dyn IterativeMethod,
        decomposition: &Decomposition,
        pi: &mut [f64],
        target: f64,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(), Halt> {
        let is_in_parts = decomposition.split().count() > 1;
        let mut aim = if is_in_parts { target.max(FIRST_ROUND) } else { target };
        for _ in 0..ROUNDS {
            match method.solve(self.chain, pi, aim, budget) {
                Err(Halt::Stagnated) if budget.defect <= USABLE_DEFECT => {}
                outcome => outcome?,
            }
            if !is_in_parts {
                break;
            }
            // The correction changes the balance within the parts a little, by as much as the parts are connected. If that
            // leaves defects above the target, there is another round.
            decomposition.split().balance(self.chain, pi, budget)?;
            let defect = self.chain.balance(pi).defect;
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

/// The preconditioning with which the error of a method's answer is estimated: what suited the chain once suits it again.
fn suiting(method: MethodUsed) -> Preconditioning {
    match method {
        MethodUsed::BiCgStabDilu => Preconditioning::Dilu,
        MethodUsed::BiCgStabIlu | MethodUsed::GmresIlu => Preconditioning::Ilu0,
        _ => Preconditioning::Forward,
    }
}

/// The tolerance that an error is within, in words, if there is one of use.
fn would_do(error: f64) -> String {
    let would_do = [1e-9, 1e-8, 1e-7, 1e-6].into_iter().find(|&tolerance| error <= tolerance);
    would_do.map_or_else(String::new, |tolerance| format!(": a tolerance of {tolerance:e} would do"))
}
