//! Weighted linear least squares by QR decomposition.

use std::fmt;

use nalgebra::{DMatrix, DVector};

/// Below this part of its norm, a column says nothing that the columns before it do not say.
const DEPENDENT: f64 = 1e-10;

/// One observation: `coefficients . parameters` should be `value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What each parameter is multiplied by.
    pub coefficients: Vec<f64>,
    /// What was observed.
    pub value: f64,
    /// What the error of this row is multiplied by before it is squared: 1, or the inverse of the value for
    /// relative errors.
    pub weight: f64,
}

/// The parameters with the least sum of weighted squares, and how sure they are.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The parameters.
    pub parameters: Vec<f64>,
    /// The weighted sum of the squares of the residuals.
    pub residual_squares: f64,
    /// Rows less parameters.
    pub degrees_of_freedom: usize,
    /// For each row how much its own value decides its prediction, from 0 to 1.
    pub leverages: Vec<f64>,
    /// The inverse of the triangle, for columns of norm 1.
    inverse: DMatrix<f64>,
    /// The norms that the columns had.
    norms: Vec<f64>,
}

/// Why there is no solution: the rows leave a parameter open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undetermined {
    /// How many independent things the rows say.
    pub rank: usize,
    /// How many parameters there are.
    pub parameters: usize,
    /// How many rows there are.
    pub rows: usize,
}

impl fmt::Display for Undetermined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Undetermined { rank, parameters, rows } = self;
        if rows < parameters {
            write!(f, "{parameters} coefficients need at least {parameters} points, and there are {rows}")
        } else {
            write!(
                f,
                "the {rows} points determine {rank} of {parameters} coefficients: some terms are proportional on these points"
            )
        }
    }
}

impl std::error::Error for Undetermined {}

/// The values of so many parameters with the least sum of weighted squares.
///
/// Columns are scaled to norm 1 and decomposed by Householder reflections, so that the condition of the
/// problem is not squared, as it is in normal equations. The cost is that of `rows x parameters^2` products.
///
/// # Errors
/// There are fewer rows than parameters, or a column is a combination of others but for 1e-10 of its norm.
///
/// # Panics
/// If a row has fewer coefficients than there are parameters.
///
/// # Examples
/// ```
/// use skel_fit::least_squares::{Row, solve};
/// // A line through three points: 1 + 2 x.
/// let rows = [(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]
///     .map(|(x, value)| Row { coefficients: vec![1.0, x], value, weight: 1.0 });
/// let line = solve(2, &rows)?;
/// assert!((line.parameters[0] - 1.0).abs() < 1e-14 && (line.parameters[1] - 2.0).abs() < 1e-14);
/// assert_eq!(line.degrees_of_freedom, 1);
/// # Ok::<(), skel_fit::least_squares::Undetermined>(())
/// ```
pub fn solve(parameters: usize, rows: &[Row]) -> Result<Solution, Undetermined> {
    let (matrix, norms) = scaled(rows, parameters);
    let undetermined = |rank| Undetermined { rank, parameters, rows: rows.len() };
    if rows.len() < parameters || parameters == 0 {
        return Err(undetermined(rank(&matrix)));
    }
    let qr = matrix.clone().qr();
    let (orthogonal, triangle) = (qr.q(), qr.r());
    let is_open =
        (0..parameters).any(|at| triangle[(at, at)].abs().is_nan() || triangle[(at, at)].abs() < DEPENDENT);
    let inverse = triangle.solve_upper_triangular(&DMatrix::identity(parameters, parameters));
    let Some(inverse) = inverse.filter(|_| !is_open) else { return Err(undetermined(rank(&matrix))) };
    let values = DVector::from_iterator(rows.len(), rows.iter().map(|row| row.value * row.weight));
    let found = &inverse * (orthogonal.transpose() * values);
    let found: Vec<f64> = found.iter().zip(&norms).map(|(value, norm)| value / norm).collect();
    let residuals = rows.iter().map(|row| row.weight * (row.value - row.predicted(&found)));
    Ok(Solution {
        residual_squares: residuals.map(|residual| residual * residual).sum(),
        degrees_of_freedom: rows.len() - parameters,
        leverages: orthogonal.row_iter().map(|row| row.norm_squared()).collect(),
        parameters: found,
        inverse,
        norms,
    })
}

impl Row {
    /// What some parameters make of the row.
    #[must_use]
    pub fn predicted(&self, parameters: &[f64]) -> f64 {
        self.coefficients.iter().zip(parameters).map(|(factor, value)| factor * value).sum()
    }
}

impl Solution {
    /// The estimated standard deviation of a row of weight 1. Without degrees of freedom there is none.
    #[must_use]
    pub fn deviation(&self) -> Option<f64> {
        (self.degrees_of_freedom > 0).then(|| (self.residual_squares / self.degrees_of_freedom as f64).sqrt())
    }

    /// The standard error of each parameter. Without degrees of freedom there is none.
    #[must_use]
    pub fn standard_errors(&self) -> Option<Vec<f64>> {
        let deviation = self.deviation()?;
        let errors =
            self.norms.iter().enumerate().map(|(at, norm)| deviation * self.inverse.row(at).norm() / norm);
        Some(errors.collect())
    }

    /// The variance of `coefficients . parameters`, in units of the squared deviation: `x' (X' W X)^-1 x`.
    ///
    /// # Panics
    /// If there are not as many coefficients as parameters.
    #[must_use]
    pub fn variance_factor(&self, coefficients: &[f64]) -> f64 {
        let scaled = coefficients.iter().zip(&self.norms).map(|(value, norm)| value / norm);
        let scaled = DVector::from_iterator(coefficients.len(), scaled);
        (self.inverse.transpose() * scaled).norm_squared()
    }
}

/// The weighted rows with columns of norm 1, and the norms that they had. An empty column stays as it is.
fn scaled(rows: &[Row], parameters: usize) -> (DMatrix<f64>, Vec<f64>) {
    let entry = |row: usize, column: usize| rows[row].coefficients[column] * rows[row].weight;
    let mut matrix = DMatrix::from_fn(rows.len(), parameters, entry);
    let norms =
        matrix.column_iter().map(|column| column.norm()).map(|norm| if norm > 0.0 { norm } else { 1.0 });
    let norms: Vec<f64> = norms.collect();
    for (mut column, norm) in matrix.column_iter_mut().zip(&norms) {
        column /= *norm;
    }
    (matrix, norms)
}

fn rank(matrix: &DMatrix<f64>) -> usize {
    if matrix.is_empty() { 0 } else { matrix.rank(DEPENDENT) }
}
