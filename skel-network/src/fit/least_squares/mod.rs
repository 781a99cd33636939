//! Weighted least squares by QR decomposition.

mod outliers;
mod row_space;

use nalgebra::{DMatrix, DVector};

pub(super) use outliers::outliers;
pub(super) use row_space::RowSpace;

/// Below this part of its norm, a column says nothing that the columns before it do not say.
const DEPENDENT: f64 = 1e-10;

/// How much each run counts in a fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weights {
    /// Each run by its error in microseconds. Then the longest runs decide nearly alone.
    Unit,
    /// Each run by its relative error, since the noise of timed messages is a percentage of their times.
    #[default]
    Relative,
}

impl Weights {
    /// What the error of a run is multiplied by.
    fn factor(self, time: f64) -> f64 {
        match self {
            Weights::Unit => 1.0,
            Weights::Relative => 1.0 / time,
        }
    }
}

/// What one run says of the parameters: `coefficients . parameters + known = time`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) coefficients: Vec<f64>,
    /// What is known beforehand, in microseconds.
    pub(super) known: f64,
    /// What was measured, in microseconds.
    pub(super) time: f64,
}

impl Row {
    /// What the parameters make of the run, in microseconds.
    pub(super) fn predicted(&self, parameters: &[f64]) -> f64 {
        let sum: f64 = self.coefficients.iter().zip(parameters).map(|(factor, value)| factor * value).sum();
        self.known + sum
    }
}

/// The parameters with the least sum of weighted squares.
#[derive(Clone, Debug)]
pub(super) struct Solution {
    pub(super) parameters: Vec<f64>,
    /// The standard error of each, from `rss / dof`; none without degrees of freedom.
    pub(super) standard_errors: Option<Vec<f64>>,
    /// The weighted sum of the squares of the residuals.
    pub(super) rss: f64,
    /// Rows less parameters.
    pub(super) dof: usize,
}

/// The solution, or nothing if the rows leave a parameter open.
pub(super) fn solve(rows: &[Row], parameters: usize, weights: Weights) -> Option<Solution> {
    if rows.len() < parameters {
        return None;
    }
    let (matrix, scales) = scaled(rows, parameters, weights);
    let mut right = right_side(rows, weights);
    let qr = matrix.qr();
    let triangle = qr.r();
    if (0..parameters).any(|at| triangle[(at, at)].abs() < DEPENDENT) {
        return None;
    }
    qr.q_tr_mul(&mut right);
    let inverse = triangle.solve_upper_triangular(&DMatrix::identity(parameters, parameters))?;
    let found = &inverse * right.rows(0, parameters);
    let values: Vec<f64> = found.iter().zip(&scales).map(|(value, scale)| value / scale).collect();

    let squares = rows.iter().map(|row| (row.time - row.predicted(&values)) * weights.factor(row.time));
    let rss: f64 = squares.map(|error| error * error).sum();
    let dof = rows.len() - parameters;
    let error = |at: usize| (rss / dof as f64).sqrt() * inverse.row(at).norm() / scales[at];
    Some(Solution {
        parameters: values,
        standard_errors: (dof > 0).then(|| (0..parameters).map(error).collect()),
        rss,
        dof,
    })
}

/// The weighted rows with columns of norm 1, and the norms that they had. An empty column stays as it is.
fn scaled(rows: &[Row], parameters: usize, weights: Weights) -> (DMatrix<f64>, Vec<f64>) {
    let entry = |row: usize, column: usize| {
        let row: &Row = &rows[row];
        row.coefficients[column] * weights.factor(row.time)
    };
    let mut matrix = DMatrix::from_fn(rows.len(), parameters, entry);
    let scales =
        matrix.column_iter().map(|column| column.norm()).map(|norm| if norm > 0.0 { norm } else { 1.0 });
    let scales: Vec<f64> = scales.collect();
    for (mut column, scale) in matrix.column_iter_mut().zip(&scales) {
        column /= *scale;
    }
    (matrix, scales)
}

fn right_side(rows: &[Row], weights: Weights) -> DVector<f64> {
    let values = rows.iter().map(|row| (row.time - row.known) * weights.factor(row.time));
    DVector::from_iterator(rows.len(), values)
}
