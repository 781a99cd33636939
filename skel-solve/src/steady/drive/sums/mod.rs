//! Solves for what is asked, rather than for every probability.
//!
//! The other methods make the relative defect of every state small. Where a chain has states of probability
//! `1e-300`, these weigh as much as all others then, and no Krylov method gets anywhere. Here the equations
//! stay as they are, so that a flow counts as it is large. What is certain afterwards are sums, by a
//! [`Certificate`].

mod certificate;
mod refinement;

use std::borrow::Cow;

use super::likely::{Likely, RARE};
use super::sweeps::{left, smooth};
use super::turns::would_do;
use super::{Answer, MOST_FOR_SUMS, PROBED, Problem, Tried, Turns};
use crate::error::Error;
use crate::limits::Watch;
use crate::limits::memory::MemoryBudget;
use crate::linear::bicgstab::{self, Plain};
use crate::linear::iteration::{Halt, Iterations, SMALL, check};
use crate::linear::krylov::{Source, Width};
use crate::measure::asked::distances;
use crate::operator::TriangularSweep;
use crate::steady::Certified;
use crate::steady::drive::arrangement::{Arrangement, left_by};
use crate::steady::former::{Certifying, Way};
use certificate::{Certificate, Certifier};
use refinement::Refined;

/// The total defect that iterations aim at, and the same where probability flows in a direction: rare states
/// are multiplied by large numbers there.
const TARGET: f64 = 1e-14;
pub(super) const TARGET_ALONG_FLOW: f64 = 1e-15;

/// The total defect of all states that is small enough where it comes from a solution of the likely ones.
pub(super) const REACHED_BY_LIKELY: f64 = NEARLY * TARGET_ALONG_FLOW;

/// The largest total defect at which the result of a method that gets no further is still considered.
const USABLE: f64 = 1e-12;

/// The total defect that a solution from another one aims at, relative to that with which sums were just
/// within the tolerance. Runs leave less than they are asked for, and asked for too little they end at the
/// limit of rounding.
const AIM: f64 = 2.0;

/// By how much what rare states leave may be more than what the likely ones alone were solved to.
const NEARLY: f64 = 2.0;

/// The sweeps over a solution for likely states and over one whose sums are nearly certain, and those over a
/// solution for all states where probability flows in a direction.
const SWEEPS: usize = 10;
const SMOOTHING: usize = 5;

/// The sweeps over what another method has left. They take the time of about a dozen iterations, and save up
/// to hundreds on queues in three dimensions.
const SMOOTHING_A_START: usize = 60;

/// The largest defect of a state that the first [`SWEEPS`] of these have brought close to its probability.
/// They leave up to 0.2 on lattices, 1.4 of a token that serves queues, and `1e40` where most states are
/// rare.
const CLOSE_AT_FIRST: f64 = 0.5;

/// The total defect that ninety iterations from what sweeps have left are to reach. Thirty are too few to say:
/// among 200 to 400 people, an epidemic is above 0.01 then, and takes a third to nine tenths of the time that
/// other methods take.
const SMALL_FOR_SUMS: f64 = 1e-2;

impl Problem<'_> {
    /// Solves for sums where the probabilities of all states are not to be had.
    pub(super) fn with_sums_instead(
        &self,
        most: u64,
        beginning: Beginning<'_>,
        tried: &mut Tried,
        watch: &mut Watch<'_>,
    ) -> Result<Sums, Error> {
        let (small, is_patient) = beginning.probe();
        let small = small.filter(|_| self.chain.states() >= PROBED);
        let mut budget = Iterations::new(watch, most.min(MOST_FOR_SUMS)).probing(small, is_patient);
        let method = if matches!(beginning, Beginning::InBlocks(..)) {
            "BiCGSTAB with block Gauss-Seidel"
        } else {
            "BiCGSTAB"
        };
        let outcome = self.for_sums(beginning, &mut budget);
        let (iterations, defect) = (budget.done - budget.aside, budget.defect);
        let outcome = check(budget.watch()).map_err(Unsolved::Halt).and(outcome);
        match outcome {
            Ok(sums) => {
                if let Sums::Uncertain { error, .. } = sums {
                    let reached = format!(
                        "for sums alone, {method} reached the defect {defect:.1e} after {iterations} iterations, which leaves them uncertain{}",
                        would_do(error)
                    );
                    tried.add(reached, iterations);
                }
                Ok(sums)
            }
            Err(Unsolved::Error(error)) => Err(error),
            Err(Unsolved::Halt(halt)) => {
                let ended = self.ended(method, halt, (iterations, defect))?;
                tried.add(format!("for sums alone, {ended}"), iterations);
                Ok(Sums::Unsolved)
            }
        }
    }

    /// Solves for sums with the chain's blocks eliminated, from an estimate or from that of the task. `None`
    /// if the chain has no blocks that take little time, and if this was tried before.
    pub(super) fn sums_in_blocks(
        &self,
        estimate: Option<&[f64]>,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Answer>, Error> {
        if std::mem::replace(&mut task.had_blocks, true) || !self.is_probed() {
            return Ok(None);
        }
        let arranged = self.in_blocks(watch).map_err(|halt| self.preparing(halt))?;
        let Some(arrangement) = arranged else { return Ok(None) };
        let start = self.better_start(&arrangement, estimate.unwrap_or(task.pi));
        let beginning = Beginning::InBlocks(start, Box::new(arrangement));
        let sums = self.with_sums_instead(self.limits.iterations, beginning, task.tried, watch)?;
        Ok(sums.answer())
    }

    /// Solves until all sums are certain to be within the tolerance.
    fn for_sums(&self, beginning: Beginning<'_>, budget: &mut Iterations<'_, '_>) -> Result<Sums, Unsolved> {
        if self.given.asked.is_none() {
            return Ok(Sums::Unsolved);
        }
        let knows_rare_states = matches!(beginning, Beginning::Arranged { knows_rare_states: true, .. });
        let mut is_truncated = matches!(beginning, Beginning::Truncated { .. });
        let is_arranged = is_truncated || matches!(beginning, Beginning::Arranged { .. });
        let is_known_where = matches!(beginning, Beginning::Arranged { .. } | Beginning::Former(..));
        let former = beginning.former();
        let Some((mut pi, arrangement)) = self.arranged(beginning, budget)? else {
            return Ok(Sums::Unsolved);
        };
        let (memory, taken) = self.room_for_sums(&arrangement)?;
        if former.is_some_and(|former| former.is_truncated) {
            let memory = memory.beside(8 * pi.len() as u64);
            if let Some(found) = self.truncated_again(&arrangement, (&pi, memory), budget)? {
                (pi, is_truncated) = (found, true);
            }
        }
        let likely = match is_known_where && !is_truncated && !arrangement.is_in_blocks() {
            true => Likely::of(arrangement.chain(self.chain), (&pi, RARE), memory.beside(taken), budget)?,
            false => None,
        };
        let likely = likely.as_ref();
        let memory = memory.beside(likely.map_or(0, Likely::memory));
        let function = former.map(|former| &former.function);
        let certifier = Certifier::new((&arrangement, likely), function, memory, self.options.tolerance);
        let first = match is_truncated {
            true => REACHED_BY_LIKELY,
            false if is_arranged => TARGET_ALONG_FLOW,
            false => TARGET,
        };
        let target = former.filter(|_| !is_truncated).map_or(first, |former| former.defect);
        let arrangement = &arrangement;
        let task = Task { arrangement, likely, is_arranged, is_truncated, knows_rare_states, target };
        self.until_certain(task, (pi, certifier), budget)
    }

    /// What is left for sums beside an arranged chain, and the bytes that solving and certifying take of it.
    fn room_for_sums(&self, arrangement: &Arrangement) -> Result<(MemoryBudget, u64), Halt> {
        let (source, chain) = (arrangement.source(), arrangement.chain(self.chain));
        let (states, rates) = (chain.states() as u64, chain.rates());
        let memory = self.budget.beside(arrangement.memory());
        let solving = bicgstab::memory(states, Width::Double) + source.memory(states, rates);
        let certifying = certificate::memory(source, states, rates);
        let taken = 8 * states + solving.max(certifying) + refinement::memory(states);
        memory.check(taken).map_err(|_| Halt::Memory)?;
        Ok((memory, taken))
    }

    /// Solves to the target of a task and on from there, until the sums are certain or would not be more so.
    /// Where likely states alone are not enough, all are solved for as if none were known.
    fn until_certain(
        &self,
        task: Task<'_>,
        (mut pi, mut certifier): (Vec<f64>, Certifier<'_>),
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Sums, Unsolved> {
        let Task { arrangement, is_truncated, .. } = task;
        if task.likely.is_some() {
            let before = pi.clone();
            self.approach_sums(&task, &mut pi, budget)?;
            let refined = self.refine(arrangement, (&mut pi, &mut certifier), budget)?;
            if let Refined::Certain(error) = refined {
                return Ok(self.certain((arrangement, is_truncated), pi, (error, certifier), budget));
            }
            pi = before;
            certifier.forget_likely();
        }
        self.approach_sums(&Task { likely: None, ..task }, &mut pi, budget)?;
        Ok(match self.refine(arrangement, (&mut pi, &mut certifier), budget)? {
            Refined::Certain(error) => {
                self.certain((arrangement, is_truncated), pi, (error, certifier), budget)
            }
            Refined::Uncertain(error) => Sums::Uncertain { pi: arrangement.by_state(pi), error },
            Refined::Unknown => Sums::Unsolved,
        })
    }

    /// Solves the equations to a total defect, or as far as `f64` goes. Where likely states are known, theirs
    /// come first, and mostly no others are left then.
    fn approach_sums(
        &self,
        task: &Task<'_>,
        pi: &mut [f64],
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(), Halt> {
        let Task { arrangement, likely, is_arranged, knows_rare_states, target, .. } = *task;
        let chain = arrangement.chain(self.chain);
        let before = budget.done;
        if let (Some(likely), Some(list)) = (likely, chain.list()) {
            let mut of_likely = likely.taken(pi);
            let source = Source::Chain(arrangement.preconditioning);
            let task = (likely.chain() as &dyn TriangularSweep, source);
            let solved =
                budget.beside(|budget| solve_plainly(task, &mut of_likely, (target, target), budget))?;
            if solved.is_some() {
                smooth(likely.chain(), &mut of_likely, SWEEPS, budget)?;
                let estimate = knows_rare_states.then_some(&*pi);
                let spread = likely.spread(list, (&of_likely, estimate), budget)?;
                let least = target.max(budget.defect);
                let defect = left(chain, &spread).0;
                if defect <= NEARLY * least {
                    pi.copy_from_slice(&spread);
                    budget.defect = defect;
                    return Ok(());
                }
            }
        }
        solve_plainly((chain, arrangement.source()), pi, (target, USABLE), budget)?;
        if is_arranged && budget.done > before {
            // What iterations leave at rare states may be multiplied by large numbers.
            smooth(chain, pi, SMOOTHING, budget)?;
        }
        Ok(())
    }

    /// The answer whose sums have this error, by this function.
    fn certain(
        &self,
        (arrangement, is_truncated): (&Arrangement, bool),
        pi: Vec<f64>,
        (error, certifier): (f64, Certifier<'_>),
        budget: &Iterations<'_, '_>,
    ) -> Sums {
        let Some(Certificate(function)) = certifier.certificate else { return Sums::Unsolved };
        let (preconditioning, is_in_blocks) = (arrangement.preconditioning, arrangement.is_in_blocks());
        let (order, defect) = (arrangement.order().cloned(), self.defect_for_sums(error, budget.defect));
        let certifying = Certifying { preconditioning, is_in_blocks, is_truncated, order, defect, function };
        Sums::Certain(Answer {
            pi: arrangement.by_state(pi),
            method: bicgstab::method_by(arrangement.source()),
            iterations: budget.done,
            error,
            certified: Certified::Sums,
            defect: budget.defect,
            clipped: budget.clipped,
            way: Way::Sums(Box::new(certifying)),
        })
    }

    /// The total defect that should be enough for nearly the same rates, where this error belongs to this
    /// defect. A run that ends too early is dear, since the next one has to find all that is slow again.
    fn defect_for_sums(&self, error: f64, defect: f64) -> f64 {
        (AIM * self.options.tolerance / error * defect).clamp(TARGET_ALONG_FLOW, USABLE)
    }

    /// The distances that are known, or those from the sums of an estimate.
    fn known_distances(
        &self,
        certifier: &mut Certifier<'_>,
        pi: &[f64],
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Option<Vec<f64>>, Unsolved> {
        match certifier.distances.take() {
            Some(distances) => Ok(Some(distances)),
            None => self.distances(certifier.arrangement, pi, budget),
        }
    }

    /// The estimate to begin with, arranged as the chain is to be. `None` if the chain cannot be arranged as
    /// a former one was.
    fn arranged(
        &self,
        beginning: Beginning<'_>,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Option<(Vec<f64>, Arrangement)>, Halt> {
        match beginning {
            Beginning::Arranged { pi, arrangement, .. }
            | Beginning::Truncated { pi, arrangement }
            | Beginning::InBlocks(pi, arrangement) => Ok(Some((pi, *arrangement))),
            Beginning::Estimate(estimate) | Beginning::Swept(estimate) => {
                let arrangement = self.with_factors(budget.watch())?;
                Ok(Some((self.better_start(&arrangement, estimate), arrangement)))
            }
            Beginning::Former(start, former) => {
                let Some(arrangement) = self.arranged_as(former, budget.watch())? else { return Ok(None) };
                let mut pi = arrangement.arranged(start);
                arrangement.chain(self.chain).make_positive(&mut pi);
                Ok(Some((pi, arrangement)))
            }
        }
    }

    /// What a method that was slow has left, or the usual start if that leaves less, arranged as the chain
    /// is.
    fn better_start(&self, arrangement: &Arrangement, estimate: &[f64]) -> Vec<f64> {
        let start = self.chain.start();
        match left_by(self.chain, estimate) < left_by(self.chain, &start) {
            true => arrangement.arranged(estimate),
            false => arrangement.arranged(&start),
        }
    }

    /// The same after sweeps, for relative defects. A Krylov method leaves states that are far from their
    /// neighbours, and others in which its correction was negative; with these as weights, the next one goes
    /// astray for dozens of iterations. `None` if the first sweeps leave some states far from their balance:
    /// these are rare then, and iterations for all probabilities may not get anywhere.
    pub(super) fn smooth_start_if_close(
        &self,
        arrangement: &Arrangement,
        estimate: &[f64],
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Option<Vec<f64>>, Halt> {
        let chain = arrangement.chain(self.chain);
        let mut pi = self.better_start(arrangement, estimate);
        smooth(chain, &mut pi, SWEEPS, budget)?;
        if chain.balance(&pi).defect > CLOSE_AT_FIRST {
            return Ok(None);
        }
        smooth(chain, &mut pi, SMOOTHING_A_START - SWEEPS, budget)?;
        Ok(Some(pi))
    }

    /// The distances of the states in their arrangement; `None` if a sum has no digits.
    fn distances(
        &self,
        arrangement: &Arrangement,
        pi: &[f64],
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Option<Vec<f64>>, Unsolved> {
        let Some(asked) = self.given.asked else { return Ok(None) };
        let orders = [self.given.order, arrangement.order().map(|order| &**order)];
        let orders = orders.into_iter().flatten();
        let by_state = orders.clone().rev().fold(Cow::Borrowed(pi), |pi, order| order.restored(&pi).into());
        let found =
            distances(asked, &by_state, self.budget.left(), budget.watch()).map_err(Unsolved::Error)?;
        Ok(found.map(|found| orders.fold(found, |distances, order| order.arranged(&distances))))
    }
}

/// How a solution for sums ends.
pub(super) enum Sums {
    Certain(Answer),
    /// The equations are solved as well as can be, and the sums are not certain all the same.
    Uncertain {
        pi: Vec<f64>,
        /// The least error that was certified.
        error: f64,
    },
    /// Nothing was solved.
    Unsolved,
}

impl Sums {
    pub(super) fn answer(self) -> Option<Answer> {
        if let Sums::Certain(answer) = self { Some(answer) } else { None }
    }
}

/// What sums are solved from.
pub(super) enum Beginning<'b> {
    /// A solution for nearly the same rates, and how it was found.
    Former(&'b [f64], &'b Certifying),
    /// What another method has left.
    Estimate(&'b [f64]),
    /// What a few sweeps have left, where the caller tries something else if this is slow.
    Swept(&'b [f64]),
    /// An estimate whose states are arranged, and whether it tells how rare rare states are, as an
    /// [aggregation by component](super::components) does.
    Arranged { pi: Vec<f64>, arrangement: Box<Arrangement>, knows_rare_states: bool },
    /// A solution of all states by way of a few of them, as by [truncation](super::truncation).
    Truncated { pi: Vec<f64>, arrangement: Box<Arrangement> },
    /// What another method has left, arranged like the chain, of which blocks have been eliminated.
    InBlocks(Vec<f64>, Box<Arrangement>),
}

impl<'b> Beginning<'b> {
    /// How a solution for nearly the same rates was found, if it begins with one.
    fn former(&self) -> Option<&'b Certifying> {
        if let Beginning::Former(_, former) = self { Some(former) } else { None }
    }

    /// The defect that the first iterations have to reach, or else end early, if they may: within ninety if
    /// there is time for it, and otherwise within thirty.
    fn probe(&self) -> (Option<f64>, bool) {
        match self {
            Beginning::Former(..) | Beginning::Arranged { .. } | Beginning::Truncated { .. } => (None, false),
            Beginning::Estimate(_) => (Some(SMALL), true),
            Beginning::Swept(_) => (Some(SMALL_FOR_SUMS), true),
            Beginning::InBlocks(..) => (Some(SMALL), false),
        }
    }
}

/// Equations that are to be solved for sums.
#[derive(Clone, Copy)]
struct Task<'t> {
    arrangement: &'t Arrangement,
    likely: Option<&'t Likely>,
    /// Whether the estimate was arranged with the chain.
    is_arranged: bool,
    /// Whether it is the solution of some likely states.
    is_truncated: bool,
    /// Whether it says about how rare rare states are.
    knows_rare_states: bool,
    target: f64,
}

/// Solves the equations of a chain to a total defect, or after a run to one that is accepted; a usable one
/// where the method gets no further.
pub(super) fn solve_plainly(
    (chain, source): (&dyn TriangularSweep, Source<'_>),
    pi: &mut [f64],
    targets: (f64, f64),
    budget: &mut Iterations<'_, '_>,
) -> Result<(), Halt> {
    let mut method = Plain::new(chain, source.of(chain, budget.watch())?);
    budget.stalling(USABLE, 0);
    match method.solve(pi, targets, budget) {
        Err(Halt::Stagnated) if budget.defect <= USABLE => {}
        outcome => outcome?,
    }
    // A certificate may take the iterations that it takes.
    budget.end_stalling();
    budget.end_probe();
    Ok(())
}

/// Why there is no answer.
pub(super) enum Unsolved {
    Halt(Halt),
    Error(Error),
}

impl From<Halt> for Unsolved {
    fn from(halt: Halt) -> Unsolved {
        Unsolved::Halt(halt)
    }
}
