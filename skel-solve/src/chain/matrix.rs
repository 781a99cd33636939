//! Square sparse matrices in compressed rows: the entries row by row, and the index at which each row starts.
//!
//! This is the form in which `sprs` and most other crates take a matrix, with columns as 32-bit numbers; the
//! feature `sprs` converts to that crate. This crate does not use `sprs` itself, since `sprs` needs
//! `ndarray`, whose compilation is a quarter of a first build.

use num_traits::Zero;

/// A square sparse matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix<N> {
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<N>,
}

impl<N> Matrix<N> {
    /// A matrix whose row `i` has the entries `offsets[i]..offsets[i + 1]`, in the order of their columns.
    pub(crate) fn new(offsets: Vec<usize>, columns: Vec<u32>, values: Vec<N>) -> Self {
        Matrix { offsets, columns, values }
    }

    /// The number of rows, which is also the number of columns.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of stored entries.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// The value of a stored entry, in time logarithmic in the length of the row.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn get(&self, row: usize, column: usize) -> Option<&N> {
        let at = self.columns_of(row).binary_search(&u32::try_from(column).ok()?).ok()?;
        Some(&self.values[self.offsets[row] + at])
    }

    /// The stored entries of a row, in the order of their columns.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, &N)> {
        let values = &self.values[self.offsets[row]..self.offsets[row + 1]];
        self.columns_of(row).iter().map(|&column| column as usize).zip(values)
    }

    /// The columns of the stored entries of a row.
    pub(crate) fn columns_of(&self, row: usize) -> &[u32] {
        &self.columns[self.offsets[row]..self.offsets[row + 1]]
    }

    /// The matrix as three lists: the index at which each row starts and the last one ends, the columns, and
    /// the values.
    ///
    /// # Examples
    /// ```
    /// use skel_solve::{chain::Generator, Explore};
    /// let model = skel_core::text::parse("P = (go, 1).Q; Q = (back, 2).P; P").into_model().unwrap();
    /// let q = Generator::<f64>::of(&model.explore().unwrap());
    /// let (offsets, columns, values) = q.matrix().parts();
    /// assert_eq!(offsets, [0, 2, 4]);
    /// assert_eq!(columns, [0, 1, 0, 1]);
    /// assert_eq!(values, [-1.0, 1.0, 2.0, -2.0]);
    /// ```
    #[must_use]
    pub fn parts(&self) -> (&[usize], &[u32], &[N]) {
        (&self.offsets, &self.columns, &self.values)
    }
}

impl<N: Clone + Zero> Matrix<N> {
    /// The transposed matrix, in time linear in rows and entries.
    pub(crate) fn transposed(&self) -> Matrix<N> {
        let mut offsets = vec![0; self.offsets.len()];
        for &column in &self.columns {
            offsets[column as usize + 1] += 1;
        }
        for row in 1..offsets.len() {
            offsets[row] += offsets[row - 1];
        }
        let mut free = offsets.clone();
        let mut columns = vec![0; self.columns.len()];
        let mut values = vec![N::zero(); self.values.len()];
        for row in 0..self.rows() {
            for (column, value) in self.row(row) {
                let at = free[column];
                free[column] += 1;
                (columns[at], values[at]) = (row as u32, value.clone());
            }
        }
        Matrix { offsets, columns, values }
    }
}

/// Lists of numbers below a bound, the other way round: per number the lists that have it, ascending. List
/// `k` is `numbers[offsets[k]..offsets[k + 1]]`, before and after. Time: linear.
pub(crate) fn transposed_lists(offsets: &[usize], numbers: &[u32], bound: usize) -> (Vec<usize>, Vec<u32>) {
    let mut starts = vec![0; bound + 1];
    numbers.iter().for_each(|&number| starts[number as usize + 1] += 1);
    for number in 0..bound {
        starts[number + 1] += starts[number];
    }
    let mut next = starts.clone();
    let mut lists = vec![0; numbers.len()];
    for (list, ends) in offsets.windows(2).enumerate() {
        for &number in &numbers[ends[0]..ends[1]] {
            lists[next[number as usize]] = list as u32;
            next[number as usize] += 1;
        }
    }
    (starts, lists)
}

#[cfg(feature = "sprs")]
impl<N: Clone> From<&Matrix<N>> for sprs::CsMatI<N, u32, usize> {
    /// Converts to a matrix of the crate `sprs`.
    ///
    /// # Examples
    /// ```
    /// use skel_solve::{chain::Generator, Explore};
    /// use sprs::CsMatI;
    /// let model = skel_core::text::parse("P = (go, 1).Q; Q = (back, 2).P; P").into_model().unwrap();
    /// let q = Generator::<f64>::of(&model.explore().unwrap());
    /// let matrix = CsMatI::from(q.matrix());
    /// assert_eq!(matrix.nnz(), 4);
    /// assert_eq!(matrix.get(1, 0), Some(&2.0));
    /// ```
    fn from(matrix: &Matrix<N>) -> Self {
        let shape = (matrix.rows(), matrix.rows());
        sprs::CsMatI::new(shape, matrix.offsets.clone(), matrix.columns.clone(), matrix.values.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_exchanges_rows_and_columns() {
        let matrix = Matrix::new(vec![0, 2, 2, 4], vec![0, 2, 0, 1], vec![1.0, 2.0, 3.0, 4.0]);
        let transposed = matrix.transposed();
        assert_eq!(transposed, Matrix::new(vec![0, 2, 3, 4], vec![0, 2, 2, 0], vec![1.0, 3.0, 4.0, 2.0]));
        assert_eq!(transposed.transposed(), matrix);
    }
}
