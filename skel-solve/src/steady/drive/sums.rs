//! Solves for what is asked, rather than for every probability.
//!
//! The other methods make the relative defect of every state small. Where a chain has states of probability `1e-300`, these weigh as
//! much as all others then, and no Krylov method gets anywhere. Here the equations stay as they are, so that a flow counts as it
//! is large. What is certain afterwards are sums, by a [`Certificate`].

use super::certificate::{self, Certificate};
use super::{Answer, Problem};
use crate::error::Error;
use crate::linear::MethodUsed;
use crate::linear::bicgstab::Plain;
use crate::linear::iteration::{Halt, Iterations};
use crate::linear::krylov::Preconditioning;
use crate::measure::asked::distances;
use crate::steady::Certified;

/// The total defects at which a certificate is tried. Most chains need the second.
const TARGETS: [f64; 3] = [1e-12, 1e-14, 1e-15];

impl Problem<'_> {
    /// Solves until all sums are certain to be within the tolerance. `None` where they are not, and where nothing is known of what
    /// is asked.
    pub(super) fn for_sums(
        &self,
        pi: &mut [f64],
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Option<Answer>, Unsolved> {
        let Some(asked) = self.given.asked else { return Ok(None) };
        let (states, rates) = (self.chain.states() as u64, self.chain.rates());
        let solving = Plain::memory(Preconditioning::Ilu0, states, rates);
        if self.budget.check(8 * states + solving + certificate::memory(states, rates)).is_err() {
            return Err(Unsolved::Halt(Halt::Memory));
        }
        let mut certificate = None;
        let mut method = Plain::new(self.chain, Preconditioning::Ilu0, budget.watch())?;
        for target in TARGETS {
            let has_stagnated = match method.solve(self.chain, pi, target, budget) {
                Ok(()) => false,
                Err(Halt::Stagnated) if budget.defect <= TARGETS[0] => true,
                Err(halt) => return Err(halt.into()),
            };
            let distances = distances(asked, pi, budget.watch()).map_err(Unsolved::Error)?;
            let Some(distances) = distances else { return Ok(None) };
            if certificate.is_none() {
                certificate = Certificate::find(self.chain, pi, &distances, self.budget, budget)?;
            }
            let Some(certificate) = &certificate else { return Ok(None) };
            let mut net = vec![0.0; pi.len()];
            self.chain.net(pi, &mut net);
            let error = certificate.bound(pi, &net, &distances);
            if error <= self.options.tolerance {
                return Ok(Some(Answer {
                    pi: pi.to_vec(),
                    method: MethodUsed::BiCgStabIlu,
                    iterations: budget.done,
                    error,
                    certified: Certified::Sums,
                    defect: budget.defect,
                    clipped: budget.clipped,
                }));
            }
            if has_stagnated {
                break;
            }
        }
        Ok(None)
    }
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
