//! Small dense matrices without negative entries.

use crate::limits::{Stopped, Watch};

/// A square matrix, row by row.
pub(super) struct Dense {
    size: usize,
    values: Vec<f64>,
}

impl Dense {
    pub(super) fn zero(size: usize) -> Dense {
        Dense { size, values: vec![0.0; size * size] }
    }

    pub(super) fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.values[row * self.size..(row + 1) * self.size]
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.size..(row + 1) * self.size]
    }

    /// `self other`, in `n^3` multiplications less those with zeros of `self`.
    pub(super) fn times(&self, other: &Dense, watch: &mut Watch<'_>) -> Result<Dense, Stopped> {
        let mut product = Dense::zero(self.size);
        for row in 0..self.size {
            if row.is_multiple_of(64) {
                watch.prepare()?;
            }
            let sums = product.row_mut(row);
            for (middle, &factor) in self.row(row).iter().enumerate() {
                if factor != 0.0 {
                    add(factor, other.row(middle), sums);
                }
            }
        }
        Ok(product)
    }

    /// `vector self`
    pub(super) fn after(&self, vector: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; self.size];
        for (row, &factor) in vector.iter().enumerate() {
            if factor != 0.0 {
                add(factor, self.row(row), &mut product);
            }
        }
        product
    }

    pub(super) fn add(&mut self, other: &Dense) {
        add(1.0, &other.values, &mut self.values);
    }

    /// Makes each row sum to `sum`.
    pub(super) fn scale_rows_to(&mut self, sum: f64) {
        for row in self.values.chunks_mut(self.size) {
            let factor = sum / row.iter().sum::<f64>();
            row.iter_mut().for_each(|value| *value *= factor);
        }
    }
}

pub(super) fn add(factor: f64, values: &[f64], sums: &mut [f64]) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += factor * value);
}
