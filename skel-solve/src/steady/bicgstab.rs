//! BiCGSTAB on the singular system `Q^T x = 0`, preconditioned by ILU(0) in exploration order.
//!
//! Pinning one probability would condition the system badly; instead `A d = -A x0` is solved for a correction of
//! the uniform vector, with a random shadow residual, and the result is normalised. The method is restarted from
//! its own result a few times, since the residual that it carries along drifts from the true one.
//!
//! Memory: the matrix once more for the factors and eight vectors. H. A. van der Vorst, SIAM J. Sci. Stat.
//! Comput. 13 (1992); Y. Saad, Iterative Methods for Sparse Linear Systems, 10.3.

use sprs::CsMatI;

use super::{Halt, Iterations, Method, Options, normalise, scaled_residual};
use crate::chain::Generator;
use crate::space::BETWEEN_PAUSES;

pub(super) struct BiCgStab;

/// Runs from a new start; a healthy chain needs one or two.
const RESTARTS: usize = 8;

/// Iterations of one run.
const PER_RUN: usize = 500;

impl Method for BiCgStab {
    fn name(&self) -> &'static str {
        "BiCGSTAB with ILU(0)"
    }

    fn solve(
        &self,
        generator: &Generator<f64>,
        pi: &mut [f64],
        options: &Options,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(), Halt> {
        let matrix = generator.matrix().transpose_view().to_csr();
        let factors = Ilu0::of(&matrix, budget)?;
        let start = pi.to_vec();
        let mut before = f64::INFINITY;
        for _ in 0..RESTARTS {
            let outcome = run(generator, &matrix, &factors, pi, options, budget);
            normalise(pi);
            if !pi.iter().all(|value| value.is_finite()) {
                pi.copy_from_slice(&start);
                return Err(Halt::Stagnated);
            }
            let residual = scaled_residual(generator, pi);
            budget.residual = residual;
            if residual <= options.tolerance {
                return Ok(());
            }
            outcome?;
            if residual > 0.5 * before {
                return Err(Halt::Stagnated);
            }
            before = residual;
        }
        Err(Halt::Stagnated)
    }
}

/// One run from `pi`; leaves the improved vector there.
fn run(
    generator: &Generator<f64>,
    matrix: &Matrix,
    factors: &Ilu0,
    pi: &mut [f64],
    options: &Options,
    budget: &mut Iterations<'_, '_>,
) -> Result<(), Halt> {
    let count = pi.len();
    let mut residual: Vec<f64> = product(matrix, pi).into_iter().map(|value| -value).collect();
    let norm = generator.norm();
    let largest = pi.iter().copied().fold(0.0, f64::max);
    // A digit below the tolerance, since the residual carried along is not quite the true one.
    let target = 0.1 * options.tolerance * norm * largest;
    let shadow = random_vector(count);
    let mut direction = vec![0.0; count];
    let mut along = vec![0.0; count];
    let (mut rho, mut alpha, mut omega) = (1.0, 1.0, 1.0);
    for _ in 0..PER_RUN {
        let largest_residual = residual.iter().copied().map(f64::abs).fold(0.0, f64::max);
        if largest_residual <= target {
            return Ok(());
        }
        budget.count(largest_residual / (norm * largest))?;
        let next_rho = dot(&shadow, &residual);
        let beta = next_rho / rho * (alpha / omega);
        if !beta.is_finite() {
            return Ok(());
        }
        for at in 0..count {
            direction[at] = residual[at] + beta * (direction[at] - omega * along[at]);
        }
        let step = factors.solve(&direction);
        along = product(matrix, &step);
        alpha = next_rho / dot(&shadow, &along);
        if !alpha.is_finite() {
            return Ok(());
        }
        for at in 0..count {
            pi[at] += alpha * step[at];
            residual[at] -= alpha * along[at];
        }
        let step = factors.solve(&residual);
        let change = product(matrix, &step);
        omega = dot(&change, &residual) / dot(&change, &change);
        if !omega.is_finite() {
            return Ok(());
        }
        for at in 0..count {
            pi[at] += omega * step[at];
            residual[at] -= omega * change[at];
        }
        rho = next_rho;
    }
    Ok(())
}

type Matrix = CsMatI<f64, u32, usize>;

fn product(matrix: &Matrix, vector: &[f64]) -> Vec<f64> {
    matrix.outer_iterator().map(|row| row.iter().map(|(at, value)| value * vector[at]).sum()).collect()
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

/// The same vector in every run: reproducible output.
fn random_vector(count: usize) -> Vec<f64> {
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

/// Incomplete LU factors on the pattern of the matrix.
struct Ilu0 {
    factors: Matrix,
    diagonal: Vec<usize>,
}

impl Ilu0 {
    /// Factorises; a pivot that vanishes (the matrix is singular) is replaced by the diagonal entry.
    fn of(matrix: &Matrix, budget: &mut Iterations<'_, '_>) -> Result<Ilu0, Halt> {
        const VANISHING: f64 = 1e-10;
        let mut values = matrix.data().to_vec();
        let index = matrix.indptr();
        let offsets = index.raw_storage();
        let columns = matrix.indices();
        let count = matrix.rows();
        let mut diagonal = vec![0; count];
        let mut position = vec![usize::MAX; count];
        for row in 0..count {
            if row.is_multiple_of(BETWEEN_PAUSES) {
                budget.look()?;
            }
            let range = offsets[row]..offsets[row + 1];
            for at in range.clone() {
                position[columns[at] as usize] = at;
            }
            diagonal[row] = position[row];
            let original = values[diagonal[row]];
            for at in range.clone() {
                let pivot_row = columns[at] as usize;
                if pivot_row >= row {
                    break;
                }
                let factor = values[at] / values[diagonal[pivot_row]];
                values[at] = factor;
                for other in diagonal[pivot_row] + 1..offsets[pivot_row + 1] {
                    let target = position[columns[other] as usize];
                    if target != usize::MAX {
                        values[target] -= factor * values[other];
                    }
                }
            }
            if values[diagonal[row]].abs() <= VANISHING * original.abs() {
                values[diagonal[row]] = original;
            }
            for at in range {
                position[columns[at] as usize] = usize::MAX;
            }
        }
        let factors = CsMatI::new((count, count), offsets.to_vec(), columns.to_vec(), values);
        Ok(Ilu0 { factors, diagonal })
    }

    /// Solves `L U x = b`.
    fn solve(&self, right: &[f64]) -> Vec<f64> {
        let index = self.factors.indptr();
        let offsets = index.raw_storage();
        let columns = self.factors.indices();
        let values = self.factors.data();
        let mut x = right.to_vec();
        for row in 0..x.len() {
            let sum: f64 =
                (offsets[row]..self.diagonal[row]).map(|at| values[at] * x[columns[at] as usize]).sum();
            x[row] -= sum;
        }
        for row in (0..x.len()).rev() {
            let sum: f64 = (self.diagonal[row] + 1..offsets[row + 1])
                .map(|at| values[at] * x[columns[at] as usize])
                .sum();
            x[row] = (x[row] - sum) / values[self.diagonal[row]];
        }
        x
    }
}
