//! What is tried where the first method gave no answer.
//!
//! Many such chains are lattices, as several queues are, over which probability is spread. A lattice of two
//! dimensions is eliminated in little time. On larger ones, sums are solved for: incomplete factors save a
//! third to a half of the iterations, rare states do not hold them up, and a certificate takes less time than
//! an estimate of the error of every probability.

use super::arrangement::{Arrangement, left_by};
use super::sums::{Beginning, Sums};
use super::sweeps::Shape;
use super::uneven::LEFT_BEHIND;
use super::{LEAST_FOR_SUMS, Outcome, PROBED, Problem, Turns};
use crate::error::{Error, NotConverged};
use crate::limits::Watch;
use crate::linear::bicgstab::BiCgStab;
use crate::linear::elimination::worth;
use crate::linear::elimination::worth::Worth;
use crate::linear::iteration::Iterations;
use crate::linear::krylov::Preconditioning;
use crate::linear::multilevel::Cycles;

/// A larger defect after a run with incomplete factors shows that the estimate before it made some states far
/// more likely than they are. Where sums are not certain, further runs mostly take long then, and elimination
/// takes less time where it is within reach.
const HOPELESS: f64 = 1e10;

/// What follows.
enum Next {
    /// Sums, where elimination is worth so many iterations.
    Sums(Worth),
    /// Nothing else.
    Ends(Outcome),
}

impl Problem<'_> {
    /// Tries what suits chains on which the first method gave no answer.
    pub(super) fn otherwise(
        &self,
        outcome: Outcome,
        shape: Shape,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, Error> {
        let is_slow = task.probe.take().is_some() && matches!(outcome, Outcome::Slow);
        if let Some(answer) = self.in_parts(&outcome, task, watch)? {
            return Ok(answer);
        }
        if is_slow {
            return self.instead_of_slow(shape, task, watch);
        }
        Ok(match self.sums_from_estimate(task, watch)? {
            Sums::Certain(answer) => Outcome::Answer(answer),
            Sums::Uncertain { pi, .. } => {
                *task.pi = pi;
                outcome
            }
            Sums::Unsolved => {
                *task.pi = self.chain.start();
                outcome
            }
        })
    }

    /// Solves for sums from what was found before, in as many iterations as each method may take.
    pub(super) fn sums_from_estimate(
        &self,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Sums, Error> {
        let most = task.most.max(LEAST_FOR_SUMS).min(self.limits.iterations);
        self.with_sums_instead(most, Beginning::Estimate(task.pi), task.tried, watch)
    }

    /// The answer of cycles of aggregation, if there is one, for a chain in parts.
    fn in_parts(
        &self,
        outcome: &Outcome,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Outcome>, Error> {
        let is_of_use = task.are_in_parts() && task.pi.len() >= PROBED && self.given.direction.is_none();
        if !is_of_use || matches!(outcome, Outcome::Uncertain) {
            return Ok(None);
        }
        *task.pi = self.chain.start();
        let outcome = self.by_method(&Cycles, task, watch)?;
        Ok(outcome.is_answer().then_some(outcome))
    }

    /// Tries elimination where that is cheap, sums, and incomplete factors. On an uneven chain, sums come
    /// before elimination.
    fn instead_of_slow(
        &self,
        shape: Shape,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, Error> {
        if shape == Shape::Other
            && let Some(answer) = self.sums_by_truncation(task, watch)?
        {
            return Ok(Outcome::Answer(answer));
        }
        let worth = match shape {
            Shape::Uneven => self.trial.map_or(Worth::OutOfReach, Worth::AtMost),
            Shape::Lattice | Shape::Other => match self.before_sums(task, watch)? {
                Next::Sums(worth) => worth,
                Next::Ends(outcome) => return Ok(outcome),
            },
        };
        let mut sums = self.sums_from_estimate(task, watch)?;
        if let Sums::Unsolved = sums {
            if let Some(answer) = self.sums_in_blocks(None, task, watch)? {
                return Ok(Outcome::Answer(answer));
            }
            sums = self.after_aggregation(task, watch)?;
        }
        match sums {
            Sums::Certain(answer) => return Ok(Outcome::Answer(answer)),
            Sums::Uncertain { pi, .. } => *task.pi = pi,
            Sums::Unsolved if self.in_best_order(worth, watch)?.iterations().is_some() => {
                return Ok(Outcome::Slow);
            }
            Sums::Unsolved => *task.pi = self.chain.start(),
        }
        self.by_factors(task, watch)
    }

    /// What comes before sums: elimination where it takes less time than all iterations of a method, and
    /// incomplete factors where it is somewhat dearer.
    fn before_sums(&self, task: &mut Turns<'_>, watch: &mut Watch<'_>) -> Result<Next, Error> {
        if let Some(worth) = self.trial
            && (!self.has_rare_states(task.pi) || worth::is_thick(self.chain))
            && worth::is_dear_for_its_length(self.chain, worth)
            && let Some(outcome) = self.by_factors_if_close(task, watch)?
        {
            return Ok(Next::Ends(outcome));
        }
        // No better order is needed to know that elimination takes less time.
        if self.is_eliminated_soon() {
            return Ok(Next::Ends(Outcome::Slow));
        }
        // What is slow is worth a look at what elimination costs in a good order.
        let worth = match self.options.direct_up_to > 0 {
            true => worth::of_slow(self.chain, LEAST_FOR_SUMS, self.budget.left(), watch)?,
            false => Worth::OutOfReach,
        };
        // Elimination takes less time than all iterations of a method would.
        if let Worth::Iterations(..LEAST_FOR_SUMS) = worth {
            return Ok(Next::Ends(Outcome::Slow));
        }
        if let Some(worth) = worth.iterations() {
            (task.most, task.hopeless) = (worth.min(task.most), HOPELESS);
        }
        Ok(Next::Sums(worth))
    }

    /// Whether the chain is eliminated in little time in its best order, which is looked for.
    pub(super) fn is_eliminated_in_best_order(&self, watch: &mut Watch<'_>) -> Result<bool, Error> {
        if self.options.direct_up_to == 0 {
            return Ok(false);
        }
        let worth = worth::of_slow(self.chain, u64::MAX, self.budget.left(), watch)?;
        Ok(worth.iterations().is_some())
    }

    /// What an elimination is worth in the best order, which is looked for if it is not known.
    fn in_best_order(&self, worth: Worth, watch: &mut Watch<'_>) -> Result<Worth, Error> {
        let Worth::AtMost(_) = worth else { return Ok(worth) };
        let priced = worth::in_best_order(self.chain, self.budget.left(), watch)?;
        Ok(priced.map_or(Worth::OutOfReach, Worth::Iterations))
    }

    /// Tries incomplete factors from what a method that was slow has left, where elimination follows if there
    /// is no answer. `None` where some states are far from their balance.
    fn by_factors_if_close(
        &self,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Outcome>, Error> {
        let arrangement = self.with_factors(watch)?;
        let start = self.smooth_start_if_close(&arrangement, task.pi, &mut Iterations::new(watch, task.most));
        let Some(start) = start.map_err(|halt| self.preparing(halt))? else { return Ok(None) };
        let most = self.most_before_elimination().min(worth::most_for_its_length(self.chain));
        (task.most, task.hopeless) = (most, HOPELESS);
        let outcome = self.by_factors_from((arrangement, start), task, watch)?;
        Ok(Some(if let Outcome::Answer(_) = outcome { outcome } else { Outcome::Slow }))
    }

    /// Tries BiCGSTAB with incomplete factors; with sweeps, which need neither factors nor a list, where
    /// there is no room for those.
    pub(super) fn by_factors(&self, task: &mut Turns<'_>, watch: &mut Watch<'_>) -> Result<Outcome, Error> {
        let arrangement = self.with_factors(watch)?;
        let start = arrangement.arranged(task.pi);
        self.by_factors_from((arrangement, start), task, watch)
    }

    fn by_factors_from(
        &self,
        (arrangement, mut pi): (Arrangement, Vec<f64>),
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, Error> {
        let before = pi.clone();
        let of_all = task.hopeless;
        if !task.are_in_parts() {
            task.hopeless = LEFT_BEHIND;
        }
        let mut outcome =
            self.improve_in_order((&arrangement, arrangement.method(task.width)), &mut pi, task, watch)?;
        task.hopeless = of_all;
        if let Outcome::Answer(answer) = outcome {
            return Ok(Outcome::Answer(arrangement.answer_by_state(answer)));
        }
        let chain = arrangement.chain(self.chain);
        let left_before = left_by(chain, &before);
        let is_better = |pi: &[f64]| left_by(chain, pi) < left_before;
        if matches!(outcome, Outcome::Failed) && is_better(&pi) {
            // Likely states may be right to all digits, though unlikely ones are not.
            *task.pi = arrangement.by_state(pi);
            let sums = self.sums_at_first(Beginning::Estimate(task.pi), task.tried, watch)?;
            if let Sums::Certain(answer) = sums {
                return Ok(Outcome::Answer(answer));
            }
            pi = arrangement.arranged(task.pi);
            outcome =
                self.improve_in_order((&arrangement, arrangement.method(task.width)), &mut pi, task, watch)?;
            if let Outcome::Answer(answer) = outcome {
                return Ok(Outcome::Answer(arrangement.answer_by_state(answer)));
            }
        }
        *task.pi = arrangement.by_state(if is_better(&pi) { pi } else { before });
        let lacks_memory =
            task.tried.methods.last().is_some_and(|tried| tried.ends_with(NotConverged::TOO_LARGE));
        match outcome {
            Outcome::Failed if lacks_memory => {
                drop(arrangement);
                self.by_method(&BiCgStab(Preconditioning::Forward, task.width), task, watch)
            }
            outcome => Ok(outcome),
        }
    }
}
