//! Least squares by normal equations, whose matrix is dense, and Cholesky's factors of it.

use crate::vector::dot;

/// What is added to the diagonal in any case, relative to its largest element: directions that do not count
/// leave it singular.
const LEAST_DAMPING: f64 = 1e-15;

/// The normal equations of some rows.
pub(super) struct NormalEquations {
    size: usize,
    /// The lower triangle, row by row in full length.
    matrix: Vec<f64>,
    right: Vec<f64>,
    /// The current row, and where it may differ from zero.
    row: Vec<f64>,
    columns: Vec<u32>,
}

impl NormalEquations {
    /// For so many unknowns, without rows.
    pub(super) fn new(size: usize) -> NormalEquations {
        let (matrix, right, row) = (vec![0.0; size * size], vec![0.0; size], vec![0.0; size]);
        NormalEquations { size, matrix, right, row, columns: Vec::new() }
    }

    /// Adds to an element of the current row.
    pub(super) fn add(&mut self, column: u32, value: f64) {
        let element = &mut self.row[column as usize];
        if *element == 0.0 {
            self.columns.push(column);
        }
        *element += value;
    }

    /// Ends the current row, whose right side this is, and begins another.
    pub(super) fn end_row(&mut self, right: f64) {
        // An element that came back to zero in between is there twice.
        self.columns.sort_unstable();
        self.columns.dedup();
        for (at, &column) in self.columns.iter().enumerate() {
            let (column, value) = (column as usize, self.row[column as usize]);
            self.right[column] += value * right;
            let of_column = &mut self.matrix[column * self.size..][..=column];
            self.columns[..=at]
                .iter()
                .for_each(|&other| of_column[other as usize] += value * self.row[other as usize]);
        }
        self.columns.drain(..).for_each(|column| self.row[column as usize] = 0.0);
    }

    /// The step that reduces the right sides most, where every step costs its square times `damping` times
    /// the diagonal; `None` where rounding leaves no pivot.
    pub(super) fn step(&self, damping: f64) -> Option<Vec<f64>> {
        let size = self.size;
        let diagonal = |row: usize| self.matrix[row * size + row];
        let least = LEAST_DAMPING * (0..size).map(diagonal).fold(0.0, f64::max);
        let mut factors = self.matrix.clone();
        for row in 0..size {
            factors[row * size + row] += damping * diagonal(row) + least;
            let (above, of_row) = factors.split_at_mut(row * size);
            for column in 0..row {
                let other = &above[column * size..][..=column];
                of_row[column] = (of_row[column] - dot(&of_row[..column], &other[..column])) / other[column];
            }
            let square = of_row[row] - dot(&of_row[..row], &of_row[..row]);
            if !(square > 0.0 && square.is_finite()) {
                return None;
            }
            of_row[row] = square.sqrt();
        }
        Some(substituted(&factors, self.right.iter().map(|right| -right).collect()))
    }
}

/// Solves with the lower factor and then with its transpose.
fn substituted(factors: &[f64], mut x: Vec<f64>) -> Vec<f64> {
    let size = x.len();
    for row in 0..size {
        let of_row = &factors[row * size..][..=row];
        x[row] = (x[row] - dot(&of_row[..row], &x[..row])) / of_row[row];
    }
    for row in (0..size).rev() {
        let of_row = &factors[row * size..][..=row];
        x[row] /= of_row[row];
        let value = x[row];
        x[..row].iter_mut().zip(of_row).for_each(|(x, factor)| *x -= factor * value);
    }
    x
}
