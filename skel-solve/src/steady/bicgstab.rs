//! BiCGSTAB for the flow balance of each state, preconditioned by ILU(0) in exploration order.
//!
//! For an estimate `x` with the flows `w(j) = x(j) exit(j)`, it solves `Q^T d = -Q^T x` for the correction `d`, each
//! equation divided by its `w(j)`. So the residual that it makes small is the *relative* defect of a state's balance, and
//! slow states count as much as fast ones. Pinning one probability instead would condition the system badly.
//!
//! The method is restarted from its own result a few times: the flows become the right ones, the residual that
//! it carries along drifts from the true one, and what is tiny only gets its digits from a start that is tiny too.
//! A sweep of Gauss-Seidel before makes all of it positive.
//!
//! Memory: the matrix twice more, for columns and factors, and nine vectors. H. A. van der Vorst, SIAM J. Sci. Stat.
//! Comput. 13 (1992).

use super::equations::Equations;
use super::iterate::{Halt, Iterations, Method};
use super::worst;

pub(super) struct BiCgStab;

/// Runs from a new start; a healthy chain needs two or three.
const RESTARTS: usize = 12;

/// Iterations of one run.
const PER_RUN: usize = 300;

/// What one run reduces the residual by: less in the first, whose flows are far from the right ones.
const FIRST_REDUCTION: f64 = 1e-7;
const REDUCTION: f64 = 1e-12;

impl Method for BiCgStab {
    fn name(&self) -> &'static str {
        "BiCGSTAB with ILU(0)"
    }

    fn solve(
        &self,
        equations: &Equations,
        pi: &mut [f64],
        target: f64,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(), Halt> {
        let mut vectors = Vectors::new(pi.len());
        let mut before = f64::INFINITY;
        let mut reduction = FIRST_REDUCTION;
        for _ in 0..RESTARTS {
            let defect = equations.defects(pi, &mut vectors.scale, &mut vectors.residual);
            budget.defect = defect;
            if defect <= target {
                return Ok(());
            }
            if defect.is_nan() || defect > 0.5 * before {
                return Err(Halt::Stagnated);
            }
            before = if reduction == FIRST_REDUCTION { f64::INFINITY } else { defect };
            vectors.residual.iter_mut().for_each(|value| *value = -*value);
            let outcome = vectors.solve(equations, (0.5 * target).max(reduction * defect), budget);
            reduction = REDUCTION;
            for (value, correction) in pi.iter_mut().zip(&vectors.solution) {
                *value += correction;
            }
            equations.make_positive(pi);
            outcome?;
        }
        Err(Halt::Stagnated)
    }
}

/// A linear system `Q^T d = W r` with flows `W`, and what the method keeps for it.
pub(super) struct Vectors {
    /// The flows.
    pub(super) scale: Vec<f64>,
    /// The right side `r`, then what is left of it.
    pub(super) residual: Vec<f64>,
    /// The solution `d`.
    pub(super) solution: Vec<f64>,
    shadow: Vec<f64>,
    direction: Vec<f64>,
    along: Vec<f64>,
    step: Vec<f64>,
    change: Vec<f64>,
}

impl Vectors {
    pub(super) fn new(count: usize) -> Vectors {
        let zeros = || vec![0.0; count];
        Vectors {
            scale: zeros(),
            residual: zeros(),
            solution: zeros(),
            shadow: random_vector(count),
            direction: zeros(),
            along: zeros(),
            step: zeros(),
            change: zeros(),
        }
    }

    /// Solves until no residual is above the target, a run's iterations are used up, or the method breaks down.
    pub(super) fn solve(
        &mut self,
        equations: &Equations,
        target: f64,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(), Halt> {
        let Vectors { scale, residual, solution, shadow, direction, along, step, change } = self;
        solution.fill(0.0);
        direction.fill(0.0);
        along.fill(0.0);
        let (mut rho, mut alpha, mut omega) = (1.0, 1.0, 1.0);
        for _ in 0..PER_RUN {
            let largest = worst(residual);
            if largest <= target {
                return Ok(());
            }
            budget.count(largest)?;
            let next_rho = dot(shadow, residual);
            let beta = next_rho / rho * (alpha / omega);
            if !beta.is_finite() {
                return Ok(());
            }
            for ((direction, along), residual) in direction.iter_mut().zip(&*along).zip(&*residual) {
                *direction = residual + beta * (*direction - omega * along);
            }
            equations.precondition(direction, scale, step);
            equations.product(step, scale, along);
            alpha = next_rho / dot(shadow, along);
            if !alpha.is_finite() {
                return Ok(());
            }
            add(solution, alpha, step);
            add(residual, -alpha, along);
            equations.precondition(residual, scale, step);
            equations.product(step, scale, change);
            omega = dot(change, residual) / dot(change, change);
            if !omega.is_finite() {
                return Ok(());
            }
            add(solution, omega, step);
            add(residual, -omega, change);
            rho = next_rho;
        }
        Ok(())
    }
}

fn add(sum: &mut [f64], factor: f64, vector: &[f64]) {
    sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += factor * value);
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    // Four sums at a time, which a processor adds at once.
    let (left, left_rest) = left.as_chunks::<4>();
    let (right, right_rest) = right.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (left, right) in left.iter().zip(right) {
        for at in 0..4 {
            sums[at] += left[at] * right[at];
        }
    }
    let rest: f64 = left_rest.iter().zip(right_rest).map(|(left, right)| left * right).sum();
    sums.iter().sum::<f64>() + rest
}

/// Values from 0.5 to 1.5, the same in every run: reproducible output.
pub(super) fn random_vector(count: usize) -> Vec<f64> {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    (0..count)
        .map(|_| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 11) as f64 / (1_u64 << 53) as f64 + 0.5
        })
        .collect()
}
