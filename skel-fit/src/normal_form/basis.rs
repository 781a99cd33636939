//! Least squares for one candidate after the other, of which most columns are those of the candidate before.

/// An orthonormal basis of the columns that a candidate has so far, and what it leaves of the values.
#[derive(Clone, Debug)]
pub(super) struct Basis {
    columns: Vec<Vec<f64>>,
    /// The values less their projection.
    residuals: Vec<f64>,
    leverages: Vec<f64>,
}

/// A column of which this part of its norm, or less, is left by the others says nothing that they do not say.
const DEPENDENT: f64 = 1e-9;

/// The rounding errors of a sum of squares, as a part of it.
const ROUNDING: f64 = 1e-9;

/// If more than this part of the square of a column's norm is left, rounding has done no harm.
const MUCH_IS_LEFT: f64 = 1e-4;

impl Basis {
    pub(super) fn new(values: Vec<f64>) -> Self {
        Basis { columns: Vec::new(), leverages: vec![0.0; values.len()], residuals: values }
    }

    /// The same with one more column, unless it depends on those that are there.
    pub(super) fn with(&self, column: &[f64]) -> Option<Basis> {
        let mut rest = Vec::new();
        let left = self.rest_of(column, &mut rest)?.sqrt();
        rest.iter_mut().for_each(|value| *value /= left);
        let mut basis = self.clone();
        let part = dot(&basis.residuals, &rest);
        subtract(&mut basis.residuals, &rest, part);
        basis.leverages.iter_mut().zip(&rest).for_each(|(leverage, value)| *leverage += value * value);
        basis.columns.push(rest);
        Some(basis)
    }

    /// What the basis leaves of a column, and the square of its norm. `None` if that is nothing.
    fn rest_of(&self, column: &[f64], rest: &mut Vec<f64>) -> Option<f64> {
        rest.clear();
        rest.extend_from_slice(column);
        let norm = dot(column, column);
        let mut left = norm;
        // Where much is taken away, the rounding errors of that are taken away by a second pass ("twice is
        // enough").
        for _ in 0..2 {
            for known in &self.columns {
                let part = dot(rest, known);
                subtract(rest, known, part);
            }
            left = dot(rest, rest);
            if left > MUCH_IS_LEFT * norm {
                break;
            }
        }
        (left.is_finite() && left > DEPENDENT * DEPENDENT * norm).then_some(left)
    }

    /// The sum of squares of the errors that each value would have if the others alone had been fitted:
    /// `e / (1 - h)`, with its residual `e` and its leverage `h` (Allen's PRESS).
    pub(super) fn left_out(&self) -> f64 {
        let errors = self.residuals.iter().zip(&self.leverages).map(|(residual, leverage)| {
            let error = residual / (1.0 - leverage).max(f64::EPSILON);
            error * error
        });
        errors.sum()
    }

    /// The same for one more column, without a new basis. `None` if the column depends on those that are
    /// there, or if the sum is larger than `most`.
    pub(super) fn left_out_with(&self, column: &[f64], most: f64, rest: &mut Vec<f64>) -> Option<f64> {
        if self.squares_with(column) > most {
            return None;
        }
        let left = self.rest_of(column, rest)?;
        let part = dot(&self.residuals, rest) / left;
        let rows = self.residuals.iter().zip(&self.leverages).zip(rest.iter());
        let errors = rows.map(|((residual, leverage), value)| {
            let error = (residual - part * value) / (1.0 - leverage - value * value / left).max(f64::EPSILON);
            error * error
        });
        Some(errors.sum())
    }

    /// What one more column leaves of the sum of squares of the residuals, or a little less: `left_out_with`
    /// is at least that, since no leverage is negative. It costs neither a division for each row nor the rest
    /// of the column.
    fn squares_with(&self, column: &[f64]) -> f64 {
        let norm = dot(column, column);
        let left = self.columns.iter().fold(norm, |left, known| {
            let part = dot(known, column);
            left - part * part
        });
        // Otherwise rounding may have taken too much away.
        if left > MUCH_IS_LEFT * norm {
            let part = dot(&self.residuals, column);
            let squares = dot(&self.residuals, &self.residuals);
            squares * (1.0 - ROUNDING) - part * part / left
        } else {
            0.0
        }
    }
}

/// How many sums a product of vectors is made of, which a processor computes at the same time.
const LANES: usize = 4;

fn dot(one: &[f64], other: &[f64]) -> f64 {
    let (ones, others) = (one.chunks_exact(LANES), other.chunks_exact(LANES));
    let rest: f64 = ones.remainder().iter().zip(others.remainder()).map(|(one, other)| one * other).sum();
    let sums = ones.zip(others).fold([0.0; LANES], |sums: [f64; LANES], (one, other)| {
        std::array::from_fn(|lane| sums[lane] + one[lane] * other[lane])
    });
    sums.iter().sum::<f64>() + rest
}

fn subtract(from: &mut [f64], direction: &[f64], times: f64) {
    from.iter_mut().zip(direction).for_each(|(value, direction)| *value -= times * direction);
}
