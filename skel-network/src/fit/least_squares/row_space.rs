//! What rows say together, whatever they measured.

/// A row counts as new if what the others do not say is more than this part of it.
const NEW: f64 = 1e-9;

/// The space that rows span, as an orthonormal basis (Gram and Schmidt).
pub(in crate::fit) struct RowSpace {
    /// What each column is divided by.
    scales: Vec<f64>,
    basis: Vec<Vec<f64>>,
}

impl RowSpace {
    /// An empty space for rows like these, which show how large the entries of each column are.
    pub(in crate::fit) fn like<'a>(rows: impl Iterator<Item = &'a [f64]>, columns: usize) -> RowSpace {
        let mut scales = vec![0.0_f64; columns];
        for row in rows {
            for (scale, entry) in scales.iter_mut().zip(row) {
                *scale = scale.max(entry.abs());
            }
        }
        let scales = scales.into_iter().map(|scale| if scale > 0.0 { scale } else { 1.0 }).collect();
        RowSpace { scales, basis: Vec::new() }
    }

    /// Takes a row in, and says whether it is new.
    pub(in crate::fit) fn add(&mut self, row: &[f64]) -> bool {
        if self.basis.len() == self.scales.len() {
            return false;
        }
        let mut rest: Vec<f64> = row.iter().zip(&self.scales).map(|(entry, scale)| entry / scale).collect();
        let whole = norm(&rest);
        // The second pass takes away what rounding left in the first.
        for _ in 0..2 {
            for direction in &self.basis {
                let part: f64 = rest.iter().zip(direction).map(|(left, right)| left * right).sum();
                rest.iter_mut().zip(direction).for_each(|(left, right)| *left -= part * right);
            }
        }
        let length = norm(&rest);
        let is_new = length > NEW * whole;
        if is_new {
            rest.iter_mut().for_each(|entry| *entry /= length);
            self.basis.push(rest);
        }
        is_new
    }
}

fn norm(row: &[f64]) -> f64 {
    row.iter().map(|entry| entry * entry).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_and_sums_are_not_new() {
        let rows: [&[f64]; 5] =
            [&[1.0, 2.0, 0.0], &[3.0, 6.0, 0.0], &[0.0, 1.0, 1e6], &[1.0, 3.0, 1e6], &[0.0, 0.0, 1.0]];
        let mut space = RowSpace::like(rows.into_iter(), 3);
        assert_eq!(rows.map(|row| space.add(row)), [true, false, true, false, true]);
    }
}
