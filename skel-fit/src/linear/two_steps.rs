//! The paper's fit in two steps: functions of the size for each number of processes, then each of their
//! coefficients as a function of `1/p`.

use super::model::{FitError, LinearModel, Weighting};
use super::prediction::Prediction;
use crate::function::Function;
use crate::power::Power;
use crate::quality::Quality;

/// A model in two steps: for each number of processes `p` the coefficients of given terms of `n`, and then
/// each coefficient as `constant + per_process / p`.
///
/// If the same sizes were timed for each number of processes, this is the joint fit of all products of a term
/// and 1 or `1/p`, and intervals of predictions are those of that fit. With holes in the table the two
/// differ: [`is_joint`](TwoSteps::is_joint) says so.
///
/// Source: J. M. Laine and E. T. Midorikawa, PEMPIs-Het, section 5 (Equation 13; nothing is divided by `p`
/// once more, as it prints).
///
/// # Examples
/// ```
/// use skel_fit::{Power, TwoSteps};
/// // 1 + 2/p + n (3 + 4/p)
/// let mut points = Vec::new();
/// for p in [1.0, 2.0, 4.0] {
///     for n in [10.0, 20.0, 30.0] {
///         points.push(([n, p], 1.0 + 2.0 / p + n * (3.0 + 4.0 / p)));
///     }
/// }
/// let model = TwoSteps::fit(&[Power::ONE, Power::new(1, 1)], &points)?;
/// assert!(model.is_joint);
/// assert!((model.predict([25.0, 8.0], 0.95).value - (1.25 + 25.0 * 3.5)).abs() < 1e-10);
/// # Ok::<(), skel_fit::FitError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TwoSteps {
    /// The first step: a function of the size for each number of processes, in order.
    pub first: Vec<ProcessesStep>,
    /// The second step: each coefficient as a function of the number of processes, in the order of the terms.
    pub second: Vec<CoefficientStep>,
    /// What the two steps give: a function of `n` and `p`.
    pub function: Function<2>,
    /// How well it fits the points.
    pub quality: Quality,
    /// The fit of all coefficients at once, from which the intervals of predictions come.
    pub joint: LinearModel<2>,
    /// Whether the two steps and the joint fit are the same function, but for rounding.
    pub is_joint: bool,
}

/// The function of the size for one number of processes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProcessesStep {
    /// The number of processes.
    pub p: f64,
    /// The model of the points with this number.
    pub model: LinearModel<1>,
}

/// One coefficient as a function of the number of processes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CoefficientStep {
    /// The term of the size that it belongs to.
    pub term: Power,
    /// What does not depend on the number of processes.
    pub constant: f64,
    /// What is divided by the number of processes.
    pub per_inverse_p: f64,
    /// How well this fits the coefficients of the first step.
    pub quality: Quality,
}

/// Coefficients of two fits are the same if they differ by less than this part of what all terms are
/// together.
const SAME: f64 = 1e-8;

impl TwoSteps {
    /// Fits points of `[n, p]` and seconds.
    ///
    /// # Errors
    /// A number of processes has too few sizes for the terms, there is only one number of processes, or a
    /// value is not positive and finite.
    pub fn fit(terms: &[Power], points: &[([f64; 2], f64)]) -> Result<Self, FitError> {
        let products: Vec<[Power; 2]> =
            terms.iter().flat_map(|&term| [[term, Power::ONE], [term, Power::new(-1, 1)]]).collect();
        let first = first_step(terms, points)?;
        let second: Vec<CoefficientStep> = terms
            .iter()
            .enumerate()
            .map(|(index, &term)| second_step(term, index, &first))
            .collect::<Result<_, _>>()?;
        let joint = LinearModel::fit(["n", "p"], &products, points, Weighting::Equal)?;
        let coefficients = second.iter().flat_map(|step| [step.constant, step.per_inverse_p]);
        let function = Function::of(["n", "p"], products.iter().copied().zip(coefficients));
        let measured: Vec<f64> = points.iter().map(|point| point.1).collect();
        let fitted: Vec<f64> = points.iter().map(|point| function.at_point(point.0)).collect();
        let is_same = |&([n, p], _): &([f64; 2], f64)| {
            let difference = (function.at_point([n, p]) - joint.function.at_point([n, p])).abs();
            difference <= SAME * function.magnitude([n, p])
        };
        Ok(TwoSteps {
            quality: Quality::of(&measured, &fitted, products.len()),
            is_joint: points.iter().all(is_same),
            first,
            second,
            function,
            joint,
        })
    }

    /// What the model predicts for `[n, p]`: the value of the two steps, and intervals of the joint fit's
    /// width around it.
    #[must_use]
    pub fn predict(&self, point: [f64; 2], probability: f64) -> Prediction {
        self.joint.predict(point, probability).moved_to(self.function.at_point(point))
    }
}

fn first_step(terms: &[Power], points: &[([f64; 2], f64)]) -> Result<Vec<ProcessesStep>, FitError> {
    let mut processes: Vec<f64> = points.iter().map(|point| point.0[1]).collect();
    processes.sort_by(f64::total_cmp);
    processes.dedup();
    let terms: Vec<[Power; 1]> = terms.iter().map(|&term| [term]).collect();
    let of = |p: f64| {
        let of_p = points.iter().filter(|point| point.0[1] == p).map(|&([n, _], seconds)| ([n], seconds));
        let of_p: Vec<([f64; 1], f64)> = of_p.collect();
        match LinearModel::fit(["n"], &terms, &of_p, Weighting::Equal) {
            Ok(model) => Ok(ProcessesStep { p, model }),
            Err(FitError::Undetermined(reason)) => Err(FitError::Processes { p, reason }),
            Err(error) => Err(error),
        }
    };
    processes.into_iter().map(of).collect()
}

fn second_step(term: Power, index: usize, first: &[ProcessesStep]) -> Result<CoefficientStep, FitError> {
    let coefficient =
        |step: &ProcessesStep| step.model.coefficients().nth(index).map_or(0.0, |(_, value)| value);
    let points: Vec<([f64; 1], f64)> = first.iter().map(|step| ([step.p], coefficient(step))).collect();
    let terms = [[Power::ONE], [Power::new(-1, 1)]];
    let model = LinearModel::fit(["p"], &terms, &points, Weighting::Equal)?;
    let mut values = model.coefficients().map(|(_, value)| value);
    let (constant, per_inverse_p) = (values.next().unwrap_or(0.0), values.next().unwrap_or(0.0));
    Ok(CoefficientStep { term, constant, per_inverse_p, quality: model.quality.clone() })
}
