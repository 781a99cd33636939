//! The states before an end, with their rates.

use skel_core::number::Number;

use crate::chain::Matrix;

/// The states before an end. Each leads out of them, directly or by way of others; see
/// [`reach`](super::reach).
#[derive(Clone, Debug)]
pub(crate) struct BeforeEnd<N> {
    /// The rates between two different states.
    pub(crate) rates: Matrix<N>,
    /// Per state the rate at which it is left for a state that is not among them.
    pub(crate) leaves: Vec<N>,
}

/// The states before an end, row by row.
pub(crate) struct Rows<N> {
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<N>,
    leaves: Vec<N>,
}

impl<N: Number> Rows<N> {
    pub(crate) fn new() -> Self {
        Rows { offsets: vec![0], columns: Vec::new(), values: Vec::new(), leaves: Vec::new() }
    }

    /// Adds the next state: the rates to states before the end, in any order, each target once or more, and
    /// the rate at which it is left for others. A rate to itself is left out.
    pub(crate) fn push(&mut self, rates: &mut Vec<(u32, N)>, leave: N) {
        let (row, first) = (self.leaves.len(), self.columns.len());
        rates.sort_by_key(|&(target, _)| target);
        for (target, rate) in rates.drain(..).filter(|&(target, _)| target as usize != row) {
            match self.values.last_mut() {
                Some(sum) if self.columns[first..].last() == Some(&target) => *sum = sum.clone() + rate,
                _ => {
                    self.columns.push(target);
                    self.values.push(rate);
                }
            }
        }
        self.offsets.push(self.columns.len());
        self.leaves.push(leave);
    }

    pub(crate) fn finish(self) -> BeforeEnd<N> {
        BeforeEnd { rates: Matrix::new(self.offsets, self.columns, self.values), leaves: self.leaves }
    }
}

impl<N: Number> BeforeEnd<N> {
    /// From rows that come one after the other; see [`Rows::push`].
    pub(crate) fn of_rows(rows: impl Iterator<Item = (Vec<(u32, N)>, N)>) -> Self {
        let mut collected = Rows::new();
        for (mut rates, leave) in rows {
            collected.push(&mut rates, leave);
        }
        collected.finish()
    }

    pub(crate) fn states(&self) -> usize {
        self.leaves.len()
    }

    /// The rate at which each state is left, for any other.
    pub(crate) fn exits(&self) -> Vec<N> {
        let exit = |(state, leave): (usize, &N)| {
            self.rates.row(state).fold(leave.clone(), |exit, (_, rate)| exit + rate.clone())
        };
        self.leaves.iter().enumerate().map(exit).collect()
    }
}
