//! The performance-model normal form: which of many terms explains what was measured.
//!
//! A function `c0 + c1 x^i log2(x)^j`, or for two parameters `c0` and one or two of `c1 a b`, `c2 a`, `c3 b`
//! with such a term `a` of one parameter and `b` of the other. All candidates are fitted by least squares of
//! relative errors, since the noise of times is a percentage of them. The one is chosen whose prediction of
//! each point from the others alone is best (leave-one-out cross-validation): the least sum of squares of
//! `e / (1 - h)`, with the relative residual `e` and the leverage `h` of each point.
//!
//! # How far the term can be trusted
//! With noise of 2 % on five points, no rule finds the generating term in more than three of four cases,
//! since `x^2 log2(x)` and `x^(9/4)`, say, are alike over a decade. The exponent is within 1/4 in 95 of 100,
//! and predictions at four times the largest size are within 10 % in 92 of 100. With twelve points over three
//! decades and a term that outweighs the constant, the term is the generating one in 98 of 100. So the best
//! other candidates are part of the answer.
//!
//! # Sources
//! A. Calotoiu, T. Hoefler, M. Poke and F. Wolf, *Using automated performance modeling to find scalability
//! bugs in complex codes*, SC 2013; the 42 terms are those of Extra-P 4.2.5. D. M. Allen, *The relationship
//! between variable selection and data augmentation and a method for prediction*, Technometrics 16, 1974.

mod basis;
mod search;
mod space;

use std::fmt;

use crate::function::Function;
use crate::least_squares::{Row, solve};
use crate::power::Power;
use crate::quality::Quality;
use crate::ranges::ranges;

/// A search for the term, or the terms, of a function.
///
/// # Examples
/// ```
/// use skel_fit::NormalForm;
/// // Seconds of a sort of n items.
/// let points = [1000.0, 2000.0, 4000.0, 8000.0, 16000.0].map(|n: f64| (n, 0.5 + 2e-6 * n * n.log2()));
/// let fitted = NormalForm::new().fit("n", &points)?;
/// let (powers, coefficient) = fitted.function.terms().last().unwrap();
/// assert_eq!(powers[0].of("n"), "n log2(n)");
/// assert!((coefficient / 2e-6 - 1.0).abs() < 1e-9);
/// assert!(fitted.quality.r_squared > 0.999_999);
/// # Ok::<(), skel_fit::NormalFormError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NormalForm {
    terms: Vec<Power>,
    /// The terms of the second of two parameters, where they are others.
    second: Option<Vec<Power>>,
}

impl Default for NormalForm {
    fn default() -> Self {
        NormalForm::new()
    }
}

/// What a search has found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Fitted<const VARIABLES: usize = 1> {
    /// The function.
    pub function: Function<VARIABLES>,
    /// How well it fits the points.
    pub quality: Quality,
    /// The root of the mean of the squared relative errors with which it predicts each point when it is
    /// fitted to the others.
    pub left_out_error: f64,
    /// The best candidates after it, with the same error of each, best first.
    pub others: Vec<(Function<VARIABLES>, f64)>,
    /// The least and the largest value of each variable among the points.
    pub ranges: [(f64, f64); VARIABLES],
}

/// Why no function can be fitted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum NormalFormError {
    /// There are too few points.
    TooFewPoints {
        /// How many different points there are.
        points: usize,
        /// How many there must be.
        least: usize,
    },
    /// All points have the same value of a parameter.
    OneValue {
        /// The name of the parameter.
        variable: String,
    },
    /// A point that cannot be used.
    Point {
        /// Its place, from 0.
        index: usize,
        /// What is wrong with it.
        message: String,
    },
}

impl fmt::Display for NormalFormError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NormalFormError::TooFewPoints { points, least } => write!(
                f,
                "there {}, and a choice of terms needs at least {least}; help: time the program at more sizes",
                match points {
                    1 => "is 1 point".to_owned(),
                    _ => format!("are {points} different points"),
                }
            ),
            NormalFormError::OneValue { variable } => write!(
                f,
                "all points have the same `{variable}`; help: time the program at several values of `{variable}`, or fit a function without it"
            ),
            NormalFormError::Point { index, message } => {
                write!(f, "point {}: {message}; help: sizes and times are above 0 and finite", index + 1)
            }
        }
    }
}

impl std::error::Error for NormalFormError {}

/// How many candidates are named beside the best.
const OTHERS: usize = 4;

impl NormalForm {
    /// A search among the 42 terms `x^i log2(x)^j`, with `i` from 0 to 3 and `j` from 0 to 2, that Extra-P
    /// tries.
    #[must_use]
    pub fn new() -> Self {
        NormalForm { terms: space::usual(), second: None }
    }

    /// A search among other terms.
    #[must_use]
    pub fn among(terms: impl IntoIterator<Item = Power>) -> Self {
        NormalForm { terms: terms.into_iter().filter(|term| *term != Power::ONE).collect(), second: None }
    }

    /// The same search with each term also divided instead of multiplied, such as `1/x`: for times that fall
    /// with the number of processes.
    #[must_use]
    pub fn and_inverses(mut self) -> Self {
        let inverses: Vec<Power> = self.terms.iter().filter_map(|term| term.inverse()).collect();
        self.terms.extend(inverses);
        self.terms.sort();
        self.terms.dedup();
        self
    }

    /// The same search where the second of two parameters has the terms of another search.
    ///
    /// # Examples
    /// ```
    /// use skel_fit::NormalForm;
    /// // Times grow with the size and fall with the number of processes.
    /// let mut points = Vec::new();
    /// for p in [2.0_f64, 3.0, 4.0, 6.0] {
    ///     for n in [100.0_f64, 200.0, 400.0, 800.0] {
    ///         points.push(([n, p], 0.3 + 2e-5 * n * n / p));
    ///     }
    /// }
    /// let search = NormalForm::new().with_second(NormalForm::new().and_inverses());
    /// let fitted = search.fit_two(["n", "p"], &points)?;
    /// let (powers, coefficient) = fitted.function.terms().find(|term| term.0[0].exponent() == 2.0).unwrap();
    /// assert!(powers[1].exponent() == -1.0 && (coefficient / 2e-5 - 1.0).abs() < 1e-9);
    /// # Ok::<(), skel_fit::NormalFormError>(())
    /// ```
    #[must_use]
    pub fn with_second(self, second: NormalForm) -> Self {
        NormalForm { second: Some(second.terms), ..self }
    }

    /// The terms that are tried.
    #[must_use]
    pub fn terms(&self) -> &[Power] {
        &self.terms
    }

    /// The function of one parameter for points of sizes and times. Several times of one size are a point
    /// each; take their mean first if the sizes should count equally.
    ///
    /// Logarithms are tried if no size is below 1. The cost is that of 42 small least squares: some
    /// microseconds for ten points.
    ///
    /// # Errors
    /// There are fewer than four different sizes, or a size or a time is not positive and finite.
    pub fn fit(&self, variable: &str, points: &[(f64, f64)]) -> Result<Fitted, NormalFormError> {
        let points: Vec<([f64; 1], f64)> = points.iter().map(|&(x, value)| ([x], value)).collect();
        check([variable], &points, 4)?;
        let ranked = search::one(&usable(&self.terms, points.iter().map(|point| point.0[0])), &points);
        Ok(conclude([variable], &points, ranked))
    }

    /// The function of two parameters for points of both and times.
    ///
    /// All pairs of terms are tried: 42 x 42 in four forms, and each term alone. That takes some milliseconds
    /// for 25 points.
    ///
    /// # Errors
    /// There are fewer than six different points, one parameter has the same value everywhere, or a value is
    /// not positive and finite.
    ///
    /// # Examples
    /// ```
    /// use skel_fit::NormalForm;
    /// let mut points = Vec::new();
    /// for p in [2.0_f64, 4.0, 8.0, 16.0] {
    ///     for n in [100.0_f64, 200.0, 400.0, 800.0] {
    ///         points.push(([p, n], 0.3 + 0.1 * p.log2() + 2e-5 * n * p.log2()));
    ///     }
    /// }
    /// let fitted = NormalForm::new().fit_two(["p", "n"], &points)?;
    /// let terms: Vec<String> = fitted.function.terms().map(|([p, n], _)| format!("{} {}", p.of("p"), n.of("n"))).collect();
    /// assert_eq!(terms, ["1 1", "log2(p) 1", "log2(p) n"]);
    /// # Ok::<(), skel_fit::NormalFormError>(())
    /// ```
    pub fn fit_two(
        &self,
        variables: [&str; 2],
        points: &[([f64; 2], f64)],
    ) -> Result<Fitted<2>, NormalFormError> {
        check(variables, points, 6)?;
        let second = self.second.as_ref().unwrap_or(&self.terms);
        let sizes = |at: usize| points.iter().map(move |point| point.0[at]);
        let terms = [usable(&self.terms, sizes(0)), usable(second, sizes(1))];
        Ok(conclude(variables, points, search::two(&terms, points)))
    }
}

/// The terms that have a meaning for some sizes: without logarithms if a size is below 1.
fn usable(terms: &[Power], sizes: impl Iterator<Item = f64>) -> Vec<Power> {
    let has_logarithms = sizes.fold(f64::INFINITY, f64::min) >= 1.0;
    terms.iter().copied().filter(|term| has_logarithms || term.logarithms() == 0).collect()
}

fn check<const VARIABLES: usize>(
    variables: [&str; VARIABLES],
    points: &[([f64; VARIABLES], f64)],
    least: usize,
) -> Result<(), NormalFormError> {
    for (index, (sizes, value)) in points.iter().enumerate() {
        let numbers = variables.iter().copied().zip(*sizes).chain([("the time", *value)]);
        if let Some((name, wrong)) =
            numbers.into_iter().find(|(_, number)| !(*number > 0.0 && number.is_finite()))
        {
            return Err(NormalFormError::Point { index, message: format!("{name} is {wrong}") });
        }
    }
    for (at, variable) in variables.iter().enumerate() {
        if VARIABLES > 1 && points.iter().all(|point| point.0[at] == points[0].0[at]) && points.len() > 1 {
            return Err(NormalFormError::OneValue { variable: (*variable).into() });
        }
    }
    let mut different: Vec<[u64; VARIABLES]> = points.iter().map(|point| point.0.map(f64::to_bits)).collect();
    different.sort_unstable();
    different.dedup();
    match different.len() {
        count if count < least => Err(NormalFormError::TooFewPoints { points: count, least }),
        _ => Ok(()),
    }
}

/// Fits the best candidates once more, by QR decomposition, and says how good they are.
fn conclude<const VARIABLES: usize>(
    variables: [&str; VARIABLES],
    points: &[([f64; VARIABLES], f64)],
    ranked: Vec<search::Candidate<VARIABLES>>,
) -> Fitted<VARIABLES> {
    let measured: Vec<f64> = points.iter().map(|point| point.1).collect();
    let mut found = ranked.into_iter().filter_map(|candidate| {
        let function = fitted_function(variables, points, &candidate.terms)?;
        Some((function, (candidate.left_out / points.len() as f64).sqrt(), candidate.terms.len()))
    });
    let (function, left_out_error, coefficients) =
        found.next().unwrap_or_else(|| (Function::of(variables, []), f64::INFINITY, 0));
    let values: Vec<f64> = points.iter().map(|point| function.at_point(point.0)).collect();
    Fitted {
        quality: Quality::of(&measured, &values, coefficients),
        others: found.take(OTHERS).map(|(function, error, _)| (function, error)).collect(),
        ranges: ranges(points),
        function,
        left_out_error,
    }
}

fn fitted_function<const VARIABLES: usize>(
    variables: [&str; VARIABLES],
    points: &[([f64; VARIABLES], f64)],
    terms: &[[Power; VARIABLES]],
) -> Option<Function<VARIABLES>> {
    let rows: Vec<Row> = points
        .iter()
        .map(|&(point, value)| Row {
            coefficients: terms.iter().map(|powers| crate::function::product_at(powers, point)).collect(),
            value,
            weight: 1.0 / value,
        })
        .collect();
    let solution = solve(terms.len(), &rows).ok()?;
    Some(Function::of(variables, terms.iter().copied().zip(solution.parameters)))
}
