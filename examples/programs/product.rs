//! The product of two matrices of whole numbers: rows are the items, and both factors are known to every
//! worker.

use std::error::Error;
use std::hint::black_box;
use std::ops::Range;

use crate::loops::{Loops, repeated};

/// Two square matrices.
pub(crate) struct Factors {
    side: usize,
    /// By rows.
    left: Vec<f64>,
    /// By columns.
    right: Vec<f64>,
}

impl Factors {
    /// With `(7i + 3j) mod 11 - 5` and `(5i + 2j) mod 13 - 6` in row `i` and column `j`. Floats have all sums
    /// of these exactly.
    pub(crate) fn new(side: usize) -> Self {
        let entries = |entry: fn(usize, usize) -> f64| {
            (0..side * side).map(|place| entry(place / side, place % side)).collect()
        };
        Factors {
            side,
            left: entries(|row, column| ((7 * row + 3 * column) % 11) as f64 - 5.0),
            right: entries(|column, row| ((5 * row + 2 * column) % 13) as f64 - 6.0),
        }
    }

    /// The product by rows. A worker gets rows of the left factor, and sends those of the product back.
    pub(crate) fn product(&self, loops: &mut impl Loops) -> Result<Vec<f64>, Box<dyn Error>> {
        let values = |rows: usize| [rows * self.side, rows * self.side];
        Ok(loops.each(self.side, values, |tenths, rows| self.rows(tenths, rows))?.concat())
    }

    /// Some rows of the product: the classical algorithm.
    fn rows(&self, tenths: u32, rows: Range<usize>) -> Vec<f64> {
        let mut result = vec![0.0; rows.len() * self.side];
        for (row, products) in rows.zip(result.chunks_exact_mut(self.side)) {
            let left = &self.left[row * self.side..][..self.side];
            repeated(tenths, self.side, |columns| {
                let right = self.right[columns.start * self.side..].chunks_exact(self.side);
                for (product, right) in products[columns].iter_mut().zip(right) {
                    *product = scalar_product(black_box(left), right);
                }
            });
        }
        result
    }
}

fn scalar_product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
