//! A fitted model, and how good it is.

use std::fmt;

use skel_fit::runs::median;

use super::least_squares::Weights;
use super::needed::Needed;
use crate::model::CommunicationModel;

/// A model with the runs that it comes from.
///
/// # Examples
/// ```
/// use skel_network::{Bytes, Hockney, Measured, Measurement, Time};
/// let run = |size, time| Measurement {
///     from: "a".into(),
///     to: "b".into(),
///     measured: Measured::HalfRoundTrip,
///     size: Bytes::new(size),
///     time: Time::microseconds(time),
/// };
/// let fit = Hockney::fit(&[run(1, 50.0), run(1000, 58.0), run(10_000, 130.0), run(10_000, 131.0)])?;
/// assert!((fit.model.alpha().as_microseconds() - 50.0).abs() < 0.2);
/// assert_eq!((fit.dof, fit.residuals.len(), fit.outliers.len()), (2, 4, 0));
/// let text = fit.to_string();
/// assert!(text.starts_with("Hockney from 4 runs (it needs at least 2 runs: 2 half round trips of different sizes)"));
/// # Ok::<(), skel_network::FitError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Fit<M> {
    /// The model.
    pub model: M,
    /// Its parameters as they were fitted, with their standard errors.
    pub parameters: Vec<Parameter>,
    /// The runs that say something of the parameters, each with its residual.
    pub residuals: Vec<Residual>,
    /// The sum of the squares of the weighted residuals: of relative errors, or of microseconds.
    pub rss: f64,
    /// Degrees of freedom: runs less parameters.
    pub dof: usize,
    /// The numbers of the runs, from 0 as they were given, whose relative residual is more than 5 x 1.4826
    /// times the median absolute deviation. They are not left out of the fit.
    pub outliers: Vec<usize>,
    /// How the runs were weighted.
    pub weights: Weights,
    /// The fewest runs that the model needs.
    pub needed: Needed,
    /// What else the reader of the fit should know.
    pub remarks: Vec<String>,
}

/// A fitted parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name in the literature.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Its standard error, if there are more runs than parameters.
    pub standard_error: Option<f64>,
    /// The unit of both, with a space before it.
    pub unit: &'static str,
}

/// How far a run is from the fitted model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Residual {
    /// The number of the run, from 0 as they were given.
    pub measurement: usize,
    /// Measured time less fitted time, as a part of the measured time.
    pub relative: f64,
}

impl<M> Fit<M> {
    /// The same fit of a model in another form.
    pub fn map<N>(self, form: impl FnOnce(M) -> N) -> Fit<N> {
        let Fit { model, parameters, residuals, rss, dof, outliers, weights, needed, remarks } = self;
        Fit { model: form(model), parameters, residuals, rss, dof, outliers, weights, needed, remarks }
    }

    /// The median of the absolute relative residuals: of an even number of them, the mean of the two in the
    /// middle.
    #[must_use]
    pub fn median_error(&self) -> f64 {
        let errors: Vec<f64> = self.residuals.iter().map(|residual| residual.relative.abs()).collect();
        median(&errors).unwrap_or(0.0)
    }
}

impl<M: CommunicationModel> fmt::Display for Fit<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, runs) = (self.model.name(), self.residuals.len());
        writeln!(f, "{name} from {runs} runs (it needs at least {})", self.needed)?;
        let width = self.parameters.iter().map(|parameter| parameter.name.len()).max().unwrap_or(0);
        for parameter in &self.parameters {
            writeln!(f, "  {:width$}  {parameter}", parameter.name)?;
        }
        write!(f, "  median error {:.2} %", 100.0 * self.median_error())?;
        if self.dof == 0 {
            f.write_str(": there are as many runs as parameters, so the fit says nothing of how good it is")?;
        }
        for outlier in &self.outliers {
            write!(f, "\n  outlier: run {}", outlier + 1)?;
        }
        self.remarks.iter().try_for_each(|remark| write!(f, "\n  {remark}"))
    }
}

impl fmt::Display for Parameter {
    /// The value and its standard error, without the name: `41.641 us +- 0.45391 us`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parameter { value, standard_error, unit, .. } = self;
        write!(f, "{}{unit}", digits(*value))?;
        match standard_error {
            Some(error) => write!(f, " +- {}{unit}", digits(*error)),
            None => Ok(()),
        }
    }
}

/// A number with five significant digits.
fn digits(value: f64) -> String {
    let before = if value == 0.0 { 1.0 } else { value.abs().log10().floor() + 1.0 };
    let after = (5.0 - before).clamp(0.0, 15.0) as usize;
    format!("{value:.after$}")
}
