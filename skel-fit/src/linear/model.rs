//! Linear combinations of given terms.

use std::fmt;

use super::prediction::{Prediction, Warning};
use crate::function::{Function, product_at};
use crate::least_squares::{Row, Solution, Undetermined, solve};
use crate::power::Power;
use crate::quality::Quality;
use crate::ranges::ranges;
use crate::runs::Interval;
use crate::student::quantile;

/// How much each point counts in a fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weighting {
    /// Each point by its error in seconds, as the paper does. Then the longest times decide nearly alone.
    #[default]
    Equal,
    /// Each point by its relative error, for noise that is a percentage of the time.
    Relative,
}

/// A function of given terms, fitted to points by least squares.
///
/// # Examples
/// ```
/// use skel_fit::{LinearModel, Power, Warning, Weighting};
/// let points = [([1.0], 3.1), ([2.0], 4.9), ([3.0], 7.0), ([4.0], 9.1)];
/// let line = LinearModel::fit(["n"], &[[Power::ONE], [Power::new(1, 1)]], &points, Weighting::Equal)?;
/// let inside = line.predict([2.5], 0.95);
/// assert!((inside.value - 6.025).abs() < 1e-12);
/// assert!(inside.warnings.is_empty());
/// assert!(matches!(line.predict([8.0], 0.95).warnings[..], [Warning::Extrapolated { .. }]));
/// # Ok::<(), skel_fit::FitError>(())
/// ```
#[derive(Clone, Debug)]
pub struct LinearModel<const VARIABLES: usize> {
    /// The function.
    pub function: Function<VARIABLES>,
    /// How well it fits the points.
    pub quality: Quality,
    terms: Vec<[Power; VARIABLES]>,
    solution: Solution,
    weighting: Weighting,
    /// The least and the largest value of each variable.
    ranges: [(f64, f64); VARIABLES],
}

/// Why a model cannot be fitted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FitError {
    /// There are too few points, or terms that are proportional on these points.
    Undetermined(Undetermined),
    /// A point that cannot be used.
    Point {
        /// Its place, from 0.
        index: usize,
        /// What is wrong with it, and what to write instead.
        message: String,
    },
    /// Some numbers of processes have too few points, for a fit in two steps.
    Processes {
        /// The number of processes.
        p: f64,
        /// Why its points leave coefficients open.
        reason: Undetermined,
    },
}

impl fmt::Display for FitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FitError::Undetermined(reason) => {
                write!(f, "{reason}; help: time the program at more different sizes, or take fewer terms")
            }
            FitError::Point { index, message } => {
                write!(f, "point {}: {message}", index + 1)
            }
            FitError::Processes { p, reason } => {
                write!(
                    f,
                    "with {p} processes, {reason}; help: time the program at more different sizes with {p} processes, or take fewer terms"
                )
            }
        }
    }
}

impl std::error::Error for FitError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            FitError::Undetermined(reason) | FitError::Processes { reason, .. } => Some(reason),
            FitError::Point { .. } => None,
        }
    }
}

impl<const VARIABLES: usize> LinearModel<VARIABLES> {
    /// Fits the coefficients of some products of powers to points of variables and values, which are seconds
    /// as a rule.
    ///
    /// # Errors
    /// There are fewer points than terms, some terms are proportional on these points, a variable is not
    /// positive and finite, or a value is not finite, or 0 where relative errors count.
    pub fn fit(
        variables: [&str; VARIABLES],
        terms: &[[Power; VARIABLES]],
        points: &[([f64; VARIABLES], f64)],
        weighting: Weighting,
    ) -> Result<Self, FitError> {
        check(variables, points, weighting)?;
        let rows: Vec<Row> = points
            .iter()
            .map(|&(point, value)| Row { coefficients: at(terms, point), value, weight: weighting.of(value) })
            .collect();
        let solution = solve(terms.len(), &rows).map_err(FitError::Undetermined)?;
        let function =
            Function::of(variables, terms.iter().copied().zip(solution.parameters.iter().copied()));
        let measured: Vec<f64> = points.iter().map(|point| point.1).collect();
        let fitted: Vec<f64> = rows.iter().map(|row| row.predicted(&solution.parameters)).collect();
        Ok(LinearModel {
            quality: Quality::of(&measured, &fitted, terms.len()),
            ranges: ranges(points),
            terms: terms.to_vec(),
            function,
            solution,
            weighting,
        })
    }

    /// The terms with their coefficients, in the order in which they were given.
    pub fn coefficients(&self) -> impl Iterator<Item = ([Power; VARIABLES], f64)> {
        self.terms.iter().copied().zip(self.solution.parameters.iter().copied())
    }

    /// The standard error of each coefficient. Without degrees of freedom there is none.
    #[must_use]
    pub fn standard_errors(&self) -> Option<Vec<f64>> {
        self.solution.standard_errors()
    }

    /// What the model predicts for a point, with intervals of a probability such as 0.95.
    #[must_use]
    pub fn predict(&self, point: [f64; VARIABLES], probability: f64) -> Prediction {
        let coefficients = at(&self.terms, point);
        let row = Row { coefficients, value: 0.0, weight: 1.0 };
        let value = row.predicted(&self.solution.parameters);
        let mut warnings = Warning::of_ranges(self.function.variables(), point, self.ranges);
        if value < 0.0 {
            warnings.push(Warning::Negative { seconds: value });
        }
        let intervals =
            self.solution.deviation().zip(quantile(probability, self.solution.degrees_of_freedom));
        if intervals.is_none() {
            warnings.push(Warning::NoDegreesOfFreedom);
        }
        let of_mean = self.solution.variance_factor(&row.coefficients);
        // The weight of a point is the inverse of how much its runs scatter.
        let of_run = of_mean + self.weighting.of(value).powi(-2);
        let around = |factor: f64| {
            intervals.map(|(deviation, t)| Interval::around(value, t * deviation * factor.sqrt()))
        };
        Prediction { value, interval: around(of_run), interval_of_mean: around(of_mean), warnings }
    }

    /// The least and the largest value of each variable among the points.
    #[must_use]
    pub fn ranges(&self) -> [(f64, f64); VARIABLES] {
        self.ranges
    }
}

fn check<const VARIABLES: usize>(
    variables: [&str; VARIABLES],
    points: &[([f64; VARIABLES], f64)],
    weighting: Weighting,
) -> Result<(), FitError> {
    for (index, (point, value)) in points.iter().enumerate() {
        let mut numbers = variables.iter().zip(point);
        if let Some((name, wrong)) = numbers.find(|(_, number)| !(**number > 0.0 && number.is_finite())) {
            let message = format!("{name} is {wrong}; help: it must be above 0 and finite");
            return Err(FitError::Point { index, message });
        }
        if !value.is_finite() || !weighting.of(*value).is_finite() {
            let message = format!(
                "the value is {value}; help: write a finite number, above 0 where relative errors count"
            );
            return Err(FitError::Point { index, message });
        }
    }
    Ok(())
}

impl Weighting {
    fn of(self, value: f64) -> f64 {
        match self {
            Weighting::Equal => 1.0,
            Weighting::Relative => 1.0 / value,
        }
    }
}

fn at<const VARIABLES: usize>(terms: &[[Power; VARIABLES]], point: [f64; VARIABLES]) -> Vec<f64> {
    terms.iter().map(|powers| product_at(powers, point)).collect()
}
