//! Solves for what is asked, rather than for every probability.
//!
//! The other methods make the relative defect of every state small. Where a chain has states of probability `1e-300`, these weigh as
//! much as all others then, and no Krylov method gets anywhere. Here the equations stay as they are, so that a flow counts as it
//! is large. What is certain afterwards are sums, by a [`Certificate`].

use super::certificate::{self, Certificate};
use super::{Answer, Problem};
use crate::error::Error;
use crate::linear::bicgstab::{self, Plain};
use crate::linear::iteration::{Halt, Iterations};
use crate::measure::asked::distances;
use crate::operator::{RateOperator, TriangularSweep};
use crate::steady::Certified;
use crate::steady::drive::arrangement::Arrangement;

/// The total defects at which a certificate is tried. Most chains need the second.
const TARGETS: [f64; 3] = [1e-12, 1e-14, 1e-15];

/// The sweeps after which a certificate is tried once more before the method goes on.
const SWEEPS: usize = 10;

impl Problem<'_> {
    /// Solves until all sums are certain to be within the tolerance. `None` where they are not, and where nothing is known of what
    /// is asked.
    pub(super) fn for_sums(&self, budget: &mut Iterations<'_, '_>) -> Result<Option<Answer>, Unsolved> {
        if self.given.asked.is_none() {
            return Ok(None);
        }
        let mut pi = self.chain.start();
        let arrangement = self.arrangement(&mut pi, budget)?;
        let (preconditioning, chain) = (arrangement.preconditioning, arrangement.chain(self.chain));
        let (states, rates) = (chain.states() as u64, chain.rates());
        let memory = self.budget.beside(arrangement.memory());
        let solving = Plain::memory(preconditioning, states, rates);
        let certifying = certificate::memory(preconditioning, states, rates);
        if memory.check(8 * states + solving + certifying).is_err() {
            return Err(Unsolved::Halt(Halt::Memory));
        }
        let mut certificate = None;
        let mut method = Plain::new(chain, preconditioning, budget.watch())?;
        for target in TARGETS {
            let has_stagnated = match method.solve(chain, &mut pi, target, budget) {
                Ok(()) => false,
                Err(Halt::Stagnated) if budget.defect <= TARGETS[0] => true,
                Err(halt) => return Err(halt.into()),
            };
            let Some(distances) = self.distances(&arrangement, &pi, budget)? else { return Ok(None) };
            if certificate.is_none() {
                let task: (&dyn RateOperator, _) = (chain, preconditioning);
                certificate = Certificate::find(task, &pi, &distances, memory, budget)?;
            }
            let Some(certificate) = &certificate else { return Ok(None) };
            let mut error = bound(certificate, chain, &pi, &distances);
            if error > self.options.tolerance {
                // What a Krylov method leaves at last is rounding, which sweeps smooth.
                for _ in 0..SWEEPS {
                    budget.look()?;
                    chain.sweep(&mut pi, 1.0);
                }
                chain.make_positive(&mut pi);
                // The proof is about the sums from which distances are taken, so these have to be the new ones.
                let Some(distances) = self.distances(&arrangement, &pi, budget)? else { return Ok(None) };
                error = bound(certificate, chain, &pi, &distances);
            }
            if error <= self.options.tolerance {
                return Ok(Some(Answer {
                    pi: arrangement.by_state(pi),
                    method: bicgstab::method(preconditioning),
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

    /// The distances of the states in their arrangement; `None` if a sum has no digits.
    fn distances(
        &self,
        arrangement: &Arrangement,
        pi: &[f64],
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Option<Vec<f64>>, Unsolved> {
        let Some(asked) = self.given.asked else { return Ok(None) };
        let distances = match arrangement.order() {
            None => distances(asked, pi, budget.watch()),
            Some(order) => distances(asked, &order.restored(pi), budget.watch())
                .map(|distances| distances.map(|distances| order.arranged(&distances))),
        };
        distances.map_err(Unsolved::Error)
    }
}

/// What a certificate says of an estimate.
fn bound(certificate: &Certificate, chain: &dyn TriangularSweep, pi: &[f64], distances: &[f64]) -> f64 {
    let mut net = vec![0.0; pi.len()];
    chain.net(pi, &mut net);
    certificate.bound(pi, &net, distances)
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
