//! Gauss-Seidel, damped: sweeps over the balance equations in exploration order.
//!
//! Each sweep sets every probability to a weighted mean of its old value and what its balance equation gives
//! (SOR with a weight below one). Without damping it does not converge on chains whose embedded chain is
//! periodic, such as the pipeline with equal rates. It adds positive numbers only, so no digits cancel.
//!
//! Convergence: the defects are computed every ten sweeps, which costs as much as a sweep. It stagnates if
//! fifty such checks do not halve the worst of them. Cost of a sweep: one pass over the rates. Memory: a
//! vector.

use crate::linear::MethodUsed;
use crate::linear::iteration::{Halt, Iterations, IterativeMethod};
use crate::operator::TriangularSweep;
use crate::vector::total;

/// Sweeps between two checks of the defects, each of which costs as much as a sweep.
const BETWEEN_CHECKS: u64 = 10;

/// The method stagnates if so many checks do not halve the defects: then the sweeps that are allowed would
/// not be enough.
const CHECKS_TO_HALVE: u32 = 50;

/// The weight of the new value.
const DAMPING: f64 = 0.95;

pub(crate) struct GaussSeidel;

impl IterativeMethod for GaussSeidel {
    fn method(&self) -> MethodUsed {
        MethodUsed::GaussSeidel
    }

    fn memory(&self, states: u64, _: u64) -> u64 {
        states * 8
    }

    fn solve(
        &self,
        chain: &dyn TriangularSweep,
        pi: &mut [f64],
        target: f64,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(), Halt> {
        relax(chain, pi, target, budget, |pi, _| chain.sweep(pi, DAMPING))
    }
}

/// Repeats a step that only adds positive numbers, and gets a vector to work in, until no defect is above the
/// target.
pub(crate) fn relax(
    chain: &dyn TriangularSweep,
    pi: &mut [f64],
    target: f64,
    budget: &mut Iterations<'_, '_>,
    mut step: impl FnMut(&mut [f64], &mut [f64]),
) -> Result<(), Halt> {
    let mut work = vec![0.0; pi.len()];
    let mut best = f64::INFINITY;
    let mut checks_without_gain = 0;
    budget.defect = chain.net(pi, &mut work).defect;
    if budget.defect <= target {
        return Ok(());
    }
    loop {
        step(pi, &mut work);
        if !(budget.done + 1).is_multiple_of(BETWEEN_CHECKS) {
            budget.count(budget.defect)?;
            continue;
        }
        let sum = total(pi);
        pi.iter_mut().for_each(|value| *value /= sum);
        let defect = chain.net(pi, &mut work).defect;
        budget.defect = defect;
        if defect <= target {
            budget.done += 1;
            return Ok(());
        }
        budget.count(defect)?;
        if defect <= 0.5 * best {
            (best, checks_without_gain) = (defect, 0);
        } else {
            checks_without_gain += 1;
        }
        if defect.is_nan() || checks_without_gain > CHECKS_TO_HALVE {
            return Err(Halt::Stagnated);
        }
    }
}
