//! The states before an end, with their rates.

use skel_core::number::Number;

use crate::chain::Matrix;

/// The states before an end. Each leads out of them, directly or by way of others; see [`reach`](super::reach).
#[derive(Clone, Debug)]
pub(crate) struct BeforeEnd<N> {
    /// The rates between two different states.
    pub(crate) rates: Matrix<N>,
    /// Per state the rate at which it is left for a state that is not among them.
    pub(crate) leaves: Vec<N>,
}

impl<N: Number> BeforeEnd<N> {
    pub(crate) fn new(rates: Matrix<N>, leaves: Vec<N>) -> Self {
        BeforeEnd { rates, leaves }
    }

    /// From rows that are visited one after the other: the rates to other states before the end in any order, each target once or
    /// more, and the rate at which the state is left for others.
    pub(crate) fn of_rows(rows: impl Iterator<Item = (Vec<(u32, N)>, N)>) -> Self {
        let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        let mut leaves = Vec::new();
        for (row, (mut rates, leave)) in rows.enumerate() {
            rates.retain(|&(target, _)| target as usize != row);
            rates.sort_by_key(|&(target, _)| target);
            for (target, rate) in rates {
                match columns.last() {
                    Some(&last) if last == target && columns.len() > offsets[row] => {
                        let sum: &mut N = values.last_mut().expect("it has a column");
                        *sum = sum.clone() + rate;
                    }
                    _ => {
                        columns.push(target);
                        values.push(rate);
                    }
                }
            }
            offsets.push(columns.len());
            leaves.push(leave);
        }
        BeforeEnd { rates: Matrix::new(offsets, columns, values), leaves }
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
