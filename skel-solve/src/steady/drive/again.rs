//! Solves once more by the way that led to an answer for nearby rates.
//!
//! An attempt that gives no answer leaves nothing: then everything is done as for a chain of which nothing is known. So a start that is
//! of no use costs iterations, and no digits.

use super::sums::Beginning;
use super::{Outcome, Problem, Turns, methods};
use crate::error::Error;
use crate::limits::Watch;
use crate::linear::MethodUsed;
use crate::linear::iteration::{Halt, Iterations};
use crate::linear::krylov::Width;
use crate::steady::Method;
use crate::steady::decomposition::Decomposition;
use crate::steady::drive::{Answer, MOST_FOR_SUMS, PROBED};
use crate::steady::error_estimate::{self, Amplification, Estimate};
use crate::steady::former::Way;

impl Problem<'_> {
    /// Solves for sums from a former solution for sums.
    pub(super) fn sums_again(
        &self,
        tried: &mut Vec<String>,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Answer>, Error> {
        let (Some(start), Some((former, _))) = (self.given.start, self.given.former) else { return Ok(None) };
        match &former.way {
            Way::Sums(certifying) if self.options.method == Method::Automatic => {
                let most = self.limits.iterations.min(MOST_FOR_SUMS);
                self.with_sums_instead(most, Beginning::Former(start, certifying), tried, watch)
            }
            _ => Ok(None),
        }
    }

    /// Solves from a given start, by the method that had the answer before.
    pub(super) fn again(
        &self,
        decomposition: &Decomposition,
        width: Width,
        tried: &mut Vec<String>,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Answer>, Error> {
        let Some(start) = self.given.start else { return Ok(None) };
        let (method, amplification) = self.known();
        let mut methods = methods(self.options.method, width);
        let known = method.and_then(|known| methods.iter().position(|method| method.method() == known));
        let method = methods.swap_remove(known.unwrap_or(0));
        let mut pi = match amplification {
            Some(_) => {
                let mut pi = start.to_vec();
                self.chain.make_positive(&mut pi);
                pi
            }
            None => self.chain.near(start),
        };
        let most = self.trial.map_or(self.limits.iterations, |trial| trial.min(self.limits.iterations));
        let is_probe = self.options.method == Method::Automatic && pi.len() >= PROBED;
        let pi = &mut pi;
        let mut task = Turns { decomposition, width, most, is_probe, amplification, pi, tried };
        let outcome = self.in_turn(std::iter::once(method), &mut task, watch)?;
        Ok(if let Outcome::Answer(answer) = outcome { Some(answer) } else { None })
    }

    /// The method that had the answer before, and what it left for estimates.
    fn known(&self) -> (Option<MethodUsed>, Option<&Amplification>) {
        match self.given.former {
            Some((former, is_near)) => match &former.way {
                Way::Probabilities(method, amplification, _) => {
                    (Some(*method), amplification.as_ref().filter(|_| is_near))
                }
                Way::Sums(_) | Way::Elimination => (None, None),
            },
            None => (None, None),
        }
    }

    /// The estimated error by the defects of a former estimate, for a chain in one part.
    pub(super) fn error_again(
        &self,
        task: &Turns<'_>,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Option<Estimate>, Halt> {
        let Some(former) = task.amplification.filter(|_| task.decomposition.split().count() == 1) else {
            return Ok(None);
        };
        let (width, states) = (self.width_of_estimate(task.decomposition), task.pi.len() as u64);
        let bytes = task.decomposition.memory() + 8 * states + error_estimate::memory_again(states, width);
        if bytes > self.budget.left() {
            return Ok(None);
        }
        error_estimate::again(self.chain, (task.pi, budget.defect), former, width, budget)
    }
}
