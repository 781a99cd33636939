//! Gauss-Seidel, damped: sweeps over the balance equations in exploration order.
//!
//! Each sweep sets every probability to a weighted mean of its old value and what its balance equation gives.
//! Without damping it never converges on chains whose embedded chain is periodic, and the pipeline with equal
//! rates is one. Cost of a sweep: one pass over the incoming rates.

use super::{Halt, Iterations, Method, Options, normalise, scaled_residual};
use crate::chain::Generator;

/// Sweeps between two looks at the residual, which costs as much as a sweep.
const BETWEEN_CHECKS: u64 = 10;

/// The weight of the new value.
const DAMPING: f64 = 0.95;

pub(super) struct GaussSeidel;

impl Method for GaussSeidel {
    fn name(&self) -> &'static str {
        "damped Gauss-Seidel"
    }

    fn solve(
        &self,
        generator: &Generator<f64>,
        pi: &mut [f64],
        options: &Options,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(), Halt> {
        let incoming = generator.matrix().transpose_view().to_csr();
        let mut best = f64::INFINITY;
        let mut checks_without_gain = 0;
        if !pi.iter().all(|value| value.is_finite()) {
            let uniform = 1.0 / pi.len() as f64;
            pi.fill(uniform);
        }
        loop {
            for (state, column) in incoming.outer_iterator().enumerate() {
                let mut inflow = 0.0;
                let mut exit = 0.0;
                for (from, &value) in column.iter() {
                    if from == state {
                        exit = -value;
                    } else {
                        inflow += pi[from] * value;
                    }
                }
                pi[state] += DAMPING * (inflow / exit - pi[state]);
            }
            if !(budget.done + 1).is_multiple_of(BETWEEN_CHECKS) {
                budget.count(budget.residual)?;
                continue;
            }
            normalise(pi);
            let residual = scaled_residual(generator, pi);
            if residual <= options.tolerance {
                budget.done += 1;
                return Ok(());
            }
            budget.count(residual)?;
            checks_without_gain = if residual < 0.999 * best { 0 } else { checks_without_gain + 1 };
            best = best.min(residual);
            if checks_without_gain > 50 {
                return Err(Halt::Stagnated);
            }
        }
    }
}
