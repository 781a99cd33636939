//! Chains whose probability is spread unevenly: many states are unlikely, and the first sweeps leave some of
//! them far from their balance.
//!
//! Relative defects of unlikely states fall late. After a run of BiCGSTAB they may be as large as ever while
//! likely states are right to all digits, and further runs are spent on them alone. To throughputs and
//! populations they add next to nothing. So sums are solved for as soon as that shows.

use super::likely::count_likely;
use super::sums::{Beginning, Sums};
use super::sweeps::Shape;
use super::{Answer, Outcome, Problem, Tried, Turns};
use crate::error::Error;
use crate::limits::Watch;
use crate::linear::bicgstab::BiCgStab;
use crate::linear::iteration::IterativeMethod;
use crate::linear::krylov::Preconditioning;
use crate::order::Direction;

/// A state is rare below this share of the largest probability, and many states are from this share of all
/// on. Where the first iterations leave as many rare ones, relative defects often fall late or not at all:
/// for two queues with 150 places each that are served in turns, 505 iterations led nowhere. Where
/// elimination is within reach, none are tried then.
const RARE: f64 = 1e-18;
const MANY: f64 = 0.1;

/// Where at least this share of the states is rare, the order of the flow is of use even if most transitions
/// have no direction.
const MOSTLY: f64 = 0.5;

/// A larger defect after a run shows that it has left unlikely states behind.
pub(super) const LEFT_BEHIND: f64 = 1e-2;

/// The most iterations for sums before anything else was tried to its end. They take 40 to 190.
pub(super) const MOST_AT_FIRST: u64 = 300;

/// Probability hardly flows in a direction where [`Direction::unlikely`] is below this. To find the order of
/// such a flow takes as long as ever, and it is mostly of no use: not where peers share files, nor in eight of
/// eleven models of parts drawn at random. Clusters are above, at 0.4.
const HARDLY: f64 = 0.38;

impl Problem<'_> {
    /// Tries BiCGSTAB until a run of it leaves unlikely states behind, and then sums. If these are not
    /// certain, the method goes on.
    pub(super) fn until_some_are_left(
        &self,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, Error> {
        let method = self.first_for_uneven(task);
        let of_all = std::mem::replace(&mut task.hopeless, LEFT_BEHIND);
        let outcome = self.by_method(&method, task, watch)?;
        task.hopeless = of_all;
        let Outcome::Failed = outcome else { return Ok(outcome) };
        match self.sums_at_first(Beginning::Estimate(task.pi), task.tried, watch)? {
            Sums::Certain(answer) => return Ok(Outcome::Answer(answer)),
            Sums::Uncertain { pi, .. } => *task.pi = pi,
            Sums::Unsolved => {}
        }
        self.by_method(&method, task, watch)
    }

    /// BiCGSTAB with incomplete factors, which on most such chains take less time than sweeps; with
    /// sweeps where the rates are no list, or where there is no room for the factors.
    fn first_for_uneven(&self, task: &Turns<'_>) -> BiCgStab {
        let by_factors = BiCgStab(Preconditioning::Dilu, task.width);
        let (states, rates) = (self.chain.states() as u64, self.chain.rates());
        let bytes = 8 * states + by_factors.memory(states, rates);
        let fits = self.budget.beside(task.decomposition.memory()).check(bytes).is_ok();
        match self.chain.list() {
            Some(_) if fits => by_factors,
            _ => BiCgStab(Preconditioning::Forward, task.width),
        }
    }

    /// Solves for sums where probability hardly flows in a direction and many states are unlikely, though few
    /// are rare. Where sums are not certain, the task is left as it was.
    pub(super) fn before_flow(
        &self,
        direction: &Direction,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, Error> {
        if direction.unlikely >= HARDLY {
            return Ok(Outcome::Failed);
        }
        let probe = task.probe;
        let shape = self.shape_by_sweeps(task, watch)?;
        if shape == Shape::Uneven
            && let Some(answer) = self.sums_where_few_are_likely(task, watch)?
        {
            return Ok(Outcome::Answer(answer));
        }
        let is_overdue = self.is_elimination_overdue(task);
        let sums = match shape {
            Shape::Uneven if !is_overdue && self.share_of_rare_states(task.pi) < MOSTLY => {
                self.sums_at_first(Beginning::Swept(task.pi), task.tried, watch)?
            }
            Shape::Uneven | Shape::Lattice | Shape::Other => Sums::Unsolved,
        };
        (task.probe, task.is_swept) = (probe, false);
        *task.pi = self.chain.start();
        Ok(sums.answer().map_or(Outcome::Failed, Outcome::Answer))
    }

    /// Solves for sums where few states are likely, once for each chain: aggregation by component or truncation
    /// says which. The estimate of the task stays as it was.
    pub(super) fn sums_where_few_are_likely(
        &self,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Answer>, Error> {
        // A descriptor is not copied only to look.
        if self.chain.list().is_some()
            && let Some(answer) = self.sums_by_truncation(task, watch)?
        {
            return Ok(Some(answer));
        }
        self.sums_by_components(task, watch)
    }

    /// Solves for sums in so few iterations that other methods may follow.
    pub(super) fn sums_at_first(
        &self,
        beginning: Beginning<'_>,
        tried: &mut Tried,
        watch: &mut Watch<'_>,
    ) -> Result<Sums, Error> {
        self.with_sums_instead(MOST_AT_FIRST.min(self.limits.iterations), beginning, tried, watch)
    }

    /// Whether many states are rare by an estimate.
    pub(super) fn has_rare_states(&self, estimate: &[f64]) -> bool {
        self.share_of_rare_states(estimate) >= MANY
    }

    /// The share of the states that are rare by an estimate.
    pub(super) fn share_of_rare_states(&self, estimate: &[f64]) -> f64 {
        let mut pi = estimate.to_vec();
        self.chain.make_positive(&mut pi);
        1.0 - count_likely(&pi, RARE) as f64 / pi.len() as f64
    }
}
