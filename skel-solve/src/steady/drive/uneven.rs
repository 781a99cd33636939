//! Chains whose probability is spread unevenly: many states are unlikely, and the first sweeps leave some of them far from their balance.
//!
//! Relative defects of unlikely states fall late. After a run of BiCGSTAB they may be as large as ever while likely states are right to all digits, and further runs
//! are spent on them alone. To throughputs and populations they add next to nothing. So sums are solved for as soon as that shows, unless rounding would leave them
//! uncertain.

use std::borrow::Cow;

use super::likely::count_likely;
use super::sums::{Beginning, Sums};
use super::sweeps::Shape;
use super::{Outcome, Problem, Turns};
use crate::error::Error;
use crate::limits::Watch;
use crate::linear::bicgstab::BiCgStab;
use crate::linear::krylov::Preconditioning;
use crate::measure::asked::distances;
use crate::order::Direction;
use crate::vector::worst;

/// A bound on sums is likely to be above `1e-10` by rounding alone where the mean distance of a state from these sums, divided by the probability of the likeliest
/// state, is larger than this. Three queues in a line with 50 places each have 400,000, a closed network has 2,000.
const OUT_OF_REACH: f64 = 2e4;

/// The same where the estimate is what a run has found. Its likeliest state is likelier than after a few sweeps, so the number is smaller. Three queues in a tree with 45 places each have 280,000 after
/// sweeps and 700 after a run, and rounding adds `1e-11` to their bound. Three queues of an open network have 1900 after a run, and it adds `1.2e-10`.
pub(super) const OUT_OF_REACH_AT_LAST: f64 = 1e3;

/// A state is rare below this share of the largest probability, and many states are from this share of all on. Where the first iterations leave as many rare ones, relative
/// defects often fall late or not at all: for two queues with 150 places each that are served in turns, 505 iterations led nowhere. Where elimination is within reach, none
/// are tried then.
const RARE: f64 = 1e-18;
const MANY: f64 = 0.1;

/// A larger defect after a run shows that it has left unlikely states behind.
pub(super) const LEFT_BEHIND: f64 = 1e-2;

/// The most iterations for sums before anything else was tried to its end. They take 40 to 190.
const MOST_AT_FIRST: u64 = 300;

/// Probability hardly flows in a direction where [`Direction::unlikely`] is below the first of these and [`Direction::back`] below the second. It takes as long as ever to find the order of such a flow,
/// and where peers share files that order is of no use. Clusters are not much above the first, at 0.4, but far above the second, at 0.63 or more.
const HARDLY_UNLIKELY: f64 = 0.35;
const HARDLY_BACK: f64 = 0.36;

impl Problem<'_> {
    /// Tries BiCGSTAB with sweeps until a run of it leaves unlikely states behind, and then sums. If these are not certain, the method goes on.
    pub(super) fn until_some_are_left(
        &self,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, Error> {
        let method = BiCgStab(Preconditioning::Forward, task.width);
        let of_all = std::mem::replace(&mut task.hopeless, LEFT_BEHIND);
        let outcome = self.by_method(&method, task, watch)?;
        task.hopeless = of_all;
        let Outcome::Failed = outcome else { return Ok(outcome) };
        match self.sums_if_certain(OUT_OF_REACH, task, watch)? {
            Sums::Certain(answer) => return Ok(Outcome::Answer(answer)),
            Sums::Uncertain { pi, .. } => *task.pi = pi,
            Sums::Unsolved => {}
        }
        self.by_method(&method, task, watch)
    }

    /// Solves for sums where probability hardly flows in a direction and many states are unlikely, though not rare: for rare ones the order of the flow is of more use. Where sums are not certain,
    /// the task is left as it was.
    pub(super) fn before_flow(
        &self,
        direction: &Direction,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, Error> {
        if direction.unlikely >= HARDLY_UNLIKELY || direction.back >= HARDLY_BACK {
            return Ok(Outcome::Failed);
        }
        let probe = task.probe;
        let sums = match self.shape_by_sweeps(task, watch)? {
            Shape::Uneven if !self.has_rare_states(task.pi) => {
                self.sums_if_certain(OUT_OF_REACH, task, watch)?
            }
            Shape::Uneven | Shape::Lattice | Shape::Other => Sums::Unsolved,
        };
        (task.probe, task.is_swept) = (probe, false);
        *task.pi = self.chain.start();
        Ok(sums.answer().map_or(Outcome::Failed, Outcome::Answer))
    }

    /// Solves for sums if they may be certain then, by how far states are from them.
    pub(super) fn sums_if_certain(
        &self,
        reach: f64,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Sums, Error> {
        if !self.are_within(reach, task.pi, watch)? {
            return Ok(Sums::Unsolved);
        }
        let most = MOST_AT_FIRST.min(self.limits.iterations);
        self.with_sums_instead(most, Beginning::Estimate(task.pi), task.tried, watch)
    }

    /// Whether many states are rare by an estimate.
    pub(super) fn has_rare_states(&self, estimate: &[f64]) -> bool {
        let pi = self.made_positive(estimate);
        let rare = pi.len() - count_likely(&pi, RARE);
        rare as f64 >= MANY * pi.len() as f64
    }

    /// A copy of an estimate without negative values.
    fn made_positive(&self, estimate: &[f64]) -> Vec<f64> {
        let mut pi = estimate.to_vec();
        self.chain.make_positive(&mut pi);
        pi
    }

    /// Whether sums are likely to be certain once the equations are solved. The comparison function of a certificate is about the cost of a way to
    /// the likeliest state, and what rounding leaves is multiplied by it.
    pub(super) fn may_be_certain(&self, estimate: &[f64], watch: &mut Watch<'_>) -> Result<bool, Error> {
        self.are_within(OUT_OF_REACH, estimate, watch)
    }

    /// Whether the mean distance of a state from the sums of an estimate, divided by the probability of the likeliest state, is no larger than this.
    pub(super) fn are_within(
        &self,
        reach: f64,
        estimate: &[f64],
        watch: &mut Watch<'_>,
    ) -> Result<bool, Error> {
        let Some(asked) = self.given.asked else { return Ok(false) };
        let pi = self.made_positive(estimate);
        let pi = self.given.order.map_or(Cow::Borrowed(&pi), |order| Cow::Owned(order.restored(&pi)));
        let Some(distances) = distances(asked, &pi, self.budget.left(), watch)? else { return Ok(false) };
        let mean: f64 = distances.iter().zip(&*pi).map(|(distance, value)| distance * value).sum();
        Ok(mean <= reach * worst(&pi))
    }
}
