//! Assembles the generator matrix from an operator, for elimination methods.

use std::ops::ControlFlow;

use super::RateOperator;
use crate::chain::{Generator, Matrix};

/// The generator matrix of a chain.
pub(crate) fn generator(chain: &dyn RateOperator) -> Generator<f64> {
    let mut rows = RowsBySource::counted(chain);
    chain.for_each_rate(&mut |from, to, rate| {
        // The diagonal entry is between the entries of smaller columns and those of larger ones.
        if to > from && !rows.has_diagonal[from] {
            rows.push_diagonal(from, chain.exits()[from]);
        }
        rows.push(from, to, rate);
        ControlFlow::Continue(())
    });
    for state in 0..chain.states() {
        if !rows.has_diagonal[state] {
            rows.push_diagonal(state, chain.exits()[state]);
        }
    }
    Generator::new(Matrix::new(rows.offsets, rows.columns, rows.values))
}

/// A matrix in compressed rows that is filled in any order of the rows.
struct RowsBySource {
    offsets: Vec<usize>,
    next: Vec<usize>,
    has_diagonal: Vec<bool>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl RowsBySource {
    fn counted(chain: &dyn RateOperator) -> RowsBySource {
        let states = chain.states();
        let mut offsets: Vec<usize> = std::iter::once(0).chain(vec![1; states]).collect();
        chain.for_each_rate(&mut |from, _, _| {
            offsets[from + 1] += 1;
            ControlFlow::Continue(())
        });
        for row in 0..states {
            offsets[row + 1] += offsets[row];
        }
        let entries = offsets[states];
        let next = offsets.clone();
        RowsBySource {
            offsets,
            next,
            has_diagonal: vec![false; states],
            columns: vec![0; entries],
            values: vec![0.0; entries],
        }
    }

    fn push_diagonal(&mut self, row: usize, exit: f64) {
        self.has_diagonal[row] = true;
        self.push(row, row, -exit);
    }

    fn push(&mut self, row: usize, column: usize, value: f64) {
        let at = self.next[row];
        self.next[row] += 1;
        (self.columns[at], self.values[at]) = (column as u32, value);
    }
}
