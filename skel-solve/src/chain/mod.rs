//! The Markov chain of a state space: its sparse generator matrix Q, and the classification of its states.

mod classification;
mod matrix;

use std::convert::Infallible;

use skel_core::number::Number;

use crate::limits::BETWEEN_LOOKS;
use crate::space::StateSpace;
use crate::vector::largest;
pub use classification::{Classification, classify};
pub(crate) use classification::{
    classification_memory, classify_graph, classify_within, deadlock, describe_classes,
};
pub use matrix::Matrix;
pub(crate) use matrix::transposed_lists;

/// The generator matrix Q of a continuous-time Markov chain over some states of a space.
///
/// Row `i` holds the rates out of state `i`, and minus their sum on the diagonal. Transitions between the
/// same two states are added up, whatever their actions are. A transition from a state to itself is left out:
/// it contributes to throughputs, but not to Q.
///
/// # Examples
/// ```
/// use skel_solve::{chain::Generator, Explore};
/// let model = skel_core::text::parse("P = (go, 1).Q; Q = (back, 2).P + (stay, 5).Q; P").into_model().unwrap();
/// let q = Generator::<f64>::of(&model.explore().unwrap());
/// assert_eq!(q.matrix().get(1, 0), Some(&2.0));
/// assert_eq!(q.matrix().get(1, 1), Some(&-2.0));
/// ```
#[derive(Clone, Debug)]
pub struct Generator<N> {
    matrix: Matrix<N>,
}

impl Generator<f64> {
    /// The generator of a chain with these exit rates. A function calls what it is given with the source, the
    /// target and the rate of each pair of different states that has one.
    pub(crate) fn of_rates(
        exits: &[f64],
        for_each_rate: impl FnOnce(&mut dyn FnMut(usize, usize, f64)),
    ) -> Self {
        let mut rows: Vec<Vec<(u32, f64)>> =
            exits.iter().enumerate().map(|(state, exit)| vec![(state as u32, -exit)]).collect();
        for_each_rate(&mut |from, to, rate| rows[from].push((to as u32, rate)));
        let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for mut row in rows {
            row.sort_unstable_by_key(|&(column, _)| column);
            columns.extend(row.iter().map(|&(column, _)| column));
            values.extend(row.iter().map(|&(_, value)| value));
            offsets.push(columns.len());
        }
        Generator { matrix: Matrix::new(offsets, columns, values) }
    }
}

impl<N: Number> Generator<N> {
    /// The generator of a whole space, in `f64` or in exact fractions.
    #[must_use]
    pub fn of<M: ?Sized>(space: &StateSpace<M>) -> Self {
        let all: Vec<u32> = (0..space.states() as u32).collect();
        let space = space.untyped();
        let without_end = || Ok::<(), Infallible>(());
        let Ok(generator) = Self::restricted(&space, &all, &all, without_end);
        generator
    }

    /// A generator from a matrix that was computed elsewhere.
    pub(crate) fn new(matrix: Matrix<N>) -> Self {
        Generator { matrix }
    }

    /// The generator over some states in ascending order, a set that no transition leaves. `number` gives the
    /// index of each state among them. Calls `pause` at intervals, which may end the work by an error.
    pub(crate) fn restricted<E>(
        space: &StateSpace,
        states: &[u32],
        number: &[u32],
        mut pause: impl FnMut() -> Result<(), E>,
    ) -> Result<Self, E> {
        let entries = Self::most_entries(space, states, &mut pause)?;
        let mut offsets = Vec::with_capacity(states.len() + 1);
        offsets.push(0);
        let mut columns: Vec<u32> = Vec::with_capacity(entries);
        let mut values: Vec<N> = Vec::with_capacity(entries);
        let mut row: Vec<(u32, N)> = Vec::new();
        space.for_each_row_of::<N, E>(
            states.iter().map(|&state| state as usize),
            pause,
            |old, transitions| {
                let mut exit = N::zero();
                for transition in transitions.drain(..).filter(|transition| transition.target as usize != old)
                {
                    exit = exit + transition.rate.clone();
                    let column = number[transition.target as usize];
                    match row.last_mut() {
                        Some((last, sum)) if *last == column => *sum = sum.clone() + transition.rate,
                        _ => row.push((column, transition.rate)),
                    }
                }
                let own = number[old];
                let before = row.partition_point(|&(column, _)| column < own);
                row.insert(before, (own, N::zero() - exit));
                for (column, value) in row.drain(..) {
                    columns.push(column);
                    values.push(value);
                }
                offsets.push(columns.len());
                Ok(())
            },
        )?;
        Ok(Generator { matrix: Matrix::new(offsets, columns, values) })
    }

    /// A bound on the entries of a generator over some states: their transitions, and the diagonal. Calls
    /// `pause` now and then, which may stop it.
    pub(crate) fn most_entries<M: ?Sized, E>(
        space: &StateSpace<M>,
        states: &[u32],
        mut pause: impl FnMut() -> Result<(), E>,
    ) -> Result<usize, E> {
        if states.len() == space.states() {
            return Ok(states.len() + space.transitions());
        }
        let mut entries = states.len();
        for (number, &state) in states.iter().enumerate() {
            if number.is_multiple_of(BETWEEN_LOOKS) {
                pause()?;
            }
            entries += space.row(state as usize).len();
        }
        Ok(entries)
    }

    /// The matrix in compressed rows.
    #[must_use]
    pub fn matrix(&self) -> &Matrix<N> {
        &self.matrix
    }

    /// The number of states.
    #[must_use]
    pub fn states(&self) -> usize {
        self.matrix.rows()
    }

    /// The off-diagonal entries of a row, as column and rate.
    pub(crate) fn rates_from(&self, row: usize) -> impl Iterator<Item = (usize, &N)> {
        self.matrix.row(row).filter(move |&(column, _)| column != row)
    }

    /// The product `pi Q`.
    #[must_use]
    pub fn left_product(&self, pi: &[N]) -> Vec<N> {
        let mut product = vec![N::zero(); self.states()];
        for (row, of_row) in pi.iter().enumerate() {
            for (column, value) in self.matrix.row(row) {
                product[column] = product[column].clone() + of_row.clone() * value.clone();
            }
        }
        product
    }
}

impl Generator<f64> {
    /// The exit rate of each state.
    pub(crate) fn exits(&self) -> Vec<f64> {
        (0..self.states()).map(|row| self.rates_from(row).map(|(_, rate)| rate).sum()).collect()
    }

    /// The infinity norm of Q, which is twice the largest exit rate. It is NaN if an entry is.
    #[must_use]
    pub fn norm(&self) -> f64 {
        let sums = (0..self.states()).map(|row| self.matrix.row(row).map(|(_, value)| value.abs()).sum());
        largest(sums)
    }

    /// The relative residual `||pi Q||_inf / ||Q||_inf`. It is zero for a chain without transitions, and NaN
    /// if a probability is.
    #[must_use]
    pub fn residual(&self, pi: &[f64]) -> f64 {
        let norm = self.norm();
        let residual = largest(self.left_product(pi).into_iter().map(f64::abs));
        if norm == 0.0 { residual } else { residual / norm }
    }

    /// The largest relative defect of a state's balance equation, `|inflow - outflow| / outflow`. Unlike the
    /// residual, it shows errors in slow states beside fast ones, and in rare states beside frequent ones. A
    /// probability below `1e-280` counts as `1e-280`.
    #[must_use]
    pub fn defect(&self, pi: &[f64]) -> f64 {
        const NEGLIGIBLE: f64 = 1e-280;
        let product = self.left_product(pi).into_iter();
        let outflows = pi.iter().zip(self.exits()).map(|(value, exit)| value.max(NEGLIGIBLE) * exit);
        largest(
            product
                .zip(outflows)
                .map(|(net, outflow)| if outflow == 0.0 { net.abs() } else { net.abs() / outflow }),
        )
    }
}
