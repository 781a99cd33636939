//! How a solution was obtained, and how good it is.

use std::time::Duration;

use crate::linear::MethodUsed;
use crate::vector::largest;

/// For what the [`error`](Report::error) of a report holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Certified {
    /// For every probability, and so for every sum of them.
    #[default]
    Probabilities,
    /// For every throughput, every result line and every population, the error of a population below 0.001
    /// being relative to 0.001. It is a proved bound, up to rounding, for the rates as they are stored.
    /// Probabilities of rare states may be off by more than that, even by all their digits. Chains with
    /// states of probability `1e-300` are solved so, and large lattices, as of several queues.
    Sums,
}

/// How a solution was obtained, and how good it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The method that gave the answer; where several chains were solved, an iterative one if there was one.
    pub method: MethodUsed,
    /// Its iterations, of all chains together; 0 for a direct method.
    pub iterations: u64,
    /// `||pi Q||_inf / ||Q||_inf` of the answer, the largest of all chains; exactly 0 for an exact one, which
    /// is verified.
    pub residual: f64,
    /// The worst relative defect of a state's balance: `|inflow - outflow| / outflow`, where a probability
    /// below `1e-280` counts as that; the largest of all chains; exactly 0 for an exact answer. Where sums
    /// are [certified](Self::certified), the sum of all `|inflow - outflow|` relative to that of all
    /// outflows.
    pub defect: f64,
    /// For what the error holds.
    pub certified: Certified,
    /// The worst relative error of what is certified, the largest of all chains: estimated for an iterative
    /// method, a proved bound where sums are certified, a rule of thumb for a direct one (a rounding for each
    /// state), exactly 0 for an exact answer.
    pub error: f64,
    /// The largest negative value that an iterative method left for a probability, and that was set to zero
    /// before a last sweep over the balance equations; defects are those after it.
    pub clipped: f64,
    /// The time for classifying and solving.
    pub solved_in: Duration,
    /// Methods that were tried before and handed over, with what they reached.
    pub handed_over: Vec<String>,
}

impl Report {
    /// Of a solution without iterations, before any chain is solved.
    pub(super) fn new(method: MethodUsed) -> Report {
        Report {
            method,
            iterations: 0,
            residual: 0.0,
            defect: 0.0,
            certified: Certified::Probabilities,
            error: 0.0,
            clipped: 0.0,
            solved_in: Duration::ZERO,
            handed_over: Vec::new(),
        }
    }

    /// Adds how good the answer of a chain is.
    pub(super) fn add(&mut self, residual: f64, defect: f64) {
        self.residual = largest([self.residual, residual].into_iter());
        self.defect = largest([self.defect, defect].into_iter());
    }
}
