//! Incomplete LU factors on the pattern of the matrix, ILU(0): Y. Saad, Iterative Methods for Sparse Linear
//! Systems, 10.3.
//!
//! If rows and columns of a matrix are scaled, its factors are scaled alike, so they are as good for fast
//! rates as for slow ones. The order of exploration suits them; with another order, eight times as many
//! iterations were seen. The factors are stored as a matrix of their own. Cost of a product: two passes over
//! the rates.

use std::ops::{ControlFlow, Range};

use crate::chain::Matrix;
use crate::limits::BETWEEN_LOOKS;
use crate::limits::Watch;
use crate::linear::iteration::{Halt, check};
use crate::linear::preconditioner::Preconditioner;
use crate::operator::{RateOperator, TriangularSweep};

pub(crate) struct Ilu0 {
    /// L without its diagonal of ones, and U with the reciprocals of its diagonal.
    factors: Matrix<f64>,
    diagonal: Vec<usize>,
    right: Vec<f64>,
    inflow: Vec<f64>,
}

/// The bytes for so many states and rates: entries, their offsets, the places of the diagonal, and vectors.
pub(crate) fn memory(states: u64, rates: u64) -> u64 {
    (states + rates) * 12 + states * 6 * 8
}

impl Ilu0 {
    /// Factorises; a pivot that vanishes (the matrix is singular) is replaced by the diagonal entry.
    pub(crate) fn new(chain: &dyn RateOperator, watch: &mut Watch<'_>) -> Result<Ilu0, Halt> {
        const VANISHING: f64 = 1e-10;
        let Entries { offsets, columns, mut values } = Entries::new(chain);
        let count = chain.states();
        let mut diagonal = vec![0; count];
        let mut position = vec![usize::MAX; count];
        for row in 0..count {
            if row.is_multiple_of(BETWEEN_LOOKS) {
                check(watch)?;
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
        let vector = || vec![0.0; count];
        Ok(Ilu0 {
            factors: Matrix::new(offsets, columns, values),
            diagonal,
            right: vector(),
            inflow: vector(),
        })
    }
}

impl Preconditioner for Ilu0 {
    fn solve(&mut self, _: &dyn TriangularSweep, x: &mut [f64]) {
        let (offsets, columns, values) = self.factors.parts();
        let sum = |range: Range<usize>, x: &[f64]| -> f64 {
            columns[range.clone()].iter().zip(&values[range]).map(|(&at, value)| value * x[at as usize]).sum()
        };
        let rows = offsets.windows(2).zip(&self.diagonal);
        for (row, (range, &diagonal)) in rows.clone().enumerate() {
            x[row] -= sum(range[0]..diagonal, x);
        }
        for (row, (range, &diagonal)) in rows.enumerate().rev() {
            x[row] = (x[row] - sum(diagonal + 1..range[1], x)) * values[diagonal];
        }
    }

    fn rest(&mut self, chain: &dyn TriangularSweep, x: &mut [f64]) {
        self.right.copy_from_slice(x);
        self.solve(chain, x);
        chain.inflow(x, &mut self.inflow);
        let known = self.right.iter().zip(&self.inflow).zip(chain.exits());
        for (x, ((right, inflow), exit)) in x.iter_mut().zip(known) {
            *x = right - (exit * *x - inflow);
        }
    }
}

/// The rows of `A`: exit rates on the diagonal, minus the rates into the state beside it.
struct Entries {
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Entries {
    fn new(chain: &dyn RateOperator) -> Entries {
        let exits = chain.exits();
        let mut offsets: Vec<usize> = std::iter::once(0).chain(exits.iter().map(|_| 1)).collect();
        chain.for_each_rate(&mut |_, to, _| {
            offsets[to + 1] += 1;
            ControlFlow::Continue(())
        });
        for row in 0..exits.len() {
            offsets[row + 1] += offsets[row];
        }
        let entries = offsets[exits.len()];
        let (mut columns, mut values) = (vec![0; entries], vec![0.0; entries]);
        let mut next = offsets.clone();
        let mut push = |row: usize, column: usize, value: f64| {
            (columns[next[row]], values[next[row]]) = (column as u32, value);
            next[row] += 1;
        };
        let mut has_diagonal = vec![false; exits.len()];
        chain.for_each_rate(&mut |from, to, rate| {
            if from > to && !std::mem::replace(&mut has_diagonal[to], true) {
                push(to, to, exits[to]);
            }
            push(to, from, -rate);
            ControlFlow::Continue(())
        });
        for (state, _) in has_diagonal.iter().enumerate().filter(|(_, has)| !**has) {
            push(state, state, exits[state]);
        }
        Entries { offsets, columns, values }
    }
}
