//! What runs say of the parameters, and the parameters that fit them best.

mod outliers;
mod row_space;

use std::collections::BTreeMap;

use skel_fit::least_squares;

pub(super) use outliers::outliers;
pub(super) use row_space::RowSpace;

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
    /// The standard error of each; none without degrees of freedom.
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
    let merged = merged(rows, weights);
    let mut space = RowSpace::like(merged.iter().map(|row| row.coefficients.as_slice()), parameters);
    let independent = merged.iter().filter(|row| space.add(&row.coefficients)).count();
    if independent < parameters {
        return None;
    }
    let solution = least_squares::solve(parameters, &merged).ok()?;
    let errors =
        rows.iter().map(|row| (row.time - row.predicted(&solution.parameters)) * weights.factor(row.time));
    let rss: f64 = errors.map(|error| error * error).sum();
    let dof = rows.len() - parameters;
    let standard_error = |at: usize| {
        let unit: Vec<f64> = (0..parameters).map(|column| f64::from(u8::from(column == at))).collect();
        (rss / dof as f64 * solution.variance_factor(&unit)).sqrt()
    };
    let standard_errors = (dof > 0).then(|| (0..parameters).map(standard_error).collect());
    Some(Solution { standard_errors, rss, dof, parameters: solution.parameters })
}

/// One row for all that have the same coefficients: their mean, with the weight of all of them. It has the
/// same solution, and is much smaller where each run was repeated.
fn merged(rows: &[Row], weights: Weights) -> Vec<least_squares::Row> {
    let mut sums: BTreeMap<Vec<u64>, (f64, f64)> = BTreeMap::new();
    for row in rows {
        let weight = weights.factor(row.time).powi(2);
        let bits = row.coefficients.iter().map(|factor| factor.to_bits()).collect();
        let (whole, values) = sums.entry(bits).or_default();
        *whole += weight;
        *values += weight * (row.time - row.known);
    }
    let row = |(bits, (whole, values)): (Vec<u64>, (f64, f64))| least_squares::Row {
        coefficients: bits.into_iter().map(f64::from_bits).collect(),
        value: values / whole,
        weight: whole.sqrt(),
    };
    sums.into_iter().map(row).collect()
}
