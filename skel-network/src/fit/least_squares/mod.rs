//! What runs say of the parameters, and the parameters that fit them best.

mod outliers;
mod row_space;

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
    let weighted = rows.iter().map(|row| least_squares::Row {
        coefficients: row.coefficients.clone(),
        value: row.time - row.known,
        weight: weights.factor(row.time),
    });
    let solution = least_squares::solve(parameters, &weighted.collect::<Vec<_>>()).ok()?;
    Some(Solution {
        standard_errors: solution.standard_errors(),
        rss: solution.residual_squares,
        dof: solution.degrees_of_freedom,
        parameters: solution.parameters,
    })
}
