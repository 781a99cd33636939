//! Incomplete LU factors on the pattern of the matrix, ILU(0): Y. Saad, Iterative Methods for Sparse Linear Systems,
//! 10.3.
//!
//! Scaling rows and columns of a matrix scales its factors alike, so they are as good for fast rates as for slow
//! ones. In exploration order they serve well; another order was seen to take eight times the iterations.

use std::ops::Range;

use super::iterate::{Halt, Iterations};
use crate::chain::Matrix;
use crate::space::BETWEEN_PAUSES;

pub(super) struct Ilu0 {
    /// L without its diagonal of ones, and U with the reciprocals of its diagonal.
    factors: Matrix<f64>,
    diagonal: Vec<usize>,
}

impl Ilu0 {
    /// Factorises; a pivot that vanishes (the matrix is singular) is replaced by the diagonal entry.
    pub(super) fn of(matrix: &Matrix<f64>, budget: &mut Iterations<'_, '_>) -> Result<Ilu0, Halt> {
        const VANISHING: f64 = 1e-10;
        let (offsets, columns, values) = matrix.parts();
        let mut values = values.to_vec();
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
        for &at in &diagonal {
            values[at] = 1.0 / values[at];
        }
        let factors = Matrix::new(offsets.to_vec(), columns.to_vec(), values);
        Ok(Ilu0 { factors, diagonal })
    }

    /// Solves `L U x = D b` for a diagonal matrix D.
    pub(super) fn solve(&self, right: &[f64], scale: &[f64], x: &mut [f64]) {
        let (offsets, columns, values) = self.factors.parts();
        let sum = |range: Range<usize>, x: &[f64]| -> f64 {
            columns[range.clone()].iter().zip(&values[range]).map(|(&at, value)| value * x[at as usize]).sum()
        };
        let rows = offsets.windows(2).zip(&self.diagonal);
        for (row, (range, &diagonal)) in rows.clone().enumerate() {
            x[row] = right[row] * scale[row] - sum(range[0]..diagonal, x);
        }
        for (row, (range, &diagonal)) in rows.enumerate().rev() {
            x[row] = (x[row] - sum(diagonal + 1..range[1], x)) * values[diagonal];
        }
    }
}
