//! How transient distributions were found, and how good they are.

use std::time::Duration;

use super::Method;

/// What an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Accuracy {
    /// No value is further off. It is the sum of what is left out and of what rounding may do in the worst
    /// case.
    Bound,
    /// Values are about as far off, or less. It is not proved.
    Estimate,
}

/// How transient distributions were found, and how good they are.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The method that was chosen.
    pub method: Method,
    /// Whether the errors are bounds or estimates.
    pub accuracy: Accuracy,
    /// The absolute error of each throughput, population, result line and probability at any of the times,
    /// and of its averages over time. With [`TransientSolver::keep`](super::TransientSolver::keep), of those
    /// that are kept.
    pub error: f64,
    /// The largest exit rate, at which the chain was uniformised; of adaptive uniformisation the rate of the
    /// last step.
    pub rate: f64,
    /// Products with the rates; squarings of a matrix; steps of an implicit method.
    pub steps: u64,
    /// The steps of uniformisation, adaptive or not, that the largest time has weights for.
    pub planned: u64,
    /// The step from which on the long run stood for the rest, if it was proved to be near.
    pub settled: Option<u64>,
    /// How long it took.
    pub solved_in: Duration,
}

impl Report {
    /// The report of a method that has not begun.
    pub(super) fn new(method: Method, rate: f64, longest: f64) -> Report {
        Report {
            method,
            accuracy: Accuracy::Estimate,
            error: 0.0,
            rate,
            steps: 0,
            planned: (rate * longest).ceil() as u64,
            settled: None,
            solved_in: Duration::ZERO,
        }
    }
}
