//! Chains whose probability is spread unevenly: many states are unlikely, and the first sweeps leave some of them far from their balance.
//!
//! Relative defects of unlikely states fall late. After a run of BiCGSTAB they may be as large as ever while likely states are right to all digits, and further runs
//! are spent on them alone. To throughputs and populations they add next to nothing. So sums are solved for as soon as that shows, unless rounding would leave them
//! uncertain.

use super::otherwise::OUT_OF_REACH;
use super::sums::{Beginning, Sums};
use super::sweeps::Shape;
use super::{Outcome, Problem, Turns};
use crate::error::Error;
use crate::limits::Watch;
use crate::linear::iteration::IterativeMethod;
use crate::order::Direction;

/// A larger defect after a run shows that it has left unlikely states behind.
pub(super) const LEFT_BEHIND: f64 = 1e-2;

/// The most iterations for sums before anything else was tried to its end. They take 40 to 190.
const MOST_AT_FIRST: u64 = 300;

/// Probability hardly flows in a direction if the share of the unlikely transitions is below the first of these, and what leads back has less than the second probability. To find its order takes
/// long then, and where peers share files it is of no use. In clusters hardly more transitions are unlikely, but the probability that leads back is two thirds.
const HARDLY_UNLIKELY: f64 = 0.35;
const HARDLY_BACK: f64 = 0.36;

impl Problem<'_> {
    /// Tries a method until a run of it leaves unlikely states behind, and then sums. If these are not certain, the method goes on.
    pub(super) fn until_some_are_left(
        &self,
        method: impl Fn() -> Box<dyn IterativeMethod>,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, Error> {
        let of_all = std::mem::replace(&mut task.hopeless, LEFT_BEHIND);
        let outcome = self.in_turn(std::iter::once(method()), task, watch)?;
        task.hopeless = of_all;
        let Outcome::Failed = outcome else { return Ok(outcome) };
        match self.sums_if_certain(OUT_OF_REACH, task, watch)? {
            Sums::Certain(answer) => return Ok(Outcome::Answer(answer)),
            Sums::Uncertain(pi) => *task.pi = pi,
            Sums::Unsolved => {}
        }
        self.in_turn(std::iter::once(method()), task, watch)
    }

    /// Solves for sums where probability hardly flows in a direction and is uneven. Where many states are rare, the order of the flow is of more use. If sums are not certain, everything is as it
    /// was before.
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
}
